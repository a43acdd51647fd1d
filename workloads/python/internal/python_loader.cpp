// SPDX-License-Identifier: Apache-2.0
#include "workloads/python/internal/python_loader.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/workload.h"
#include "workloads/loader/batches.h"
#include "workloads/python/internal/in_python.h"
#include "workloads/python/internal/tensor_batch.h"
#include "workloads/python/internal/user_function.h"

namespace stepbench::python {
namespace {

namespace py = pybind11;

// Indices in a worker's part of the records; see stepbench_user_code/timing.py.
enum class Place : std::uint8_t {
  kBatches,
  kBusyNs,
  kFetchNs,
  kCollateNs,
  kBusyUsSquared,
  kRecordsQueueWait,
  kQueueWaitNs,
  kMemoryWaitNs,
  kMemories,
  kEndedNs
};
constexpr std::size_t kPlaces = 10;

// Counters of each worker since the loader was created, in memory shared with this process.
struct WorkerCounts {
  std::int64_t batches = 0;
  std::int64_t busy_ns = 0;
  std::int64_t fetch_ns = 0;
  std::int64_t collate_ns = 0;
  std::int64_t busy_us_squared = 0;
  std::int64_t queue_wait_ns = 0;
  std::int64_t ended_ns = 0;  // end time of the last of `batches`
};

// Requests of the training process to workers.
struct MemoryCounts {
  std::int64_t wait_ns = 0;
  std::int64_t memories = 0;
};

class Records {
 public:
  Records() = default;
  Records(std::int64_t* memory, std::size_t workers) : memory_(memory), workers_(workers) {}

  [[nodiscard]] std::size_t workers() const { return workers_; }
  [[nodiscard]] WorkerCounts of(std::size_t worker) const {
    return {.batches = value(worker, Place::kBatches),
            .busy_ns = value(worker, Place::kBusyNs),
            .fetch_ns = value(worker, Place::kFetchNs),
            .collate_ns = value(worker, Place::kCollateNs),
            .busy_us_squared = value(worker, Place::kBusyUsSquared),
            .queue_wait_ns = value(worker, Place::kQueueWaitNs),
            .ended_ns = value(worker, Place::kEndedNs)};
  }
  // True if all workers report it.
  [[nodiscard]] bool records_queue_wait() const {
    for (std::size_t worker = 0; worker < workers_; ++worker) {
      if (value(worker, Place::kRecordsQueueWait) == 0) return false;
    }
    return workers_ > 0;
  }
  // Counters of the training process, whose part follows the workers'.
  [[nodiscard]] MemoryCounts memory() const {
    if (memory_ == nullptr) return {};
    return {.wait_ns = value(workers_, Place::kMemoryWaitNs),
            .memories = value(workers_, Place::kMemories)};
  }
  [[nodiscard]] std::int64_t batches() const {
    std::int64_t sum = 0;
    for (std::size_t worker = 0; worker < workers_; ++worker) {
      sum += value(worker, Place::kBatches);
    }
    return sum;
  }

 private:
  [[nodiscard]] std::int64_t value(std::size_t worker, Place place) const {
    std::int64_t& number = memory_[worker * kPlaces + static_cast<std::size_t>(place)];
    return std::atomic_ref(number).load(std::memory_order_relaxed);
  }

  std::int64_t* memory_ = nullptr;
  std::size_t workers_ = 0;
};

class PythonLoader final : public loader::Loader {
 public:
  PythonLoader(const PythonDataset& dataset, const loader::LoaderOptions& options,
               const Clock& clock, GilWait& gil, const OwnedPyObject& stacks)
      : options_(options),
        clock_(clock),
        gil_(gil),
        tensors_(dataset.path()),
        repeated_(dataset.size() < 0 && options.in_order ? options.num_workers : 0) {
    in_python([&] { make(dataset, stacks); });
    reset_metrics();
    in_window_ = false;
  }

