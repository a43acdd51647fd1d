// SPDX-License-Identifier: Apache-2.0
// What the controller says to a worker: a case, and facts of the machine.
#include "harness/base/error.h"
#include "harness/protocol/facts.h"
#include "harness/protocol/messages.h"
#include "tests/fuzz/memory_file.h"

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

namespace {

template <typename Decode>
void read_twice(std::string_view line, const Decode& decode) {
  std::string written;
  try {
    written = protocol::encode(decode(line));
  } catch (const Error&) {
    return;
  }
  fuzz::require(protocol::encode(decode(written)) == written, "a line is read as it was written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string line(fuzz::text_of(data, size));  // with a NUL behind it
  read_twice(line, [](std::string_view text) { return protocol::decode_case(text); });
  read_twice(line, [](std::string_view text) { return protocol::decode_facts(text); });
  return 0;
}
