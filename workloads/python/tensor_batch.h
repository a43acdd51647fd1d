// SPDX-License-Identifier: Apache-2.0
// What Python's collate returned becomes a Batch over the tensors' own memory, without a copy.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "workloads/data/batch.h"

namespace stepbench::python {

// Takes a tensor, a tuple or list of them, or a dict of them in the order of its keys: tensors on
// the CPU with the samples in their first dimension. One that is not contiguous is copied. One per
// loader: remembers the last batch's fields, which most batches share.
class TensorBatches {
 public:
  explicit TensorBatches(std::string path) : path_(std::move(path)) {}

  // With the interpreter's lock held. The batch's memory may be let go of on any thread, without
  // it. Throws error_already_set of UserError saying what came.
  [[nodiscard]] Batch take(pybind11::handle collated);

 private:
  [[nodiscard]] SharedSpec spec_of(std::size_t field, const std::string& name,
                                   std::span<const std::int64_t> shape, DType dtype);

  std::string path_;
  std::vector<SharedSpec> last_;
};

}  // namespace stepbench::python