  ~PythonLoader() override {
    try {
      in_python([&] { loader_.get().attr("close")(); });
    } catch (const std::exception&) {
      // Workers that do not end are killed with this process.
    }
  }

  void begin_epoch(std::int64_t epoch) override {
    const std::int64_t began = clock_.now_ns();
    in_python([&] {
      iterator_.reset();
      before_epoch_ = records_.batches();
      yielded_ = 0;
      at_epoch_.clear();
      for (std::size_t worker = 0; worker < records_.workers(); ++worker) {
        at_epoch_.push_back(records_.of(worker).batches);
      }
      iterator_ = OwnedPyObject(loader_.get().attr("begin_epoch")(epoch));
    });
    ++metrics_.epochs;
    metrics_.epoch_begin_ns += clock_.now_ns() - began;
  }

  [[nodiscard]] std::optional<Batch> next() override {
    const std::int64_t began = clock_.now_ns();
    const std::int64_t depth = ready().value_or(0);
    const bool is_there = is_ready(depth);
    std::int64_t got = began;
    std::optional<Batch> batch;
    try {
      batch = in_python(gil_, [&] { return take(got); });
    } catch (...) {
      ++yielded_;
      got = clock_.now_ns();
      count(began, got, depth, is_there);
      throw;
    }
    if (!batch) {
      held_.reset();
      metrics_.epoch_end_ns += clock_.now_ns() - began;
      return std::nullopt;
    }
    held_ = batch->owner;
    if (!in_window_) repeated_.observe(*batch);
    batch->index = yielded_++;
    batch->partial = batch->size < options_.batch_size;
    count(began, got, depth, is_there);
    metrics_.count(*batch);
    return batch;
  }

  [[nodiscard]] std::int64_t batches_per_epoch() const override { return batches_per_epoch_; }

  [[nodiscard]] std::optional<std::int64_t> ready() const override {
    if (options_.num_workers == 0) return std::nullopt;
    return std::max<std::int64_t>(0, records_.batches() - before_epoch_ - yielded_);
  }

  [[nodiscard]] std::optional<loader::OwnOrder> own_order() const override {
    return in_python([&]() -> std::optional<loader::OwnOrder> {
      const py::object python = loader_.get();
      if (python.attr("order").is_none()) return std::nullopt;
      return loader::OwnOrder{
          .words = python.attr("order_in_words")().cast<std::string>(),
          .indices = python.attr("first_indices")().cast<std::vector<std::int64_t>>(),
          .makes_batches = python.attr("makes_batches").cast<bool>(),
          .samples = python.attr("samples_per_epoch")().cast<std::optional<std::int64_t>>()};
    });
  }

  [[nodiscard]] const loader::LoaderMetrics& metrics() const override {
    const std::int64_t now = clock_.now_ns();
    metrics_.fetch_ns = 0;
    metrics_.collate_ns = 0;
    metrics_.busy_us_squared = 0;
    std::int64_t queue_wait_ns = 0;
    for (std::size_t worker = 0; worker < records_.workers(); ++worker) {
      const WorkerCounts counts = records_.of(worker);
      const WorkerCounts& before = at_reset_[worker];
      metrics_.fetch_ns += counts.fetch_ns - before.fetch_ns;
      metrics_.collate_ns += counts.collate_ns - before.collate_ns;
      metrics_.busy_us_squared +=
          static_cast<double>(counts.busy_us_squared - before.busy_us_squared);
      queue_wait_ns += counts.queue_wait_ns - before.queue_wait_ns;
      loader::LoaderMetrics::Worker& out = metrics_.workers[worker];
      out.busy_ns = counts.busy_ns - before.busy_ns;
      out.idle_ns = std::max<std::int64_t>(0, now - reset_ns_ - out.busy_ns);
    }
    metrics_.workers_repeat = repeated_.repeat();
    if (records_.records_queue_wait()) metrics_.queue_thread_wait_ns = queue_wait_ns;
    const MemoryCounts memory = records_.memory();
    metrics_.memory_wait_ns = memory.wait_ns - memory_at_reset_.wait_ns;
    metrics_.memories = memory.memories - memory_at_reset_.memories;
    return metrics_;
  }

