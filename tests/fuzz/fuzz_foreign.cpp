// SPDX-License-Identifier: Apache-2.0
// Results of other benchmark programs: CSV and JSON.
#include "harness/base/error.h"
#include "harness/foreign/read_foreign.h"
#include "tests/fuzz/memory_file.h"

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file({data, size});
  for (const bool guess : {false, true}) {
    try {
      (void)foreign::read_foreign(file.path(), {.series = "s", .guess = guess});
    } catch (const ConfigError&) {
    }
  }
  return 0;
}
