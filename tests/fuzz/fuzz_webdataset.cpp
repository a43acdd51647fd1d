// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_input.h"
#include "workloads/data/formats/web_dataset.h"

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file({data, size});
  for (const std::int64_t buffer : {0, 3}) {
    fuzz::read_samples([&] {
      return std::make_unique<data::WebDataset>(data::WebDatasetOptions{.path = file.path(),
                                                                        .image = {.image_size = 8},
                                                                        .classes = 10,
                                                                        .shuffle_buffer = buffer});
    });
  }
  return 0;
}
