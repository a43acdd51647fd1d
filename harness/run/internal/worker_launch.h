// SPDX-License-Identifier: Apache-2.0
// One launch: a fresh worker process measures one case, within its limits of time, silence and
// memory, and is killed when it is overdue; with CPU load of known size beside it, if the case asks
// for that. Call on the program's main thread, with Interrupts alive and become_subreaper() done;
// when it returns, no process that the worker started is left.
#pragma once

#include <sys/types.h>
#include <atomic>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "harness/base/clock.h"
#include "harness/base/launch_outcome.h"
#include "harness/base/resolved_case.h"
#include "harness/base/value.h"
#include "harness/machine/device_state.h"
#include "harness/protocol/messages.h"
#include "harness/run/internal/launch_limits.h"
#include "harness/run/internal/launch_rules.h"
#include "harness/run/internal/worker_process.h"
#include "harness/run/terminal.h"

namespace stepbench::run {

// Threads of this program, so that their time is not attributed to other programs. They run on this
// program's CPUs with its priority until the object is destroyed. Main thread.
class BackgroundLoad {
 public:
  // Requests the time of `cpus` CPUs: with 1.5, one thread is always busy and another half of the
  // time. 0: no threads. `clock` must outlive the object.
  BackgroundLoad(double cpus, const Clock& clock);
  BackgroundLoad(const BackgroundLoad&) = delete;
  BackgroundLoad& operator=(const BackgroundLoad&) = delete;
  ~BackgroundLoad();

  // background_cpus: CPUs obtained on average, fewer than requested if busy. Empty without load.
  [[nodiscard]] Fields facts() const;

 private:
  const Clock& clock_;
  std::int64_t begin_ns_;
  std::deque<std::atomic<std::int64_t>> cpu_ns_;  // one per thread
  std::vector<std::jthread> threads_;
};

struct LaunchRequest {
  SpawnRequest spawn;
  protocol::CaseMessage message;
  LaunchLimits limits = {};
  LaunchRules rules = {};
};

// Access to the outside world during a launch.
struct LaunchContext {
  const Clock& clock;
  Interrupts& interrupts;
  std::filesystem::path root = "/";               // prefix of /proc and /sys
  const machine::NvmlSession* devices = nullptr;  // null: no devices to watch
  const BackgroundLoad* background = nullptr;     // running during the launch
  // Called about once a second.
  std::function<void(const std::string& stage, std::int64_t last_cycle_step_ns)> progress = {};
};

struct LaunchResult {
  Outcome outcome;
  bool interrupted = false;  // by SIGINT or SIGTERM before its final line: no row, to be repeated
  std::string stage;         // stage at its end
  std::optional<protocol::Hello> hello;
  record::LaunchReport report;
  std::vector<record::CycleSamples> samples;
  std::vector<ops::OpFrame> ops;
  Fields machine;
  std::set<pid_t> processes;  // all processes seen in the worker's tree
  std::string output;
  std::int64_t wall_ns = 0;
};

// Throws ConfigError if the worker program cannot be run at all.
[[nodiscard]] LaunchResult run_launch(const LaunchRequest& request, const LaunchContext& context);

// The memory limit: a launch that exceeds it fails alone, without affecting the machine. Pure,
// except for reading a device's size.

// Memory that libraries map but never touch, which the kernel still counts as data: 0.5 GiB for an
// idle worker with libtorch, plus each thread's stack.
inline constexpr std::int64_t kMappedOnlyBytes = std::int64_t{1} << 30;

// If the case uses a device, limits device memory: torch's allocator gets that share of it and
// rejects more. Otherwise limits the process tree: the kernel denies each process more data than
// `bytes` + kMappedOnlyBytes (RLIMIT_DATA; RLIMIT_AS would count 3 GB of address space for an idle
// worker, and creating a control group is usually not permitted), and the launch is ended when the
// tree holds more than `bytes`. `devices`: null if there are none. A device slice (MIG) is not
// limited, because its size is unknown here.
void limit_memory(std::int64_t bytes, const ResolvedCase& resolved,
                  const machine::NvmlSession* devices, LaunchRequest& request);

}  // namespace stepbench::run
