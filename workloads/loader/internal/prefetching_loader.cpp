// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/prefetching_loader.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <sstream>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "workloads/loader/batches.h"

namespace stepbench::loader {

void WorkerPool::try_receive_all(std::vector<LoaderResult>& into) {
  if (std::optional<LoaderResult> result = try_receive()) into.push_back(std::move(*result));
}

void WorkerPool::receive_all(std::vector<LoaderResult>& into, std::chrono::nanoseconds limit) {
  if (std::optional<LoaderResult> result = receive(limit)) into.push_back(std::move(*result));
}

std::string current_error_text() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "threw something that is not a std::exception";
  }
}

std::exception_ptr worker_error(int worker, const std::string& what) {
  return std::make_exception_ptr(Error(formatted("loader worker {}: {}", worker, what)));
}

PrefetchingLoader::PrefetchingLoader(std::int64_t samples, const LoaderOptions& options,
                                     EpochOrder order, StartWorkers start, const Clock& clock)
    : samples_(samples),
      options_(options),
      order_(samples, options, std::move(order)),
      start_(std::move(start)),
      clock_(clock),
      dispatcher_(static_cast<int>(options.num_workers), options.prefetch_factor, options.in_order),
      received_(
          std::bit_ceil(static_cast<std::size_t>(dispatcher_.capacity() + options.num_workers))),
      ended_(static_cast<std::size_t>(options.num_workers)) {
  reset_metrics();
}

void PrefetchingLoader::begin_epoch(std::int64_t epoch) {
  const std::int64_t began = clock_.now_ns();
  if (!options_.persistent_workers) pool_.reset();
  if (pool_) {
    pool_->drain();  // persistent workers first finish the tasks of an abandoned epoch
  } else {
    pool_ = start_();
  }
  for (LoaderResult& left : received_) left = {};
  arrived_.clear();
  accepted_ = 0;
  std::fill(ended_.begin(), ended_.end(), false);
  order_.begin(epoch);
  dispatcher_.begin_epoch(order_.batches());
  for (std::int64_t i = 0; i < dispatcher_.capacity(); ++i) send_next();
  ++metrics_.epochs;
  metrics_.epoch_begin_ns += clock_.now_ns() - began;
}

std::optional<Batch> PrefetchingLoader::next() {
  const std::int64_t began = clock_.now_ns();
  const std::int64_t waiting_batches = dispatcher_.stashed();
  const std::int64_t depth = *ready();
  Wait wait{.seen_ns = began};
  for (;;) {
    const Dispatcher::State state = dispatcher_.state();
    if (state == Dispatcher::State::kEnd) {
      if (!options_.persistent_workers) pool_.reset();
      metrics_.epoch_end_ns += clock_.now_ns() - began;
      return std::nullopt;
    }
    if (state == Dispatcher::State::kYield) break;
    if (left_over() == 0) receive(wait);
    accept_result(arrived_[accepted_++]);
  }
  LoaderResult& result = slot(dispatcher_.yield().index);
  Batch batch = std::move(result.data);
  const std::exception_ptr error = std::exchange(result.error, nullptr);
  send_next();  // the refill happens inside next(), before it returns
  const std::int64_t wait_ns = clock_.now_ns() - began;
  metrics_.wait_ns.push_back(wait_ns);
  metrics_.queue_depth.push_back(depth);
  metrics_.waiting_batches += waiting_batches;
  metrics_.stalled_ns += wait.stalled_ns;
  metrics_.ready += wait.blocked_ns == 0 ? 1 : 0;
  metrics_.blocked_ns += wait.blocked_ns;
  metrics_.receive_ns += wait.receive_ns;
  metrics_.transport_ns += wait.receive_ns;
  metrics_.dispatch_ns += wait_ns - wait.blocked_ns - wait.receive_ns;
  if (error) std::rethrow_exception(error);
  metrics_.count(batch);
  return batch;
}

// Refills arrived_, which is used up.
void PrefetchingLoader::receive(Wait& wait) {
  arrived_.clear();
  accepted_ = 0;
  const std::int64_t began_ns = wait.seen_ns;
  if (pool_->results() > 0) {
    pool_->try_receive_all(arrived_);
    if (!arrived_.empty()) {
      wait.seen_ns = clock_.now_ns();
      wait.receive_ns += wait.seen_ns - began_ns;
      return;
    }
  }
  const bool others_finished = dispatcher_.stashed() > 0;
  const auto limit = std::chrono::nanoseconds(std::llround(options_.timeout_s * 1e9));
  pool_->receive_all(arrived_, limit);
  wait.seen_ns = clock_.now_ns();
  std::int64_t take_over_ns = 0;
  for (const LoaderResult& result : arrived_) take_over_ns += result.take_over_ns;
  const std::int64_t blocked_ns = wait.seen_ns - began_ns - take_over_ns;
  wait.blocked_ns += blocked_ns;
  wait.receive_ns += take_over_ns;
  if (others_finished) wait.stalled_ns += blocked_ns;
  if (!arrived_.empty()) return;
  std::ostringstream seconds;
  seconds << options_.timeout_s;
  throw Error(formatted("the loader timed out after {} seconds (loader.timeout_s)", seconds.str()));
}

void PrefetchingLoader::accept_result(LoaderResult& result) {
  account(result);
  if (is_end(result)) return end_worker(result.worker);
  const std::int64_t batch = result.batch;
  slot(batch) = std::move(result);
  dispatcher_.received(batch);
}

