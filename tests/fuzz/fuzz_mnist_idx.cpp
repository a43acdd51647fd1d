// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_input.h"
#include "workloads/data/formats/mnist_idx.h"

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::TwoFiles input = fuzz::split({data, size});
  const fuzz::MemoryFile images(input.first);
  const fuzz::MemoryFile labels(input.second);
  fuzz::read_samples([&] { return data::open_mnist_idx({images.path(), labels.path()}, {}); });
  return 0;
}
