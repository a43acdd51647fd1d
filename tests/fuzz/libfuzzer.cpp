// SPDX-License-Identifier: Apache-2.0
// Entry point of libFuzzer: the target named by FUZZ_TARGET.
#include <cstdlib>

#include "tests/fuzz/targets.h"

using namespace stepbench::fuzz;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Target* const target = [] {
    for (const auto* all :
         {&data_targets(), &kept_targets(), &message_targets(), &text_targets()}) {
      for (const Target& each : *all) {
        if (each.name == FUZZ_TARGET) return &each;
      }
    }
    std::abort();
  }();
  target->read({data, size});
  return 0;
}
