// SPDX-License-Identifier: Apache-2.0
// data.kind: python. The user's Dataset outside the loader: its fields, a batch for the
// fingerprint, its digest.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

#include "harness/base/resolved_case.h"
#include "workloads/data/dataset.h"
#include "workloads/python/internal/in_python.h"

namespace stepbench::python {

// Main thread. Every call takes the interpreter's lock.
class PythonDataset final : public data::Dataset {
 public:
  // Imports data.path, calls dataset() and collates one sample to determine its fields. For engine
  // iterable it only imports the file: the loader calls loader(), and fields() and first_batch()
  // describe its first batch, from begin_epoch() on. Throws ConfigError and Error as in
  // PythonParts.
  explicit PythonDataset(const ResolvedCase& resolved);

  [[nodiscard]] std::int64_t size() const override { return size_; }
  [[nodiscard]] const std::vector<FieldSpec>& fields() const override;
  [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const override {
    return std::make_unique<Scratch>();
  }
  // Reads dataset[index], collated alone. Throws Error if its shape differs from fields().
  void read(const data::SampleKey& key, data::SampleSlots out, Scratch& scratch,
            data::ReadCost& cost) const override;
  [[nodiscard]] std::optional<Batch> first_batch(std::int64_t size,
                                                 std::uint64_t seed) const override;
  [[nodiscard]] std::int64_t classes() const override;
  [[nodiscard]] data::DatasetFacts facts() const override;
  [[nodiscard]] std::string digest() const override;

  // UserData of stepbench_user_code/data.py, or UserIterable of iterable.py. Requires the lock.
  [[nodiscard]] pybind11::object user_data() const { return data_.get(); }
  [[nodiscard]] const ResolvedCase& resolved() const { return resolved_; }
  [[nodiscard]] std::string path() const { return resolved_.text("data.path"); }

 private:
  ResolvedCase resolved_;
  OwnedPyObject data_;
  std::int64_t size_ = -1;
  mutable std::vector<FieldSpec> fields_;  // one sample's fields; empty until known
};

}  // namespace stepbench::python
