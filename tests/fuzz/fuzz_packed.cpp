// SPDX-License-Identifier: Apache-2.0
// Packed files, whole and damaged. Input: u16 position and u8 what is changed there (0: nothing),
// u8 how many bytes are cut off, the text.
#include <algorithm>
#include <string>

#include "harness/base/error.h"
#include "harness/record/input.h"
#include "harness/record/pack.h"
#include "harness/trace/read_trace.h"
#include "tests/fuzz/memory_file.h"

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kHead = 4;
  if (size < kHead) return 0;
  const std::string_view text = fuzz::text_of(data + kHead, size - kHead);
  const std::string whole = record::gzip_text(text, 1);
  std::string packed = whole;
  packed.at((data[0] + 256U * data[1]) % packed.size()) ^= static_cast<char>(data[2]);
  packed.resize(packed.size() - std::min<std::size_t>(packed.size(), data[3]));
  const fuzz::MemoryFile file(
      {reinterpret_cast<const std::uint8_t*>(packed.data()), packed.size()});
  try {
    const record::Input input = record::Input::read(file.path());
    // The gzip header has fields that say nothing of the text, and what is no gzip is plain.
    const bool plain = !packed.starts_with("\x1F\x8B");
    fuzz::require(input.text() == (plain ? std::string_view(packed) : text),
                  "what is read was written");
  } catch (const ConfigError&) {
    fuzz::require(packed != whole, "what was packed is read");
  }
  try {
    (void)trace::read_trace(file.path(), {.max_text_bytes = std::uint64_t{1} << 24});
  } catch (const ConfigError&) {
  }
  return 0;
}