void PrefetchingLoader::account(const LoaderResult& result) {
  metrics_.fetch_ns += result.cost.fetch_ns;
  metrics_.decode_ns += result.cost.decode_ns;
  metrics_.collate_ns += result.cost.collate_ns();
  metrics_.pin_ns += result.pin_ns;
  metrics_.upload_ns += result.upload_ns;
  metrics_.transport_ns += result.blocked_ns;
  metrics_.skipped_samples += result.cost.skipped;
  LoaderMetrics::Worker& worker = metrics_.workers[static_cast<std::size_t>(result.worker)];
  worker.busy_ns += result.cost.total_ns();
  worker.idle_ns += result.idle_ns;
  worker.blocked_ns += result.blocked_ns;
  const double busy_us = static_cast<double>(result.cost.total_ns()) * 1e-3;
  metrics_.busy_us_squared += busy_us * busy_us;
  if (worker.cores.empty()) worker.cores = pool_->cores(result.worker);
  if (worker_span_listener == nullptr || result.cost.total_ns() <= 0) return;
  worker_span_listener->batch(pool_->process(result.worker), result.worker, result.cost);
}

void PrefetchingLoader::end_worker(int worker) {
  const auto index = static_cast<std::size_t>(worker);
  if (ended_[index]) return;  // a further task that was already in its queue
  ended_[index] = true;
  dispatcher_.ended(worker);
  send_next();
}

void PrefetchingLoader::send_next() {
  const std::optional<Dispatcher::Task> task = dispatcher_.dispatch();
  if (!task) return;
  pool_->send(task->worker, {.batch = task->index, .samples = *order_.next()});
}

std::optional<std::int64_t> PrefetchingLoader::ready() const {
  return dispatcher_.stashed() + left_over() + (pool_ ? pool_->results() : 0);
}

std::vector<WorkerThread> PrefetchingLoader::worker_threads() const {
  std::vector<WorkerThread> known;
  for (int worker = 0; pool_ && worker < options_.num_workers; ++worker) {
    if (const auto thread = pool_->thread(worker)) known.push_back(*thread);
  }
  return known;
}

std::int64_t PrefetchingLoader::batches_per_epoch() const {
  return epoch_batches(samples_, options_);
}

void PrefetchingLoader::reset_metrics() {
  metrics_ = {};
  metrics_.workers.resize(static_cast<std::size_t>(options_.num_workers));
}

Dispatcher::Dispatcher(int workers, std::int64_t prefetch_factor, bool in_order)
    : capacity_(prefetch_factor * workers),
      in_order_(in_order),
      workers_(static_cast<std::size_t>(workers)) {
  assert(workers >= 1 && prefetch_factor >= 1);
}

void Dispatcher::begin_epoch(std::int64_t tasks) {
  std::ranges::fill(workers_, Worker{});
  turn_ = 0;
  tasks_ = tasks;
  drawn_ = next_send_ = next_yield_ = 0;
  infos_.clear();
  given_.reset();
  outstanding_ = stashed_ = 0;
}

std::optional<Dispatcher::Task> Dispatcher::dispatch() {
  assert(outstanding_ < capacity_);
  if (drawn_ >= tasks_) return std::nullopt;
  ++drawn_;
  const std::int64_t alive = in_order_ ? 1 : std::ranges::count(workers_, true, &Worker::alive);
  for (std::size_t tried = 0; tried < workers_.size(); ++tried) {
    const std::size_t candidate = turn_;
    if (++turn_ == workers_.size()) turn_ = 0;
    Worker& worker = workers_[candidate];
    if (!worker.alive || (!in_order_ && worker.load >= capacity_ / alive)) continue;
    ++worker.load;
    ++outstanding_;
    infos_.push_back({.worker = static_cast<int>(candidate)});
    return Task{.index = next_send_++, .worker = static_cast<int>(candidate)};
  }
  return std::nullopt;
}

Dispatcher::State Dispatcher::state() {
  if (given_) return State::kYield;
  while (next_yield_ < next_send_) {
    const Info& next = infos_.front();
    if (next.batch_state == BatchState::kStashed) return State::kYield;
    if (next.batch_state == BatchState::kSent &&
        workers_[static_cast<std::size_t>(next.worker)].alive)
      return State::kReceive;
    infos_.pop_front();
    ++next_yield_;
  }
  return State::kEnd;
}

void Dispatcher::received(std::int64_t index) {
  assert(!given_ && index >= next_yield_ && index < next_send_ &&
         info(index).batch_state == BatchState::kSent);
  --outstanding_;
  ++stashed_;
  info(index).batch_state = BatchState::kStashed;
  if (!in_order_) given_ = index;
}

void Dispatcher::ended(int worker) {
  --outstanding_;
  workers_[static_cast<std::size_t>(worker)].alive = false;
}

Dispatcher::Task Dispatcher::yield() {
  const std::int64_t index = given_.value_or(next_yield_);
  given_.reset();
  Info& taken = info(index);
  assert(taken.batch_state == BatchState::kStashed);
  taken.batch_state = BatchState::kYielded;
  --stashed_;
  --workers_[static_cast<std::size_t>(taken.worker)].load;
  const Task task{.index = index, .worker = taken.worker};
  if (index == next_yield_) {
    infos_.pop_front();
    ++next_yield_;
  }
  return task;
}

}  // namespace stepbench::loader
