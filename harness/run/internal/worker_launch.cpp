// SPDX-License-Identifier: Apache-2.0
#include "harness/run/internal/worker_launch.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "harness/base/format.h"
#include "harness/machine/processes.h"
#include "harness/machine/sampler.h"
#include "harness/os/process.h"
#include "harness/run/internal/launch_limits.h"
#include "harness/run/internal/worker_output.h"
#include "harness/run/internal/worker_process.h"
#include "harness/run/internal/worker_session.h"
#include "harness/run/internal/worker_watch.h"
#include "harness/text/numbers.h"

namespace stepbench::run {
namespace {

constexpr std::int64_t kTurnNs = 10'000'000;  // each thread is busy for its share of each turn
constexpr int kRoundsBetweenLooks = 2000;     // takes some microseconds

std::int64_t own_cpu_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * kNsPerS + time.tv_nsec;
}

void compute() {
  volatile double value = 1;
  for (int i = 0; i < kRoundsBetweenLooks; ++i) value = value * 0.999 + 1;
}

// Work missed in one turn on a busy machine is not made up for in later turns.
void burn_cpu(const std::stop_token& stop, double share, const Clock& clock,
              std::atomic<std::int64_t>& cpu_ns) {
  const auto busy_ns = static_cast<std::int64_t>(share * static_cast<double>(kTurnNs));
  std::int64_t turn_ns = clock.now_ns();
  while (!stop.stop_requested()) {
    const std::int64_t until_ns = own_cpu_ns() + busy_ns;
    while ((cpu_ns = own_cpu_ns()) < until_ns && !stop.stop_requested()) compute();
    turn_ns = std::max(turn_ns + kTurnNs, clock.now_ns());
    if (share < 1) std::this_thread::sleep_for(std::chrono::nanoseconds{turn_ns - clock.now_ns()});
  }
}

}  // namespace

