// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_input.h"
#include "workloads/data/formats/tensor_files.h"

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // The first byte chooses the shape.
  const std::vector<std::int64_t> shape = {1 + data[0] % 16, 1 + data[0] / 16};
  const fuzz::MemoryFile file({data + 1, size - 1});
  for (const DType stored : {DType::kUInt8, DType::kInt32, DType::kInt64, DType::kFloat32}) {
    fuzz::read_samples([&] {
      return data::open_raw_tensor(
          {.common = {.path = file.path(), .as_float = true}, .shape = shape, .stored = stored});
    });
  }
  return 0;
}
