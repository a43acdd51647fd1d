// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/doctor.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/machine/percent_text.h"
#include "harness/stats/order.h"

namespace stepbench {
namespace {

struct Limits {
  double warning;
  double problem;
};
constexpr Limits kVariation{0.02, 0.25};
constexpr Limits kWaiting{0.01, 0.25};
constexpr Limits kSteal{0.01, 0.10};
constexpr Limits kQuotaThrottling{0.001, 0.10};
constexpr Limits kLoadPerCore{0.25, 2.0};
constexpr std::int64_t kLittleShm = std::int64_t{1} << 30;
constexpr double kUsedDeviceMemory = 0.1;
constexpr std::int64_t kHotCelsius = 83;

class Diagnosis {
 public:
  explicit Diagnosis(const Examination& seen) : seen_(seen) {}

  std::vector<Finding> write() {
    machine();
    processor();
    memory();
    for (std::size_t i = 0; i < seen_.devices.size(); ++i) device(i, seen_.devices[i]);
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
    return std::move(findings_);
  }

 private:
  void add(Severity severity, std::string id, std::string text, double value, double threshold,
           std::string unit, std::string remedy) {
    findings_.push_back({.id = std::move(id),
                         .severity = severity,
                         .text = std::move(text),
                         .value = value,
                         .threshold = threshold,
                         .unit = std::move(unit),
                         .remedy = std::move(remedy)});
  }
  void share(const Limits& limits, const char* id, double value, const std::string& text,
             const char* remedy) {
    if (value < limits.warning) return;
    const bool bad = value >= limits.problem;
    add(bad ? Severity::kProblem : Severity::kWarning, id, text, value,
        bad ? limits.problem : limits.warning, "", remedy);
  }

  // Time that others took from this thread while it spun.
  void machine() {
    const double variation = seen_.spin.variation();
    share(kVariation, "machine.variation", variation,
          "the same work takes differently long: coefficient of variation " +
              percent_text(variation) + ", its slowest hundredth " +
              percent_text(seen_.spin.slowest() - 1) + " over the median",
          "end what else runs here, fix the clocks (governor, turbo), or use another machine");
    if (const auto waited = grown(&HostReading::run_queue_wait_ns)) {
      const double part = *waited / static_cast<double>(std::max<std::int64_t>(seen_.spin_ns, 1));
      share(kWaiting, "machine.run_queue", part,
            "this thread waited " + percent_text(part) + " of the time for a CPU",
            "end what else runs here, or give stepbench CPUs of its own (taskset, cpusets)");
    }
    const auto all = grown(&HostReading::all_jiffies);
    const auto steal = grown(&HostReading::steal_jiffies);
    if (all && steal && *all > 0) {
      share(kSteal, "machine.steal", *steal / *all,
            "the hypervisor took " + percent_text(*steal / *all) + " of this machine's CPU time",
            "use a machine, or a virtual one, with CPUs of its own");
    }
    if (const auto held = grown(&HostReading::throttled_ns)) {
      const double part = *held / static_cast<double>(std::max<std::int64_t>(seen_.spin_ns, 1));
      share(kQuotaThrottling, "machine.quota_throttling", part,
            "the control group stopped this process for " + percent_text(part) + " of the time",
            "raise or remove the CPU quota (docker --cpus, resources.limits.cpu, CPUQuota)");
    }
  }

  void processor() {
    const HostReading& host = seen_.before;
    if (host.load_1m) {
      const double load = *host.load_1m / host.cores;
      share(kLoadPerCore, "cpu.load", load,
            "load " + number_text(*host.load_1m) + " on " + std::to_string(host.cores) +
                " CPU(s) before anything was measured",
            "wait until it is quiet, or end what else runs");
    }
    if (host.governor && *host.governor != "performance") {
      add(Severity::kWarning, "cpu.governor",
          "the CPU's clock follows the load: governor " + *host.governor, 0, 0, "",
          "cpupower frequency-set -g performance");
    }
    if (host.quota_cores && *host.quota_cores < host.cores) {
      add(Severity::kWarning, "cpu.quota",
          "a quota of " + number_text(*host.quota_cores) + " CPUs on " +
              std::to_string(host.cores) +
              " visible ones: threads are started for CPUs that are "
              "taken away",
          *host.quota_cores, host.cores, "CPUs",
          "bind to as many CPUs as the quota allows (taskset, --cpuset-cpus) instead");
    }
    if (host.cores < 2) {
      add(Severity::kWarning, "cpu.single",
          "one CPU only: loader workers, the training thread and stepbench take turns", host.cores,
          2, "CPUs", "use a machine with more, or measure with loader.num_workers=0");
    }
  }

