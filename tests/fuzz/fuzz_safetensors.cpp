// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_input.h"
#include "workloads/data/formats/tensor_files.h"

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file({data, size});
  fuzz::read_samples([&] { return data::open_safetensors({.common = {.path = file.path()}}); });
  fuzz::read_samples([&] {
    return data::open_safetensors(
        {.common = {.path = file.path(), .as_float = true}, .input = "label", .target = ""});
  });
  return 0;
}
