// SPDX-License-Identifier: Apache-2.0
#include "workloads/python/internal/python_dataset.h"

#include <pybind11/stl.h>

#include <cstring>

#include "harness/base/error.h"
#include "workloads/loader/loader_section.h"
#include "workloads/python/internal/tensor_batch.h"
#include "workloads/python/internal/user_function.h"

namespace stepbench::python {

namespace py = pybind11;

PythonDataset::PythonDataset(const ResolvedCase& resolved) : resolved_(resolved) {
  const std::int64_t seed = resolved_.integer_or("seed", 0);
  in_python([&] {
    const py::module_ data = py::module_::import("stepbench_user_code.data");
    data.attr("seed_all")(seed);
    if (takes_iterable(resolved_)) {
      data_ = OwnedPyObject(
          py::module_::import("stepbench_user_code.iterable").attr("UserIterable")(path()));
      return;
    }
    const py::object dataset =
        call_user_function(resolved_, {"data.path", path(), "dataset"}, py::dict());
    data_ =
        OwnedPyObject(data.attr("UserData")(path(), dataset, loader::items_are_batches(resolved_)));
    size_ = user_data().attr("size")().cast<std::int64_t>();
    (void)fields();
  });
}

const std::vector<FieldSpec>& PythonDataset::fields() const {
  if (!fields_.empty()) return fields_;
  const std::optional<Batch> one =
      first_batch(1, static_cast<std::uint64_t>(resolved_.integer_or("seed", 0)));
  for (const BatchField& field : one->fields) fields_.push_back(*field.spec);
  return fields_;
}

std::int64_t PythonDataset::classes() const {
  return in_python([&] {
    return resolved_.integer_or("data.classes", user_data().attr("classes")().cast<std::int64_t>());
  });
}

void PythonDataset::read(const data::SampleKey& key, data::SampleSlots out, Scratch&,
                         data::ReadCost&) const {
  const Batch one =
      in_python([&] { return TensorBatches(path()).take(user_data().attr("sample")(key.index)); });
  for (std::size_t field = 0; field < out.size(); ++field) {
    const std::size_t bytes = fields_[field].bytes();
    if (field >= one.fields.size() || one.fields[field].spec->bytes() != bytes) {
      throw Error("sample " + std::to_string(key.index) +
                  " of the data set has another shape than sample 0");
    }
    std::memcpy(out[field], one.fields[field].data, bytes);
  }
}

std::optional<Batch> PythonDataset::first_batch(std::int64_t size, std::uint64_t seed) const {
  return in_python([&] {
    return std::optional(TensorBatches(path()).take(user_data().attr("first_batch")(size, seed)));
  });
}

data::DatasetFacts PythonDataset::facts() const {
  return in_python([&] {
    return data::DatasetFacts{
        .class_names = user_data().attr("class_names")().cast<std::vector<std::string>>()};
  });
}

std::string PythonDataset::digest() const {
  return in_python([&] { return user_data().attr("digest")().cast<std::string>(); });
}

}  // namespace stepbench::python
