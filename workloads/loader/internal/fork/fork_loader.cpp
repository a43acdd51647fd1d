// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/fork/fork_loader.h"

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/workload.h"
#include "workloads/loader/internal/fork/fork_worker.h"
#include "workloads/loader/internal/fork/shared_memory.h"
#include "workloads/loader/internal/pinning_pool.h"
#include "workloads/loader/internal/prefetching_loader.h"
#include "workloads/loader/internal/worker_cpus.h"

namespace stepbench::loader {
namespace {

std::int64_t batches_alive(const LoaderOptions& options) {
  return options.prefetch_factor * options.num_workers + kBatchesHeld +
         (options.pin_memory ? 1 : 0);
}

std::shared_ptr<BatchRing> make_ring(const BatchLayout& layout, const LoaderOptions& options) {
  const auto slots = static_cast<int>(batches_alive(options));
  const std::size_t bytes = static_cast<std::size_t>(slots) * whole_pages(layout.bytes());
  const auto free_pages = static_cast<std::size_t>(::sysconf(_SC_AVPHYS_PAGES));
  const std::string needs =
      formatted("shm_ring needs {} ({} slots of {})", in_mib(bytes), slots, in_mib(layout.bytes()));
  if (bytes / whole_pages(1) > static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES))) {
    throw ConfigError("loader.transport", needs + ", more than this machine's memory");
  }
  try {
    return BatchRing::make(layout.bytes(), slots);
  } catch (const std::bad_alloc&) {
    throw ConfigError("loader.transport", formatted("{}; {} of memory are free", needs,
                                                    in_mib(free_pages * whole_pages(1))));
  }
}

void check_fork(ResolvedCase& resolved, const RuleFacts&, RuleSink& sink) {
  // The transport decides where batches are stored.
  resolved.options["loader.buffers"] = Value{};
  if (resolved.has("loader.transport") && resolved.text("loader.transport") == "torch_fd") {
    sink.note(
        "transport torch_fd makes PyTorch's system calls without Python's pickling and "
        "connections: a lower bound of what Python pays");
  }
}

}  // namespace

std::size_t segment_bytes_needed(const data::Dataset& dataset, const LoaderOptions& options) {
  std::size_t batch = 0;
  for (const FieldSpec& field : dataset.fields()) {
    batch += whole_pages(field.bytes() * static_cast<std::size_t>(options.batch_size));
  }
  return batch * static_cast<std::size_t>(batches_alive(options) + options.num_workers);
}

void require_shared_memory(std::size_t needed, std::size_t there) {
  if (needed <= there) return;
  throw ConfigError(
      "loader.transport",
      formatted("torch_fd may take {} of /dev/shm at once and {} are free: lower prefetch_factor "
                "or num_workers, enlarge /dev/shm, or use shm_ring, which needs none",
                in_mib(needed), in_mib(there)));
}

std::unique_ptr<Loader> make_fork_loader(const data::Dataset& dataset, const LoaderOptions& options,
                                         EpochOrder order, const Clock& clock,
                                         const std::string& segment_prefix) {
  auto layout = std::make_shared<const BatchLayout>(dataset.fields(), options.batch_size);
  std::shared_ptr<BatchRing> ring;
  if (options.transport == Transport::kShmRing) {
    ring = make_ring(*layout, options);
  } else {
    require_shared_memory(segment_bytes_needed(dataset, options), shared_memory_free());
  }
  const ForkedWorkers forked{
      .cores = worker_cores(options.affinity, static_cast<int>(options.num_workers),
                            cores_of_this_process()),
      .segment_prefix =
          segment_prefix.empty() ? formatted("/stepbench-{}-", ::getpid()) : segment_prefix};
  return std::make_unique<PrefetchingLoader>(
      dataset.size(), options, std::move(order),
      [&dataset, &clock, layout, ring, options, forked]() -> std::unique_ptr<WorkerPool> {
        auto processes = std::make_unique<ForkPool>(dataset, *layout, ring, options, forked, clock);
        if (options.pinned == nullptr) return processes;
        return std::make_unique<PinningPool>(std::move(processes), *options.pinned, options.upload,
                                             clock);
      },
      clock);
}

