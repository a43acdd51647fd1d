// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_input.h"
#include "workloads/data/formats/token_bin.h"

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file({data, size});
  for (const bool random : {false, true}) {
    fuzz::read_samples([&] {
      return std::make_unique<data::TokenBin>(data::TokenBinOptions{.path = file.path(),
                                                                    .wide = random,
                                                                    .sequence_length = 8,
                                                                    .vocabulary = 90,
                                                                    .random = random});
    });
  }
  return 0;
}