  void memory() {
    const HostReading& host = seen_.before;
    if (host.swap_used_bytes && *host.swap_used_bytes > 0) {
      add(Severity::kWarning, "memory.swap",
          std::to_string(*host.swap_used_bytes >> 20) + " MiB are swapped out",
          static_cast<double>(*host.swap_used_bytes), 0, "bytes",
          "free memory, then swapoff -a && swapon -a");
    }
    if (host.shm_free_bytes && *host.shm_free_bytes < kLittleShm) {
      add(Severity::kWarning, "memory.shm",
          "/dev/shm has " + std::to_string(*host.shm_free_bytes >> 20) +
              " MiB free: loader workers that are processes hand batches over there",
          static_cast<double>(*host.shm_free_bytes), static_cast<double>(kLittleShm), "bytes",
          "docker run --shm-size=8g, or mount -o remount,size=8g /dev/shm");
    }
  }

  void device(std::size_t index, const DeviceState& state) {
    const std::string who = "GPU " + std::to_string(index);
    if (state.clock_reasons && !throttle_text(*state.clock_reasons).empty()) {
      add(Severity::kProblem, "gpu.throttled",
          who + " is slowed down: " + throttle_text(*state.clock_reasons), 1, 0, "",
          "look at its cooling and power supply; wait until it is cool");
    }
    if (state.processes && !state.processes->empty()) {
      add(Severity::kWarning, "gpu.others",
          who + " is in use by " + std::to_string(state.processes->size()) + " other process(es)",
          static_cast<double>(state.processes->size()), 0, "processes",
          "end them, or choose another device (device: cuda:N)");
    }
    if (state.memory_used_bytes && state.memory_total_bytes && *state.memory_total_bytes > 0) {
      const double used = static_cast<double>(*state.memory_used_bytes) /
                          static_cast<double>(*state.memory_total_bytes);
      if (used > kUsedDeviceMemory) {
        add(Severity::kWarning, "gpu.memory",
            percent_text(used) + " of the memory of " + who + " is taken already", used,
            kUsedDeviceMemory, "", "end what holds it");
      }
    }
    if (state.temperature_c && *state.temperature_c >= kHotCelsius) {
      add(Severity::kWarning, "gpu.hot",
          who + " has " + std::to_string(*state.temperature_c) + " degrees before it does anything",
          static_cast<double>(*state.temperature_c), static_cast<double>(kHotCelsius), "C",
          "let it cool down");
    }
    if (state.persistence && !*state.persistence) {
      add(Severity::kWarning, "gpu.persistence",
          who + " is initialised anew by every launch: persistence mode is off", 0, 1, "",
          "nvidia-smi -pm 1");
    }
    if (state.mig && *state.mig) {
      add(Severity::kInfo, "gpu.mig", who + " is divided (MIG): neighbours share its memory system",
          1, 0, "", "compare with results of the same division only");
    }
  }

  template <typename Number>
  [[nodiscard]] std::optional<double> grown(std::optional<Number> HostReading::*field) const {
    if (!(seen_.before.*field) || !(seen_.after.*field)) return std::nullopt;
    return static_cast<double>(*(seen_.after.*field) - *(seen_.before.*field));
  }

  const Examination& seen_;
  std::vector<Finding> findings_;
};

}  // namespace

double Spin::median_ns() const { return times_ns.empty() ? 0 : median(times_ns); }

double Spin::variation() const {
  if (times_ns.size() < 2) return 0;
  const auto n = static_cast<double>(times_ns.size());
  const double mean = std::accumulate(times_ns.begin(), times_ns.end(), 0.0) / n;
  double squares = 0;
  for (const double time : times_ns) squares += (time - mean) * (time - mean);
  return mean > 0 ? std::sqrt(squares / (n - 1)) / mean : 0;
}

double Spin::slowest() const {
  if (times_ns.empty()) return 1;
  std::vector<double> sorted = times_ns;
  std::sort(sorted.begin(), sorted.end());
  return sorted[(sorted.size() - 1) * 99 / 100] / median_ns();
}

Spin spin(const Clock& clock, const std::function<void()>& work, std::int64_t total_ns) {
  constexpr int kWarmUp = 5;
  for (int i = 0; i < kWarmUp; ++i) work();
  Spin result;
  const std::int64_t begin_ns = clock.now_ns();
  for (std::int64_t now_ns = begin_ns; now_ns - begin_ns < total_ns;) {
    work();
    const std::int64_t end_ns = clock.now_ns();
    result.times_ns.push_back(static_cast<double>(end_ns - now_ns));
    now_ns = end_ns;
  }
  return result;
}

void spin_work() {
  volatile std::uint64_t result = 0;
  std::uint64_t state = 88172645463325252ULL;
  constexpr int kRounds = 1'500'000;  // xorshift, three dependent steps each
  for (int i = 0; i < kRounds; ++i) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
  }
  result = state;
  (void)result;
}

std::vector<Finding> diagnose(const Examination& examination) {
  return Diagnosis(examination).write();
}

}  // namespace stepbench