Engine fork_engine() {
  return {.variant = {.name = "fork",
                      .doc = "Worker processes with the dispatch rules of Python's DataLoader, and "
                             "memory shared between them."},
          .forks = true,
          .check = check_fork,
          .make = [](const data::Dataset& dataset, const LoaderOptions& options, EpochOrder order,
                     const WorkerContext& context) {
            return make_fork_loader(dataset, options, std::move(order), context.clock,
                                    context.shared_memory_prefix);
          }};
}

namespace {

constexpr auto kForever = std::chrono::nanoseconds::max();

}  // namespace

ForkPool::ForkPool(const data::Dataset& dataset, const BatchLayout& layout,
                   std::shared_ptr<BatchRing> ring, const LoaderOptions& options,
                   ForkedWorkers forked, const Clock& clock)
    : layout_(layout),
      ring_(std::move(ring)),
      options_(options),
      forked_(std::move(forked)),
      clock_(clock),
      board_(static_cast<int>(options.num_workers * options.prefetch_factor), layout.batch_size()),
      interruption_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  const auto tasks = static_cast<int>(options_.num_workers * options_.prefetch_factor);
  for (int task = tasks; task-- > 0;) free_tasks_.push_back(task);
  memory_.resize(static_cast<std::size_t>(tasks));
  workers_.reserve(static_cast<std::size_t>(options_.num_workers));
  try {
    while (workers_.size() < static_cast<std::size_t>(options_.num_workers)) {
      start_worker(dataset, clock);
    }
  } catch (const std::system_error& error) {
    const std::size_t started = workers_.size();
    stop();
    throw ConfigError("loader.num_workers",
                      formatted("the system gave {} of {} worker processes: {}", started,
                                options_.num_workers, error.what()));
  }
  for (const Worker& worker : workers_) {
    polled_.push_back({.fd = worker.socket.value(), .events = POLLIN, .revents = 0});
  }
  for (const Worker& worker : workers_) {
    polled_.push_back({.fd = worker.process.descriptor(), .events = POLLIN, .revents = 0});
  }
  polled_.push_back({.fd = interruption_.value(), .events = POLLIN, .revents = 0});
}

void ForkPool::start_worker(const data::Dataset& dataset, const Clock& clock) {
  const auto number = static_cast<int>(workers_.size());
  MessageSockets sockets;
  const int socket = sockets.worker.value();
  const auto live = [&] {
    work({.number = number,
          .socket = socket,
          .dataset = dataset,
          .layout = layout_,
          .board = board_,
          .ring = ring_.get(),
          .segment_name = segment_name(number, ::getpid()),
          .reader = reader_options(options_, number, options_.num_workers),
          .threads = options_.threads_per_worker,
          .core = forked_.cores.empty() ? -1 : forked_.cores[workers_.size()],
          .clock = clock});
  };
  workers_.push_back(
      {.socket = std::move(sockets.consumer), .process = ChildProcess::start(socket, live)});
}

ForkPool::~ForkPool() { stop(); }

void ForkPool::stop() noexcept {
  board_.stopping() = true;
  for (Worker& worker : workers_) worker.socket.close();
  const std::int64_t deadline_ns = HostClock().now_ns() + options_.patience.count();
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const std::int64_t left_ns = std::max<std::int64_t>(deadline_ns - HostClock().now_ns(), 0);
    (void)workers_[i].process.ended_within(std::chrono::nanoseconds(left_ns));
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    names.push_back(segment_name(static_cast<int>(i), workers_[i].process.pid()));
  }
  workers_.clear();  // kills and reaps the remaining workers
  if (ring_) return;
  for (const std::string& name : names) ::shm_unlink(name.c_str());
}