  void reset_metrics() override {
    metrics_ = {};
    metrics_.workers.resize(records_.workers());
    metrics_.records_blocked = false;
    at_reset_.clear();
    for (std::size_t worker = 0; worker < records_.workers(); ++worker) {
      at_reset_.push_back(records_.of(worker));
    }
    memory_at_reset_ = records_.memory();
    in_window_ = true;
    reset_ns_ = clock_.now_ns();
  }

  [[nodiscard]] std::vector<loader::WorkerThread> worker_threads() const override {
    std::vector<loader::WorkerThread> known;
    in_python([&] {
      for (const py::handle each : loader_.get().attr("worker_processes")()) {
        known.push_back({.process = each.cast<pid_t>(), .thread = 0});
      }
    });
    return known;
  }

 private:
  // Wraps a user's function that only needs the data set; None: the file does not define it.
  [[nodiscard]] static py::object maker_of(const PythonDataset& dataset, const char* name,
                                           const py::dict& offered) {
    const py::module_ user_file = py::module_::import("stepbench_user_code.user_file");
    if (user_file.attr("optional")(dataset.path(), name).is_none()) return py::none();
    return py::cpp_function([&dataset, name, offered] {
      return call_user_function(dataset.resolved(), {"data.path", dataset.path(), name}, offered,
                                py::make_tuple(dataset.user_data().attr("dataset")));
    });
  }

  void make(const PythonDataset& dataset, const OwnedPyObject& stacks) {
    const py::dict given = options_for_python(options_, dataset.resolved());
    const py::object sampler = maker_of(dataset, "sampler", given);
    const py::object batch_sampler = maker_of(dataset, "batch_sampler", given);
    loader_ =
        OwnedPyObject(py::module_::import("stepbench_user_code.loader")
                          .attr("UserLoader")(dataset.user_data(), given, sampler, batch_sampler,
                                              stacks ? stacks.get() : py::none()));
    const auto address = loader_.get().attr("address")().cast<std::uintptr_t>();
    const auto workers = static_cast<std::size_t>(std::max<std::int64_t>(1, options_.num_workers));
    // NOLINTNEXTLINE(performance-no-int-to-ptr): ctypes gives an address
    records_ = Records(reinterpret_cast<std::int64_t*>(address), workers);
    batches_per_epoch_ = loader_.get().attr("batches")().cast<std::int64_t>();
  }

  // `got`: time at which Python returned the batch.
  [[nodiscard]] std::optional<Batch> take(std::int64_t& got) {
    if (!iterator_) return std::nullopt;
    const auto collated = py::reinterpret_steal<py::object>(PyIter_Next(iterator_.get().ptr()));
    got = clock_.now_ns();
    if (collated) return tensors_.take(collated);
    if (PyErr_Occurred() != nullptr) throw_error();
    iterator_.reset();
    return std::nullopt;
  }

  // Python's message on a dead worker does not always include how it ended.
  [[noreturn]] void throw_error() const {
    py::error_already_set error;
    const auto ended = loader_.get().attr("ended_workers")().cast<std::string>();
    if (ended.empty()) throw error;
    try {
      std::rethrow_exception(to_cpp(error));
    } catch (const Error& known) {
      throw Error(ended + ": " + known.what());
    }
  }

  // Python distributes the tasks of a map-style data set to its workers in turns.
  [[nodiscard]] bool takes_turns() const { return options_.in_order && batches_per_epoch_ >= 0; }

