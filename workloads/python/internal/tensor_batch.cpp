// SPDX-License-Identifier: Apache-2.0
#include "workloads/python/internal/tensor_batch.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/python_variable.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace stepbench::python {
namespace {

namespace py = pybind11;

std::optional<DType> dtype_of(at::ScalarType type) {
  switch (type) {
    case at::kByte:
      return DType::kUInt8;
    case at::kBool:
      return DType::kBool;
    case at::kShort:
      return DType::kInt16;
    case at::kInt:
      return DType::kInt32;
    case at::kLong:
      return DType::kInt64;
    case at::kHalf:
      return DType::kFloat16;
    case at::kBFloat16:
      return DType::kBFloat16;
    case at::kFloat:
      return DType::kFloat32;
    case at::kDouble:
      return DType::kFloat64;
    default:
      return std::nullopt;
  }
}

std::string name_of_field(std::size_t field) {
  if (field == 0) return "input";
  return field == 1 ? "target" : "field" + std::to_string(field);
}

// The keys of a dict, in the order of stepbench_user_code/data.py.
py::list keys_in_order(const py::dict& collated) {
  return py::module_::import("stepbench_user_code.data").attr("fields_in_order")(collated);
}

}  // namespace

// Empty: unknown form.
std::vector<TensorBatches::Named> TensorBatches::parts_of(py::handle collated) {
  std::vector<Named> parts;
  PyObject* object = collated.ptr();
  if (THPVariable_Check(object)) {
    parts.push_back({name_of_field(0), py::reinterpret_borrow<py::object>(collated)});
  } else if (PyTuple_Check(object) || PyList_Check(object)) {
    const auto size = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(object));
    for (std::size_t i = 0; i < size; ++i) {
      parts.push_back({name_of_field(i),
                       py::reinterpret_borrow<py::object>(PySequence_Fast_GET_ITEM(object, i))});
    }
  } else if (PyDict_Check(object)) {
    const auto fields = py::reinterpret_borrow<py::dict>(collated);
    bool same = keys_ && py::len(keys_.get()) == fields.size();
    if (same) {
      for (const py::handle key : keys_.get()) same = same && fields.contains(key);
    }
    if (!same) keys_ = OwnedPyObject(keys_in_order(fields));
    for (const py::handle key : keys_.get()) parts.push_back({py::str(key), fields[key]});
  }
  return parts;
}

SharedSpec TensorBatches::spec_of(std::size_t field, const std::string& name,
                                  std::span<const std::int64_t> shape, DType dtype) {
  if (field >= last_.size()) last_.resize(field + 1);
  SharedSpec& known = last_[field];
  if (known == nullptr || known->dtype != dtype ||
      !std::equal(shape.begin(), shape.end(), known->shape.begin(), known->shape.end())) {
    known = std::make_shared<const FieldSpec>(
        FieldSpec{.name = name, .shape = {shape.begin(), shape.end()}, .dtype = dtype});
  }
  return known;
}

Batch TensorBatches::take(py::handle collated) {
  const auto refuse = [&] {
    py::module_::import("stepbench_user_code.data").attr("refuse_batch")(collated, path_);
  };
  auto tensors = std::make_shared<std::vector<at::Tensor>>();
  Batch batch;
  for (const Named& part : parts_of(collated)) {
    if (!THPVariable_Check(part.value.ptr())) refuse();
    // A C++ tensor over the same memory can be released without the interpreter's lock.
    at::Tensor tensor = THPVariable_Unpack(part.value.ptr()).variable_data();
    const std::optional<DType> dtype = dtype_of(tensor.scalar_type());
    const bool plain = tensor.layout() == at::kStrided && tensor.device().is_cpu();
    if (!dtype || !plain || tensor.dim() == 0) refuse();
    if (batch.fields.empty()) batch.size = tensor.size(0);
    if (tensor.size(0) != batch.size) refuse();
    tensor = tensor.contiguous();
    const at::IntArrayRef shape = tensor.sizes().slice(1);
    batch.fields.emplace_back(static_cast<std::byte*>(tensor.data_ptr()),
                              spec_of(batch.fields.size(), part.name, shape, *dtype));
    tensors->push_back(std::move(tensor));
  }
  if (batch.fields.empty() || batch.size == 0) refuse();
  batch.owner = std::move(tensors);
  return batch;
}

}  // namespace stepbench::python