std::string ForkPool::segment_name(int worker, pid_t pid) const {
  return formatted("{}{}-{}", forked_.segment_prefix, pid, worker);
}

void ForkPool::send(int worker, const LoaderTask& task) {
  const std::lock_guard lock(mutex_);
  TaskMessage message{.batch = task.batch,
                      .samples = static_cast<std::int64_t>(task.samples.indices.size()),
                      .epoch = task.samples.epoch,
                      .left = task.samples.left,
                      .pass = task.samples.pass,
                      .stream = stream_,
                      .task = free_tasks_.back()};
  free_tasks_.pop_back();
  std::ranges::copy(task.samples.indices, board_.samples(message.task, message.samples).begin());
  waiting_.push_back({.worker = worker, .task = message});
  send_ready_tasks();
}

void ForkPool::send_ready_tasks() {
  while (!waiting_.empty()) {
    TaskMessage& task = waiting_.front().task;
    if (ring_) {
      std::optional<BatchRing::Slot> slot = ring_->take();
      if (!slot) break;
      task.slot = slot->number;
      memory_[static_cast<std::size_t>(task.task)] = std::move(slot->owner);
    }
    ++at_workers_;
    pass_on(workers_[static_cast<std::size_t>(waiting_.front().worker)], task);
    waiting_.pop_front();
  }
  for (Worker& worker : workers_) {
    while (!worker.backlog.empty() && try_send(worker.socket.value(), worker.backlog.front())) {
      worker.backlog.pop_front();
    }
  }
}

void ForkPool::pass_on(Worker& worker, const TaskMessage& task) {
  if (!worker.backlog.empty() || !try_send(worker.socket.value(), task)) {
    worker.backlog.push_back(task);
  }
}

std::int64_t ForkPool::results() const {
  return std::max<std::int64_t>(board_.sent() - received_, 0);
}

std::optional<LoaderResult> ForkPool::try_receive() {
  collect(std::chrono::nanoseconds(0));
  return first_result();
}

std::optional<LoaderResult> ForkPool::receive(std::chrono::nanoseconds limit) {
  const std::int64_t began_ns = HostClock().now_ns();
  while (arrived_.empty()) {
    auto left = kForever;
    if (limit.count() > 0) {
      left = limit - std::chrono::nanoseconds(HostClock().now_ns() - began_ns);
      if (left.count() <= 0) return std::nullopt;
    }
    collect(left);
    if (std::exchange(interrupted_, false)) return std::nullopt;
  }
  return first_result();
}

void ForkPool::interrupt() { (void)::eventfd_write(interruption_.value(), 1); }

void ForkPool::collect(std::chrono::nanoseconds limit) {
  {
    const std::lock_guard lock(mutex_);
    send_ready_tasks();
    if (limit.count() > 0 && at_workers_ == 0 && !waiting_.empty()) {
      throw Error(
          formatted("all {} slots of the ring (loader.transport: shm_ring) are held by the "
                    "consumer: it must let go of a batch before it asks for another",
                    ring_->slots()));
    }
  }
  timespec wait{};
  const bool forever = limit == kForever;
  if (!forever) {
    wait.tv_sec = limit.count() / 1'000'000'000;
    wait.tv_nsec = limit.count() % 1'000'000'000;
  }
  if (::ppoll(polled_.data(), polled_.size(), forever ? nullptr : &wait, nullptr) <= 0) return;
  if (polled_.back().revents != 0) {
    eventfd_t times = 0;
    (void)::eventfd_read(interruption_.value(), &times);
    interrupted_ = true;
  }
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (polled_[i].revents != 0) take_results(i);
  }
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (polled_[workers_.size() + i].revents == 0) continue;
    const ChildProcess& process = workers_[i].process;
    throw Error(formatted("loader worker {} (pid {}) {}", i, process.pid(), process.ending()));
  }
}