BackgroundLoad::BackgroundLoad(double cpus, const Clock& clock)
    : clock_(clock), begin_ns_(clock.now_ns()) {
  // Keeps signals on the main thread.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  for (; cpus > 0; cpus -= 1) {
    threads_.emplace_back(burn_cpu, std::min(cpus, 1.0), std::cref(clock_),
                          std::ref(cpu_ns_.emplace_back(0)));
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Requests all stops before the first join.
BackgroundLoad::~BackgroundLoad() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

Fields BackgroundLoad::facts() const {
  if (threads_.empty()) return {};
  double used_ns = 0;
  for (const auto& cpu_ns : cpu_ns_) used_ns += static_cast<double>(cpu_ns.load());
  const std::int64_t wall_ns = std::max<std::int64_t>(clock_.now_ns() - begin_ns_, 1);
  return {{"background_cpus", used_ns / static_cast<double>(wall_ns)}};
}

namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;
constexpr std::int64_t kLongestTurnNs = 3 * kNsPerS;  // the loop wakes at least once a second
constexpr int kReadsPerTurn = 16;  // so that a flood of output does not delay limits and interrupts

class LaunchLoop {
 public:
  LaunchLoop(const LaunchRequest& request, const LaunchContext& context)
      : limits_(request.limits),
        context_(context),
        clock_(context.clock),
        unsent_(protocol::encode(request.message) + "\n"),
        begin_ns_(clock_.now_ns()),
        monitor_(request.limits, request.rules, begin_ns_),
        turned_ns_(begin_ns_),
        worker_(spawn_worker(request.spawn)),
        watch_(context.root, worker_.pid, worker_.pid, device_of(request.message.resolved),
               request.spawn.environment, context.devices, clock_) {}

  LaunchLoop(const LaunchLoop&) = delete;
  LaunchLoop& operator=(const LaunchLoop&) = delete;
  ~LaunchLoop() {
    if (!reaped_) static_cast<void>(reap_all(worker_.pid));
  }

  LaunchResult run() {
    while (!dead_) turn();
    drain();
    watch_.worker_ended();
    status_ = peek_status(worker_.pid).value_or(0);
    const bool oom_killed = watch_.machine().oom_killed();
    LaunchResult result;
    result.machine = watch_.summary();
    result.processes = watch_.machine().processes();
    if (context_.background) result.machine.merge(context_.background->facts());
    const bool all_reaped = reap_all(worker_.pid);
    reaped_ = true;
    result.wall_ns = clock_.now_ns() - begin_ns_;
    decide(oom_killed, result);
    label(result);
    if (!all_reaped)
      result.report.notes.emplace_back("a process of this worker could not be killed");
    return result;
  }

 private:
  [[nodiscard]] WorkerSession& session() { return monitor_.session(); }
  [[nodiscard]] const WorkerSession& session() const { return monitor_.session(); }

  void turn() {
    std::array<pollfd, 4> waits{{{worker_.pidfd.value(), POLLIN, 0},
                                 {worker_.control.value(), wanted_of_control(), 0},
                                 {worker_.output.value(), POLLIN, 0},
                                 {context_.interrupts.descriptor(), POLLIN, 0}}};
    const std::int64_t now_ns = clock_.now_ns();
    const std::int64_t wake_ns = std::min({deadline_ns(), watch_.next_ns(), next_progress_ns_});
    const std::int64_t wait_ms =
        std::clamp<std::int64_t>((wake_ns - now_ns + kNsPerMs - 1) / kNsPerMs, 0, 1000);
    const bool any = ::poll(waits.data(), waits.size(), static_cast<int>(wait_ms)) > 0;
    exclude_own_sleep();
    if (any) {
      if (waits[1].revents != 0) read_worker();
      if (waits[2].revents != 0) read_output();
      if (waits[3].revents != 0) interrupt();
      dead_ = waits[0].revents != 0;
    }
    if (dead_) return;
    if (session().protocol_error()) kill_group(SIGKILL);
    check_if_stopped();
    if (turned_ns_ >= deadline_ns()) overdue();
    watch_.sample();
    process_notes_.keep(watch_.machine().processes());
    end_if_over_memory();
    report_progress();
  }

  // Extends the limits by time in which this program was stopped or not scheduled.
  void exclude_own_sleep() {
    const std::int64_t now_ns = clock_.now_ns();
    const std::int64_t slept_ns = now_ns - turned_ns_ - kLongestTurnNs;
    turned_ns_ = now_ns;
    if (slept_ns <= 0) return;
    monitor_.slept(slept_ns);
    if (stopped_since_ns_) *stopped_since_ns_ += slept_ns;
    asleep_ns_ += slept_ns;
  }

  [[nodiscard]] short wanted_of_control() const {
    return static_cast<short>(unsent_.empty() ? POLLIN : POLLIN | POLLOUT);
  }

  void read_worker() {
    if (!unsent_.empty()) {
      const ssize_t count =
          ::send(worker_.control.value(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
      if (count > 0) unsent_.erase(0, static_cast<std::size_t>(count));
      if (count < 0 && errno != EAGAIN && errno != EINTR)
        unsent_.clear();  // the worker's exit gives the reason
    }
    const std::uint64_t stages = session().stage_messages();
    for (int reads = 0; reads < kReadsPerTurn; ++reads) {
      const std::string_view bytes = os::read_some(worker_.control, buffer_);
      if (bytes.empty()) break;
      monitor_.receive(bytes, clock_.now_ns());
    }
    if (!worker_.control.is_open()) unsent_.clear();
    if (session().stage_messages() != stages) {
      watch_.device_is(session().stage_message()->device_pci);
    }
    watch_.is_at(session().place());
  }

  void label(LaunchResult& result) const {
    if (result.outcome.kind != Outcome::Kind::kMeasured) return;
    label_memory(watch_.memory(), result.report);
    label_throttled_steps(result.samples, watch_.window_begins(), watch_.device().throttled());
    label_machine(result.machine, result.wall_ns, result.report);
    add_device_counters(watch_.device().counters(), result.samples, result.report);
  }

  bool read_output() {
    for (int reads = 0; reads < kReadsPerTurn; ++reads) {
      const std::string_view bytes = os::read_some(worker_.output, buffer_);
      if (bytes.empty()) return false;
      output_.append(bytes);
    }
    return true;
  }

  // Reads the rest of the pipes after the worker's death; a grandchild may keep them open.
  void drain() {
    while (worker_.control.is_open() && !session().protocol_error()) {
      const std::string_view bytes = os::read_some(worker_.control, buffer_);
      if (bytes.empty()) break;
      monitor_.receive(bytes, clock_.now_ns());
    }
    kill_group(SIGKILL);
    while (worker_.output.is_open() && read_output()) {
    }
  }

  void interrupt() {
    while (context_.interrupts.take()) {
      if (interrupted_) {
        kill_group(SIGKILL);
      } else {
        interrupted_ = true;
        kill_at_ns_ = clock_.now_ns() + limits_.grace_ns;
        kill_group(SIGTERM);
      }
    }
  }

  void kill_group(int signal) const {
    ::kill(-worker_.pid, signal);
    ::kill(worker_.pid, signal);  // in case it created its own process group
  }

  [[nodiscard]] std::int64_t wall_end_ns() const {
    return begin_ns_ + limits_.wall_ns + asleep_ns_;
  }

  [[nodiscard]] std::int64_t deadline_ns() const {
    if (interrupted_) return kill_at_ns_;
    if (timed_out_) return wall_end_ns() + limits_.wall_ns;  // already killed
    return std::min(wall_end_ns(), monitor_.deadline_ns());
  }

  // Ends a worker that stays stopped: its times are wrong even if it is continued.
  void check_if_stopped() {
    if (!is_stopped(worker_.pid)) {
      stopped_since_ns_.reset();
      return;
    }
    if (!stopped_since_ns_) stopped_since_ns_ = turned_ns_;
    if (timed_out_ || interrupted_ || turned_ns_ - *stopped_since_ns_ < limits_.stopped_ns) return;
    timed_out_ = formatted(
        "a signal stopped it (SIGSTOP or the like), and none continued it for {}{}",
        text::seconds_text(static_cast<double>(limits_.stopped_ns) * 1e-9), monitor_.last_sign());
    kill_group(SIGKILL);
  }

  void overdue() {
    if (!interrupted_) {
      timed_out_ = monitor_.deadline_ns() < wall_end_ns()
                       ? monitor_.silence()
                       : formatted("not finished after {} (limits.wall_s){}",
                                   text::seconds_text(static_cast<double>(limits_.wall_ns) * 1e-9),
                                   monitor_.last_sign());
    }
    kill_group(SIGKILL);
    kill_at_ns_ = clock_.now_ns() + kNsPerS;
  }

  void end_if_over_memory() {
    if (!limits_.memory_bytes || over_memory_ || timed_out_ || interrupted_) return;
    if (watch_.machine().peak_pss_bytes() <= *limits_.memory_bytes) return;
    over_memory_ = over_memory_text(watch_.machine().peak_pss_bytes(), *limits_.memory_bytes);
    kill_group(SIGKILL);
  }

  void report_progress() {
    if (!context_.progress || clock_.now_ns() < next_progress_ns_) return;
    context_.progress(monitor_.stage_name(), session().last_cycle_step_ns());
    next_progress_ns_ = clock_.now_ns() + kNsPerS;
  }

  void decide(bool oom_killed, LaunchResult& result) {
    result.stage = monitor_.stage_name();
    result.hello = session().hello();
    result.output = output_.text();
    if (session().protocol_error()) {
      result.outcome = Outcome::failed(*session().protocol_error());
      return;
    }
    const os::ProcessExit death{
        .status = status_,
        .oom_killed = oom_killed,
        .memory_limit_bytes = machine::Cgroup{context_.root}.memory_limit_bytes()};
    if (session().final_outcome()) {
      result.outcome = *session().final_outcome();
      result.report = session().take_report();
      result.samples = session().take_samples();
      result.ops = session().take_ops();
      if (oom_killed && result.outcome.kind == Outcome::Kind::kFailed) {
        result.outcome.reason += "; " + os::oom_text(death);  // a loader worker, perhaps
      }
      if (timed_out_) {
        result.report.notes.emplace_back(
            "the worker did not exit after its final line and was killed");
      } else if (status_ != 0 && !interrupted_ && !over_memory_) {
        result.report.notes.push_back("after its final line the worker " + os::exit_text(death));
      }
      return;
    }
    if (interrupted_) {
      result.interrupted = true;
      result.outcome = Outcome::failed("interrupted");
    } else if (over_memory_) {
      result.outcome = Outcome::failed(*over_memory_);
    } else if (timed_out_) {
      result.outcome = Outcome::failed("timed out: " + *timed_out_);
    } else {
      result.outcome = Outcome::failed(formatted(
          "the worker {} without a final line{}{}", os::exit_text(death),
          session().has_unfinished_line() ? " (its last line is cut off)" : "", last_words()));
    }
  }

  // A worker that exits by itself usually gives the reason in its last line: a library that the
  // dynamic linker misses, the exception of an interpreter.
  [[nodiscard]] std::string last_words() const {
    if (!WIFEXITED(status_) || WEXITSTATUS(status_) == 0) return {};
    return output_.last_words();
  }

  const LaunchLimits& limits_;
  const LaunchContext& context_;
  const Clock& clock_;
  std::string unsent_;  // rest of the case message
  OutputTail output_;
  std::array<char, 65536> buffer_{};
  std::int64_t begin_ns_;
  WorkerMonitor monitor_;
  std::int64_t turned_ns_;      // time of the loop's last turn
  std::int64_t asleep_ns_ = 0;  // total time in which this program did not run
  std::int64_t kill_at_ns_ = 0;
  std::int64_t next_progress_ns_ = 0;
  bool interrupted_ = false;
  bool dead_ = false;
  bool reaped_ = false;
  int status_ = 0;
  std::optional<std::string> timed_out_;
  std::optional<std::string> over_memory_;
  std::optional<std::int64_t> stopped_since_ns_ = {};
  WorkerProcess worker_;
  WorkerWatch watch_;
  ProcessNotes process_notes_{context_.root / "dev/shm", ::getpid()};
};

}  // namespace

LaunchResult run_launch(const LaunchRequest& request, const LaunchContext& context) {
  return LaunchLoop{request, context}.run();
}

namespace {

// torch prefers the newer name if both are set.
constexpr std::string_view kAllocator = "PYTORCH_ALLOC_CONF";
constexpr std::string_view kCudaAllocator = "PYTORCH_CUDA_ALLOC_CONF";

void set_share(double share, machine::Variables& variables) {
  const std::string setting = formatted("per_process_memory_fraction:{:f}", share);
  for (const std::string_view name : {kAllocator, kCudaAllocator}) {
    const auto found = std::ranges::find(variables, name, &machine::Variables::value_type::first);
    if (found == variables.end()) continue;
    found->second += (found->second.empty() ? "" : ",") + setting;
    return;
  }
  variables.emplace_back(kCudaAllocator, setting);
}

}  // namespace

void limit_memory(std::int64_t bytes, const ResolvedCase& resolved,
                  const machine::NvmlSession* devices, LaunchRequest& request) {
  const std::string device = resolved.text_or("device", "cpu");
  if (!device.starts_with("cuda")) {
    request.spawn.data_bytes = bytes + kMappedOnlyBytes;
    request.limits.memory_bytes = bytes;
    return;
  }
  const std::optional<int> index =
      machine::watched_device(device, request.spawn.environment, devices);
  if (devices == nullptr || !index) return;
  const auto state = devices->read(*index);
  if (!state || state->mig.value_or(false) || state->memory_total_bytes.value_or(0) <= 0) return;
  const double share = static_cast<double>(bytes) / static_cast<double>(*state->memory_total_bytes);
  if (share < 1) set_share(share, request.spawn.environment);
}

}  // namespace stepbench::run
