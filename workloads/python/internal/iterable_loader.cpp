// SPDX-License-Identifier: Apache-2.0
#include "workloads/python/internal/iterable_loader.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <unistd.h>

#include <utility>

#include "harness/base/error.h"
#include "harness/workload.h"
#include "workloads/python/internal/python_loader.h"
#include "workloads/python/internal/user_function.h"

namespace stepbench::python {

namespace py = pybind11;

IterableLoader::IterableLoader(const PythonDataset& dataset, const loader::LoaderOptions& options,
                               const WorkerContext& context, GilWait& gil)
    : dataset_(dataset),
      options_(options),
      clock_(context.clock),
      gil_(gil),
      tensors_(dataset.path()) {
  if (options.upload != nullptr) {
    throw ConfigError("transfer.placement",
                      "pin_thread needs the pin thread of an engine of ours; set placement: async");
  }
  in_python([&] {
    users_ = OwnedPyObject(dataset_.user_data());
    const py::cpp_function call([&dataset](const py::dict& offered) {
      return call_user_function(dataset.resolved(), {"data.path", dataset.path(), "loader"},
                                offered);
    });
    users_.get().attr("open")(options_for_python(options_, dataset_.resolved()), call);
  });
  reset_metrics();
}

IterableLoader::~IterableLoader() {
  try {
    (void)close();
  } catch (const std::exception&) {
    // Anything that does not end is killed with this process.
  }
}

void IterableLoader::begin_epoch(std::int64_t epoch) {
  const std::int64_t began = clock_.now_ns();
  yielded_ = 0;
  epoch_ = epoch;
  iterator_.reset();
  in_python([&] {
    iterator_ = OwnedPyObject(users_.get().attr("begin_epoch")(epoch));
    batches_per_epoch_ = users_.get().attr("batches")().cast<std::int64_t>();
  });
  if (first_.empty()) first_ = dataset_.fields();
  ++metrics_.epochs;
  metrics_.epoch_begin_ns += clock_.now_ns() - began;
}

std::optional<Batch> IterableLoader::next() {
  const std::int64_t began = clock_.now_ns();
  std::int64_t got = began;
  std::optional<Batch> batch;
  try {
    batch = in_python(gil_, [&] { return take(got); });
  } catch (...) {
    ++yielded_;
    got = clock_.now_ns();
    count(began, got);
    throw;
  }
  if (!batch) {
    if (yielded_ == 0) in_python([&] { users_.get().attr("refuse_empty")(epoch_); });
    metrics_.epoch_end_ns += clock_.now_ns() - began;
    return std::nullopt;
  }
  batch->index = yielded_++;
  batch->partial = batch->size < options_.batch_size;
  count(began, got);
  metrics_.count(*batch);
  return batch;
}

void IterableLoader::reset_metrics() {
  metrics_ = {};
  metrics_.records_blocked = false;
}

std::vector<loader::WorkerThread> IterableLoader::worker_threads() const {
  std::vector<loader::WorkerThread> known;
  if (!users_) return known;
  in_python([&] {
    for (const pid_t thread : users_.get().attr("threads")().cast<std::vector<pid_t>>()) {
      known.push_back({.process = ::getpid(), .thread = thread});
    }
    for (const pid_t process : users_.get().attr("processes")().cast<std::vector<pid_t>>()) {
      known.push_back({.process = process, .thread = 0});
    }
  });
  return known;
}

std::string IterableLoader::close() {
  if (!users_) return {};
  const OwnedPyObject users = std::exchange(users_, OwnedPyObject());
  iterator_.reset();
  return in_python([&] { return users.get().attr("close")().cast<std::string>(); });
}

// `got`: time at which Python returned the batch.
std::optional<Batch> IterableLoader::take(std::int64_t& got) {
  if (!iterator_) return std::nullopt;
  const auto given = py::reinterpret_steal<py::object>(PyIter_Next(iterator_.get().ptr()));
  got = clock_.now_ns();
  if (!given) {
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    iterator_.reset();
    return std::nullopt;
  }
  Batch batch = tensors_.take(given);
  if (!is_like_the_first(batch)) users_.get().attr("refuse_other")(yielded_, given);
  if (options_.batch_size > 0 && batch.size > options_.batch_size) {
    users_.get().attr("refuse_size")(yielded_, batch.size);
  }
  return batch;
}

// Dimensions may differ in length, as for texts.
bool IterableLoader::is_like_the_first(const Batch& batch) const {
  if (batch.fields.size() != first_.size()) return false;
  for (std::size_t field = 0; field < first_.size(); ++field) {
    const FieldSpec& spec = *batch.fields[field].spec;
    const FieldSpec& first = first_[field];
    if (spec.dtype != first.dtype || spec.shape.size() != first.shape.size()) return false;
  }
  return true;
}

void IterableLoader::count(std::int64_t began, std::int64_t got) {
  const std::int64_t ended = clock_.now_ns();
  metrics_.wait_ns.push_back(ended - began);
  metrics_.blocked_ns += got - began;
  metrics_.dispatch_ns += ended - got;
}

}  // namespace stepbench::python
