// SPDX-License-Identifier: Apache-2.0
// What the controller of a group and its ranks say to each other; the first byte tells which line.
#include "harness/base/error.h"
#include "harness/fleet/group_lines.h"
#include "tests/fuzz/memory_file.h"

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

namespace {

template <typename Line>
void read(std::string_view text, Line (*decode)(std::string_view)) {
  std::string written;
  try {
    written = fleet::encode(decode(text));
  } catch (const Error&) {
    return;
  }
  fuzz::require(fleet::encode(decode(written)) == written, "a line is read as it was written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      read(text, fleet::decode_join);
      break;
    case 1:
      read(text, fleet::decode_begin);
      break;
    default:
      read(text, fleet::decode_exit);
  }
  return 0;
}
