// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_input.h"
#include "workloads/data/formats/cifar_bin.h"

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file({data, size});
  for (const bool hundred : {false, true}) {
    fuzz::read_samples([&] { return data::open_cifar_bin({file.path()}, hundred, {}); });
  }
  return 0;
}
