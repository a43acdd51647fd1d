// SPDX-License-Identifier: Apache-2.0
// What Python's collate returned becomes a Batch over the tensors' own memory, without a copy.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "workloads/data/batch.h"
#include "workloads/python/in_python.h"

namespace stepbench::python {

// Takes a tensor, a tuple or list of them, or a dict of them, whose input and target come first:
// tensors on the CPU with the samples in their first dimension. One that is not contiguous is
// copied. One per loader: remembers the last batch's fields, which most batches share.
class TensorBatches {
 public:
  explicit TensorBatches(std::string path) : path_(std::move(path)) {}

  // With the interpreter's lock held. The batch's memory may be let go of on any thread, without
  // it. Throws error_already_set of UserError saying what came.
  [[nodiscard]] Batch take(pybind11::handle collated);

 private:
  struct Named {
    std::string name;
    pybind11::object value;
  };

  [[nodiscard]] std::vector<Named> parts_of(pybind11::handle collated);
  [[nodiscard]] SharedSpec spec_of(std::size_t field, const std::string& name,
                                   std::span<const std::int64_t> shape, DType dtype);

  std::string path_;
  std::vector<SharedSpec> last_;
  KeptObject keys_;  // of the last batch that was a dict, in the order of the fields
};

}  // namespace stepbench::python
