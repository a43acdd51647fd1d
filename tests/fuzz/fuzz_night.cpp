// SPDX-License-Identifier: Apache-2.0
// A night's verdict, as `nightly --verdict` writes it.
#include "harness/base/error.h"
#include "harness/report/read_night.h"
#include "tests/fuzz/memory_file.h"

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    (void)report::read_night(std::string(fuzz::text_of(data, size)));
  } catch (const Error&) {
  }
  return 0;
}
