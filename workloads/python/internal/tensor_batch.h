// SPDX-License-Identifier: Apache-2.0
// Converts the result of Python's collate to a Batch over the tensors' own memory, without a copy.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "workloads/data/batch.h"
#include "workloads/python/internal/in_python.h"

namespace stepbench::python {

// Accepts a tensor, a tuple or list of tensors, or a dict of them, with input and target first:
// tensors on the CPU with the samples in their first dimension. Non-contiguous tensors are copied.
// Use one per loader: it caches the last batch's fields, which most batches share.
class TensorBatches {
 public:
  explicit TensorBatches(std::string path) : path_(std::move(path)) {}

  // Requires the interpreter's lock. The batch's memory may be released on any thread, without the
  // lock. Throws error_already_set of UserError that describes the unexpected object.
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
  OwnedPyObject keys_;  // keys of the last dict batch, in field order
};

}  // namespace stepbench::python