  // Finished batches of `worker` that are not taken yet, after `yielded` batches in total.
  [[nodiscard]] std::int64_t held_of(std::int64_t worker, std::int64_t yielded) const {
    const auto at = static_cast<std::size_t>(worker);
    const std::int64_t turns = (yielded + options_.num_workers - 1 - worker) / options_.num_workers;
    return records_.of(at).batches - at_epoch_.at(at) - turns;
  }

  [[nodiscard]] bool is_ready(std::int64_t depth) const {
    if (options_.num_workers == 0) return false;
    if (!takes_turns()) return depth > 0;
    return held_of(yielded_ % options_.num_workers, yielded_) > 0;
  }

  // Start of the part of [began, got], the wait for the batch before `yielded_`, in which another
  // batch was ready.
  [[nodiscard]] std::int64_t stalled_since(std::int64_t began, std::int64_t got) const {
    std::int64_t since = got;
    for (std::int64_t worker = 0; worker < options_.num_workers; ++worker) {
      if (held_of(worker, yielded_) <= 0) continue;
      since = std::min(since, records_.of(static_cast<std::size_t>(worker)).ended_ns);
    }
    return std::max(began, since);
  }

  void count(std::int64_t began, std::int64_t got, std::int64_t depth, bool is_there) {
    const std::int64_t ended = clock_.now_ns();
    metrics_.wait_ns.push_back(ended - began);
    metrics_.queue_depth.push_back(depth);
    metrics_.ready += is_there ? 1 : 0;
    metrics_.dispatch_ns += ended - got;
    const std::int64_t waited = got - began;
    if (options_.num_workers == 0) {
      metrics_.read_ns += waited;
      return;
    }
    (is_there ? metrics_.receive_ns : metrics_.blocked_ns) += waited;
    if (is_there) metrics_.transport_ns += waited;
    if (!is_there && depth > 0) {
      metrics_.stalled_ns += waited;
    } else if (!is_there && takes_turns()) {
      metrics_.stalled_ns += got - stalled_since(began, got);
    }
    metrics_.waiting_batches += is_there ? 0 : depth;
  }

  const loader::LoaderOptions options_;
  const Clock& clock_;
  GilWait& gil_;
  TensorBatches tensors_;
  OwnedPyObject loader_;
  OwnedPyObject iterator_;
  loader::RepeatedBatches repeated_;
  bool in_window_ = false;
  // The last batch: `for batch in loader` also keeps it until the next one arrives, which therefore
  // cannot reuse its memory.
  std::shared_ptr<void> held_;
  Records records_;
  std::int64_t batches_per_epoch_ = -1;
  std::int64_t yielded_ = 0;            // in this epoch, including failed ones
  std::int64_t before_epoch_ = 0;       // batches that workers had finished before this epoch
  std::vector<std::int64_t> at_epoch_;  // the same, per worker
  std::vector<WorkerCounts> at_reset_;
  std::int64_t reset_ns_ = 0;
  MemoryCounts memory_at_reset_;
  mutable loader::LoaderMetrics metrics_;
};

}  // namespace

std::unique_ptr<loader::Loader> make_python_loader(const PythonDataset& dataset,
                                                   const loader::LoaderOptions& options,
                                                   const WorkerContext& context, GilWait& gil,
                                                   const OwnedPyObject& stacks) {
  if (options.upload != nullptr) {
    throw ConfigError("transfer.placement",
                      "pin_thread needs the pin thread of an engine of ours, and Python's "
                      "DataLoader has one of its own; set placement: async");
  }
  return std::make_unique<PythonLoader>(dataset, options, context.clock, gil, stacks);
}

namespace py = pybind11;

py::dict options_for_python(const loader::LoaderOptions& options, const ResolvedCase& resolved) {
  py::dict given;
  for (const auto& [name, value] : resolved.options) given[py::str(name)] = value;
  return py::module_::import("stepbench_user_code.loader_options")
      .attr("loader_options")(given, options.rank, options.world);
}

}  // namespace stepbench::python
