// SPDX-License-Identifier: Apache-2.0
#include "workloads/transfer/torch_loader.h"

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/data/dataloader.h>
#include <torch/data/datasets/base.h>
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <memory>
#include <sstream>
#include <utility>

#include "harness/base/error.h"
#include "harness/workload.h"
#include "workloads/loader/batches.h"
#include "workloads/loader/engines.h"

namespace stepbench::transfer {
namespace {

// State shared by the loader's thread, torch's threads and the sampler.
struct Shared {
  Shared(const data::Dataset& data, const loader::LoaderOptions& given,
         loader::EpochOrder epoch_order, const Clock& time)
      : dataset(data),
        options(given),
        clock(time),
        memory(data.fields(), given.batch_size, given.reuse_buffers),
        order(data.size(), given, std::move(epoch_order)),
        finished(std::bit_ceil(
            static_cast<std::size_t>(given.prefetch_factor * given.num_workers + 1))) {}

  // No two batches that are in flight, or finished and not yielded, share a slot if delivered in
  // order.
  [[nodiscard]] std::atomic<std::int64_t>& place(std::int64_t batch) {
    return finished[static_cast<std::size_t>(batch) & (finished.size() - 1)];
  }

  const data::Dataset& dataset;
  const loader::LoaderOptions options;
  const Clock& clock;
  const loader::BatchMemory memory;
  std::atomic<int> workers = 0;        // workers that have read something
  std::atomic<std::int64_t> done = 0;  // batches finished in this epoch, yielded or not
  std::atomic<bool> stopping = false;

  // Used by the loader's thread only.
  loader::BatchOrder order;
  std::int64_t requested = 0;        // batches requested in this epoch
  bool abandoned = false;            // request no more in this epoch
  std::int64_t refill_began_ns = 0;  // last call of the sampler