void ForkPool::take_results(std::size_t worker) {
  const int socket = workers_[worker].socket.value();
  while (std::optional<ReceivedResult> result = try_receive_result(socket)) {
    Arrived arrived{.worker = static_cast<int>(worker), .result = std::move(*result), .memory = {}};
    const std::int64_t ticket = arrived.result.message.ticket;
    {
      const std::lock_guard lock(mutex_);
      const std::int32_t task = arrived.result.message.task;
      arrived.memory = std::move(memory_[static_cast<std::size_t>(task)]);
      free_tasks_.push_back(task);
      --at_workers_;
    }
    const auto place = std::ranges::find_if(
        arrived_, [ticket](const Arrived& other) { return other.result.message.ticket > ticket; });
    arrived_.insert(place, std::move(arrived));
  }
  // Stop polling a dead worker's socket, which stays readable; its pidfd reports the death.
  if ((polled_[worker].revents & POLLHUP) != 0) polled_[worker].fd = -1;
}

std::optional<LoaderResult> ForkPool::first_result() {
  if (arrived_.empty()) return std::nullopt;
  Arrived arrived = std::move(arrived_.front());
  arrived_.pop_front();
  ++received_;
  const std::int64_t began_ns = clock_.now_ns();
  const ResultMessage& message = arrived.result.message;
  LoaderResult result{.batch = message.batch,
                      .worker = arrived.worker,
                      .data = {},
                      .error = {},
                      .cost = message.cost,
                      .idle_ns = message.idle_ns,
                      .blocked_ns = message.blocked_ns};
  if (message.failed) {
    result.error = worker_error(arrived.worker, arrived.result.error);
  } else if (ring_) {
    auto* memory = static_cast<std::byte*>(arrived.memory.get());
    result.data = place(memory, message, std::move(arrived.memory));
  } else {
    try {
      result.data = map_segments(arrived.result);
    } catch (...) {
      result.error = worker_error(arrived.worker, current_error_text());
    }
  }
  result.data.index = message.batch;
  result.take_over_ns = clock_.now_ns() - began_ns;
  return result;
}

Batch ForkPool::map_segments(ReceivedResult& received) const {
  if (received.descriptors_lost) {
    throw Error(
        "this process may open no more files, so the segments of a batch were lost: raise the "
        "limit (ulimit -n) or use loader.transport: shm_ring");
  }
  auto segments = std::make_shared<std::vector<SharedSegment>>();
  Batch batch = place(nullptr, received.message, segments);
  std::size_t next = 0;
  for (BatchField& field : batch.fields) {
    const std::size_t bytes = field.spec->bytes() * static_cast<std::size_t>(batch.size);
    field.data = nullptr;
    if (bytes == 0) continue;
    segments->push_back(SharedSegment::map(std::move(received.segments.at(next++)), bytes));
    field.data = segments->back().data();
  }
  return batch;
}

Batch ForkPool::place(std::byte* memory, const ResultMessage& message,
                      std::shared_ptr<void> owner) const {
  Batch batch = layout_.place(memory, message.samples, std::move(owner));
  if (message.length == 0) return batch;
  set_length(batch, message.length);
  batch.padding = message.padding;
  return batch;
}

void ForkPool::drain() {
  {
    const std::lock_guard lock(mutex_);
    for (const Waiting& task : waiting_) free_tasks_.push_back(task.task.task);
    waiting_.clear();
    ++stream_;
  }
  const auto has_running_workers = [this] {
    const std::lock_guard lock(mutex_);
    return at_workers_ > 0;
  };
  const auto drop = [this] {
    received_ += static_cast<std::int64_t>(arrived_.size());
    arrived_.clear();
  };
  drop();
  while (has_running_workers()) {
    collect(kForever);
    drop();
  }
}

}  // namespace stepbench::loader