  std::vector<std::atomic<std::int64_t>> finished;  // last batch finished in each slot
};

struct Request {
  std::int64_t batch = 0;
  loader::BatchSamples samples;
  [[nodiscard]] std::size_t size() const { return samples.indices.size(); }
};

struct Taken {
  Batch data;
  loader::BatchCost cost;
  int worker = 0;
  std::int64_t idle_ns = 0;  // worker's idle time before this batch
};

// Copied to each of torch's threads, which then creates its own reader.
class ReadingDataset final
    : public torch::data::datasets::BatchDataset<ReadingDataset, Taken, Request> {
 public:
  explicit ReadingDataset(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
  ReadingDataset(const ReadingDataset& other) : ReadingDataset(other.shared_) {}
  ReadingDataset& operator=(const ReadingDataset&) = delete;
  ~ReadingDataset() override = default;

  Taken get_batch(Request request) override {
    if (!reader_) start();
    Taken taken{.data = {}, .cost = {}, .worker = worker_};
    const std::int64_t began_ns = shared_->clock.now_ns();
    taken.idle_ns = began_ns - free_ns_;
    try {
      taken.data = reader_->read(request.samples, taken.cost, &shared_->stopping);
      taken.data.index = request.batch;
      finish(request.batch);
      return taken;
    } catch (const std::exception& error) {
      finish(request.batch);
      throw Error("loader worker " + std::to_string(worker_) + ": " + error.what());
    } catch (...) {
      finish(request.batch);
      throw Error("loader worker " + std::to_string(worker_) +
                  ": threw something that is not a std::exception");
    }
  }

  [[nodiscard]] std::optional<std::size_t> size() const override {
    return static_cast<std::size_t>(shared_->dataset.size());
  }

 private:
  void start() {
    worker_ = shared_->workers++;
    reader_ = std::make_unique<loader::BatchReader>(
        shared_->dataset, shared_->memory,
        loader::ReaderOptions{.seed = shared_->options.seed,
                              .worker = worker_,
                              .workers = shared_->options.num_workers},
        shared_->clock);
    free_ns_ = shared_->clock.now_ns();
  }
  void finish(std::int64_t batch) {
    free_ns_ = shared_->clock.now_ns();
    shared_->place(batch) = batch;
    ++shared_->done;
  }

  std::shared_ptr<Shared> shared_;
  std::unique_ptr<loader::BatchReader> reader_;
  int worker_ = 0;
  std::int64_t free_ns_ = 0;
};

// Called on the loader's thread only.
class OrderSampler {
 public:
  using BatchRequestType = Request;

  explicit OrderSampler(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

  void reset() {}  // done by begin_epoch()
  std::optional<Request> next(std::size_t /*batch_size*/) {
    shared_->refill_began_ns = shared_->clock.now_ns();
    if (shared_->abandoned) return std::nullopt;
    std::optional<loader::BatchSamples> samples = shared_->order.next();
    if (!samples) return std::nullopt;
    return Request{.batch = shared_->requested++, .samples = std::move(*samples)};
  }

 private:
  std::shared_ptr<Shared> shared_;
};

class TorchCppLoader final : public loader::Loader {
 public:
  TorchCppLoader(const data::Dataset& dataset, const loader::LoaderOptions& options,
                 loader::EpochOrder order, const Clock& clock)
      : shared_(std::make_shared<Shared>(dataset, options, std::move(order), clock)) {
    auto given = torch::data::DataLoaderOptions(static_cast<std::size_t>(options.batch_size))
                     .workers(static_cast<std::size_t>(options.num_workers))
                     .max_jobs(static_cast<std::size_t>(max_jobs()))
                     .enforce_ordering(options.in_order)
                     .drop_last(options.drop_last);
    if (options.timeout_s > 0) {
      const auto ms = static_cast<std::int64_t>(std::ceil(options.timeout_s * 1000));
      given.timeout(std::chrono::milliseconds(ms));
    }
    loader_ = torch::data::make_data_loader(ReadingDataset(shared_), OrderSampler(shared_), given);
    reset_metrics();
  }

  ~TorchCppLoader() override {
    shared_->stopping = true;  // torch waits for the jobs in flight, which then abort
    at_.reset();
    loader_.reset();
  }

  void begin_epoch(std::int64_t epoch) override {
    const std::int64_t began = now();
    abandon();
    shared_->order.begin(epoch);
    shared_->requested = 0;
    shared_->abandoned = false;
    shared_->done = 0;
    for (auto& batch : shared_->finished) batch = -1;
    yielded_ = 0;
    started_ = false;
    at_ = std::make_unique<Iterator>(loader_->begin());
    ++metrics_.epochs;
    metrics_.epoch_begin_ns += now() - began;
  }

  [[nodiscard]] std::optional<Batch> next() override {
    const std::int64_t began = now();
    const std::int64_t depth = *ready();
    const bool is_there = is_ready(depth);
    try {
      if (!advance()) {
        metrics_.lost_samples += lost_samples();
        at_.reset();
        metrics_.epoch_end_ns += now() - began;
        return std::nullopt;
      }
    } catch (const torch::data::WorkerException& error) {
      count(began, depth, is_there);
      ++yielded_;
      std::rethrow_exception(error.original_exception);
    } catch (const c10::Error& error) {  // a timeout of its queue, or an internal error
      count(began, depth, is_there);
      if (shared_->options.timeout_s > 0) throw timed_out();
      throw Error(error.what_without_backtrace());
    }
    Taken taken = std::move(**at_);
    ++yielded_;
    account(taken);
    count(began, depth, is_there);
    metrics_.count(taken.data);
    return std::move(taken.data);
  }

  [[nodiscard]] std::int64_t batches_per_epoch() const override {
    return loader::epoch_batches(shared_->dataset.size(), shared_->options);
  }
  [[nodiscard]] std::optional<std::int64_t> ready() const override {
    return shared_->done - yielded_;
  }
  [[nodiscard]] const loader::LoaderMetrics& metrics() const override { return metrics_; }
  void reset_metrics() override {
    metrics_ = {};
    const std::int64_t readers = std::max<std::int64_t>(1, shared_->options.num_workers);
    metrics_.workers.resize(static_cast<std::size_t>(readers));
    metrics_.records_blocked = false;
  }

 private:
  using TorchLoader = torch::data::StatelessDataLoader<ReadingDataset, OrderSampler>;
  using Iterator = torch::data::Iterator<Taken>;

  [[nodiscard]] std::int64_t now() const { return shared_->clock.now_ns(); }
  [[nodiscard]] std::int64_t max_jobs() const {
    return shared_->options.prefetch_factor * shared_->options.num_workers;
  }
  [[nodiscard]] bool is_ready(std::int64_t depth) const {
    if (!shared_->options.in_order) return depth > 0;
    return shared_->place(yielded_) == yielded_;
  }

  // Advances to the next batch; false at the end. The first batch is fetched by the comparison, and
  // after an exception by another comparison.
  [[nodiscard]] bool advance() {
    if (!at_) return false;
    if (started_) ++*at_;
    const bool more = *at_ != loader_->end();
    started_ = true;
    return more;
  }

  // torch begins no epoch while jobs are in flight: sends no more and waits for those.
  void abandon() {
    shared_->abandoned = true;
    while (at_) {
      try {
        if (!advance()) at_.reset();
      } catch (const torch::data::WorkerException&) {
      } catch (const c10::Error&) {  // timeout: the job is still in flight
      }
    }
  }

  // In this epoch; joined epochs have no end to count from.
  [[nodiscard]] std::int64_t lost_samples() const {
    std::int64_t lost = 0;
    if (shared_->order.batches() == loader::kEndless) return lost;
    while (const auto batch = shared_->order.next()) {
      lost += static_cast<std::int64_t>(batch->indices.size());
    }
    return lost;
  }

  [[nodiscard]] Error timed_out() const {
    std::ostringstream seconds;
    seconds << shared_->options.timeout_s;
    return Error("the loader timed out after " + seconds.str() + " seconds (loader.timeout_s)");
  }

  void account(const Taken& taken) {
    metrics_.fetch_ns += taken.cost.fetch_ns;
    metrics_.decode_ns += taken.cost.decode_ns;
    metrics_.collate_ns += taken.cost.collate_ns();
    metrics_.skipped_samples += taken.cost.skipped;
    loader::LoaderMetrics::Worker& worker =
        metrics_.workers.at(static_cast<std::size_t>(taken.worker));
    worker.busy_ns += taken.cost.total_ns();
    worker.idle_ns += taken.idle_ns;
  }

  void count(std::int64_t began, std::int64_t depth, bool ready) {
    const std::int64_t ended = now();
    // torch takes the batch and then, unless it is an error, sends the next job.
    const std::int64_t taken = shared_->refill_began_ns > began ? shared_->refill_began_ns : ended;
    metrics_.wait_ns.push_back(ended - began);
    metrics_.queue_depth.push_back(depth);
    metrics_.ready += ready ? 1 : 0;
    metrics_.dispatch_ns += ended - taken;
    (ready ? metrics_.receive_ns : metrics_.blocked_ns) += taken - began;
    if (ready) metrics_.transport_ns += taken - began;
    if (!ready && depth > 0) metrics_.stalled_ns += taken - began;
    metrics_.waiting_batches += ready ? 0 : depth;
  }

  std::shared_ptr<Shared> shared_;
  std::unique_ptr<TorchLoader> loader_;
  std::unique_ptr<Iterator> at_;  // null between epochs
  bool started_ = false;
  std::int64_t yielded_ = 0;  // in this epoch, including failed ones
  loader::LoaderMetrics metrics_;
};

}  // namespace

std::unique_ptr<loader::Loader> make_torch_cpp_loader(const data::Dataset& dataset,
                                                      const loader::LoaderOptions& options,
                                                      loader::EpochOrder order,
                                                      const Clock& clock) {
  if (dataset.size() < 0) {
    throw ConfigError("loader.engine",
                      "torch_cpp needs a data set of known size; use engine: thread");
  }
  return std::make_unique<TorchCppLoader>(dataset, options, std::move(order), clock);
}

const std::vector<loader::Engine>& torch_engines() {
  static const std::vector<loader::Engine> all = [] {
    std::vector<loader::Engine> table = loader::engines();
    for (loader::Engine& engine : table) {
      if (engine.variant.name != loader::torch_cpp_engine().variant.name) continue;
      engine.make = [](const data::Dataset& dataset, const loader::LoaderOptions& options,
                       loader::EpochOrder order, const WorkerContext& context) {
        return make_torch_cpp_loader(dataset, options, std::move(order), context.clock);
      };
    }
    return table;
  }();
  return all;
}

namespace {

class TorchPinnedMemory final : public loader::PinnedMemory {
 public:
  explicit TorchPinnedMemory(c10::Device device) : device_(device) {}

  void enter_thread() override { c10::impl::VirtualGuardImpl(device_.type()).setDevice(device_); }
  std::shared_ptr<void> allocate(std::size_t bytes) override {
    auto piece = std::make_shared<c10::DataPtr>(
        at::globalContext().getPinnedMemoryAllocator(device_.type())->allocate(bytes));
    return {piece, piece->get()};
  }

 private:
  c10::Device device_;
};

}  // namespace

std::unique_ptr<loader::PinnedMemory> pinned_memory(c10::Device device) {
  if (!device.is_cuda()) return nullptr;
  return std::make_unique<TorchPinnedMemory>(device);
}

}  // namespace stepbench::transfer
