// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/doctor.h"

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <regex>
#include <utility>

#include "harness/base/format.h"
#include "harness/record/quality.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::machine {
namespace {

using record::Fact;

struct Limits {
  double warning;
  double problem;
};
constexpr Limits kVariation{0.02, 0.25};
constexpr Limits kLoadPerCore{0.25, 2.0};
constexpr double kMuchSwap = 0.01;  // share of total memory

class Diagnosis {
 public:
  explicit Diagnosis(const Examination& seen) : seen_(seen) {}

  std::vector<Finding> write() {
    machine();
    load();
    not_watched();
    clocks();
    cpus();
    memory();
    if (seen_.before.gpu_driver && !seen_.nvml) {
      add(Severity::kWarning, "gpu.library",
          "a GPU driver is loaded, but its management library does not answer: clocks, throttling "
          "and other processes on the device are not seen",
          0, 0, "",
          "install the driver's libnvidia-ml.so.1; in a container also allow it "
          "(NVIDIA_DRIVER_CAPABILITIES=compute,utility)");
    }
    driver();
    for (std::size_t i = 0; i < seen_.devices.size(); ++i) {
      std::vector<Finding> found = diagnose_device(i, seen_.devices[i]);
      std::move(found.begin(), found.end(), std::back_inserter(findings_));
    }
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
  void share(Fact fact, const char* id, double value, const std::string& text,
             const std::string& remedy) {
    const record::FactRow& row = record::row_of(fact);
    if (value > 0) share({row.reported, row.unusable}, id, value, text, remedy);
  }
  void share(const Limits& limits, const char* id, double value, const std::string& text,
             const std::string& remedy) {
    if (value < limits.warning) return;
    const bool bad = value >= limits.problem;
    add(bad ? Severity::kProblem : Severity::kWarning, id, text, value,
        bad ? limits.problem : limits.warning, "", remedy);
  }

  // A driver runs every minor version of its CUDA major version.
  void driver() {
    const auto major = [](int version) { return version / 1000; };
    if (seen_.cuda_of_driver == 0 || major(seen_.cuda_of_driver) >= major(seen_.cuda_needed)) {
      return;
    }
    const std::string known =
        formatted("{}.{}", major(seen_.cuda_of_driver), seen_.cuda_of_driver % 1000 / 10);
    const std::string needed = std::to_string(major(seen_.cuda_needed));
    add(Severity::kProblem, "gpu.driver_too_old",
        formatted("the GPU's driver runs CUDA up to {}, and libtorch was built for CUDA {}: it "
                  "will see no device",
                  known, needed),
        seen_.cuda_of_driver, seen_.cuda_needed, "",
        formatted("install a driver for CUDA {}, or a libtorch that is built for CUDA {}", needed,
                  known));
  }

  // Time that other processes took from this thread during the spin.
  void machine() {
    const double variation = seen_.spin.variation();
    share(kVariation, "machine.variation", variation,
          formatted("the same work varies in duration: coefficient of variation {}, its slowest "
                    "hundredth {} over the median",
                    text::percent_text(variation), text::percent_text(seen_.spin.slowest() - 1)),
          remedy_of_variation());
    if (const auto waited = grown(&HostReading::run_queue_wait_ns)) {
      const double part = *waited / spun_ns();
      share(Fact::kWaited, "machine.run_queue", part,
            formatted("this thread waited {} of the time for a CPU", text::percent_text(part)),
            "end what else runs here, or give stepbench CPUs of its own (taskset, cpusets)");
    }
    if (const auto taken = steal()) {
      share(Fact::kSteal, "machine.steal", *taken,
            formatted("the hypervisor took {} of this machine's CPU time",
                      text::percent_text(*taken)),
            "use a machine, or a virtual one, with CPUs of its own");
    }
    if (const auto throttled = grown(&HostReading::throttled_ns)) {
      const double part = *throttled / spun_ns();
      share(Fact::kQuota, "machine.quota_throttling", part,
            formatted("the control group stopped this process for {} of the time",
                      text::percent_text(part)),
            "raise or remove the CPU quota (docker --cpus, resources.limits.cpu, CPUQuota)");
    }
  }

  // Load average lags by a minute; prefer the use observed during the spin.
  void load() {
    const HostReading& host = seen_.before;
    if (const auto used = others()) {
      share(Fact::kOthers, "cpu.others", *used,
            formatted("others used {} of the {} CPU(s) while this was timed{}",
                      text::percent_text(*used), host.cores,
                      host.load_1m ? ", load " + text::short_number(*host.load_1m) : ""),
            "wait until it is quiet, or end what else runs (top shows it)");
      return;
    }
    if (!host.load_1m) return;
    const double per_core = *host.load_1m / host.cores;
    share(kLoadPerCore, "cpu.load", per_core,
          formatted("load {} on {} CPU(s) before anything was measured",
                    text::short_number(*host.load_1m), host.cores),
          "wait until it is quiet, or end what else runs (top shows it)");
  }

  // Reports unavailable checks: unknown is not the same as fine.
  void not_watched() {
    std::vector<std::string> what;
    if (!grown(&HostReading::run_queue_wait_ns))
      what.emplace_back("how long threads wait for a CPU");
    if (!others() && !seen_.before.load_1m) what.emplace_back("what other programs use");
    if (!steal()) what.emplace_back("what a hypervisor takes");
    if (what.empty()) return;
    add(Severity::kWarning, "machine.not_watched", "not watched: " + text::join(what, ", "), 0, 0,
        "",
        "measure where the kernel reports it (/proc/self/schedstat, /proc/stat, /proc/loadavg)");
  }

  void clocks() {
    const HostReading& host = seen_.before;
    if (host.governor && *host.governor != "performance") {
      add(Severity::kWarning, "cpu.governor",
          "the CPU's clock follows the load: governor " + *host.governor, 0, 0, "",
          "sudo cpupower frequency-set -g performance");
    }
    if (host.turbo.value_or(false)) {
      add(Severity::kInfo, "cpu.turbo",
          "turbo is on: the clock depends on temperature and on how many cores are busy", 1, 0, "",
          host.turbo_off + " for comparisons");
    }
  }

  void cpus() {
    const HostReading& host = seen_.before;
    const std::string cores = std::to_string(host.cores);
    if (!host.one_per_core.empty() &&
        host.one_per_core.size() < static_cast<std::size_t>(host.cores)) {
      add(Severity::kInfo, "cpu.siblings",
          formatted("{} CPUs are the threads of {} cores: two busy threads of one core slow each "
                    "other down",
                    cores, host.one_per_core.size()),
          static_cast<double>(host.one_per_core.size()), host.cores, "cores",
          formatted("one CPU of each: taskset -c {} stepbench ...",
                    text::cpu_list_text(host.one_per_core)));
    }
    if (host.quota_cores && *host.quota_cores < host.cores) {
      const auto whole = static_cast<int>(*host.quota_cores);
      add(Severity::kWarning, "cpu.quota",
          formatted("a quota of {} CPUs on {} visible ones: threads are started for CPUs that are "
                    "taken away",
                    text::short_number(*host.quota_cores), cores),
          *host.quota_cores, host.cores, "CPUs",
          whole < 1
              ? "raise the quota to whole CPUs (docker --cpus, resources.limits.cpu, CPUQuota)"
              : formatted("bind to as many CPUs as the quota allows (taskset, --cpuset-cpus): {}",
                          whole));
    }
    if (host.cores >= 2) return;
    const bool bound = host.online > host.cores;
    add(Severity::kWarning, bound ? "cpu.affinity" : "cpu.single",
        bound ? formatted("bound to one of {} CPUs: loader workers, the training thread and "
                          "stepbench take turns",
                          host.online)
              : "one CPU only: loader workers, the training thread and stepbench take turns",
        host.cores, 2, "CPUs",
        bound
            ? formatted("taskset -cp 0-{} $$, or ask the scheduler for more (srun --cpus-per-task)",
                        host.online - 1)
            : "use a machine with more" + (seen_.without_workers.empty()
                                               ? std::string()
                                               : ", or measure with " + seen_.without_workers));
  }

  void memory() {
    const HostReading& host = seen_.before;
    const std::int64_t used = host.swap_used_bytes.value_or(0);
    if (used > 0) {
      const double memory = static_cast<double>(host.memory_bytes.value_or(0));
      const bool moving =
          record::row_of(Fact::kPagedIn).level(grown(&HostReading::pages_swapped_in)) >=
          record::FactLevel::kSeen;
      const bool much = static_cast<double>(used) >= kMuchSwap * memory;
      add(moving || much ? Severity::kWarning : Severity::kInfo, "memory.swap",
          formatted("{} MiB are swapped out{}", used >> 20,
                    moving ? ", and pages came back while this was timed" : ""),
          static_cast<double>(used), kMuchSwap * memory, "bytes",
          "free memory, then sudo swapoff -a && sudo swapon -a");
    }
    if (host.shm_free_bytes && *host.shm_free_bytes < kLittleSharedMemory) {
      add(Severity::kWarning, "memory.shm", free_shared_memory(*host.shm_free_bytes),
          static_cast<double>(*host.shm_free_bytes), static_cast<double>(kLittleSharedMemory),
          "bytes", kMoreSharedMemory);
    }
    if (host.open_files && *host.open_files < kFewOpenFiles) {
      add(Severity::kWarning, "memory.open_files", open_files(*host.open_files),
          static_cast<double>(*host.open_files), static_cast<double>(kFewOpenFiles), "files",
          kMoreOpenFiles);
    }
    if (host.huge_pages == "always") {
      add(Severity::kInfo, "memory.huge_pages",
          "transparent huge pages are always on: the first touch of memory varies in duration, and "
          "resident sizes grow in steps of 2 MiB",
          1, 0, "",
          "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled for comparisons");
    }
  }

  [[nodiscard]] std::string remedy_of_variation() const {
    if (is_reported(Fact::kOthers, others())) return "end what else runs here";
    if (is_reported(Fact::kSteal, steal())) {
      return "use a machine, or a virtual one, with CPUs of its own";
    }
    return "fix the clocks (governor, turbo), or use another machine";
  }
  [[nodiscard]] static bool is_reported(Fact fact, std::optional<double> value) {
    return record::row_of(fact).level(value) >= record::FactLevel::kReported;
  }
  [[nodiscard]] std::optional<double> others() const {
    const auto& before = seen_.before;
    const auto& after = seen_.after;
    if (!before.own_times || !after.own_times) return std::nullopt;
    return share_of_others(*before.own_times, *after.own_times, after.own_ticks - before.own_ticks);
  }
  [[nodiscard]] std::optional<double> steal() const {
    const auto& before = seen_.before.times;
    const auto& after = seen_.after.times;
    if (!before || !after || after->all <= before->all) return std::nullopt;
    return static_cast<double>(after->steal - before->steal) /
           static_cast<double>(after->all - before->all);
  }
  [[nodiscard]] double spun_ns() const {
    return static_cast<double>(std::max<std::int64_t>(seen_.spin_ns, 1));
  }
  template <typename Number>
  [[nodiscard]] std::optional<double> grown(std::optional<Number> HostReading::*field) const {
    if (!(seen_.before.*field) || !(seen_.after.*field)) return std::nullopt;
    return static_cast<double>(*(seen_.after.*field) - *(seen_.before.*field));
  }

  const Examination& seen_;
  std::vector<Finding> findings_;
};

constexpr double kUsedMemory = 0.1;
constexpr std::int64_t kHotCelsius = 83;
constexpr std::int64_t kClockStep = 15;  // MHz between adjacent clocks
constexpr double kSteadyClock = 0.75;    // share of the maximum: rarely limited by cooling or power

std::int64_t clock_to_lock(std::int64_t max_mhz) {
  return static_cast<std::int64_t>(kSteadyClock * static_cast<double>(max_mhz)) / kClockStep *
         kClockStep;
}

}  // namespace

std::vector<Finding> diagnose(const Examination& examination) {
  return Diagnosis(examination).write();
}

std::vector<Finding> diagnose_device(std::size_t index, const DeviceState& state) {
  std::vector<Finding> findings;
  const std::string number = std::to_string(index);
  const std::string device_name = "GPU " + number;
  const std::string smi = "sudo nvidia-smi -i " + number;
  const auto add = [&](Severity severity, const char* id, std::string text, double value,
                       double threshold, const char* unit, std::string remedy) {
    findings.push_back({.id = id,
                        .severity = severity,
                        .text = std::move(text),
                        .value = value,
                        .threshold = threshold,
                        .unit = unit,
                        .remedy = std::move(remedy)});
  };
  if (state.clock_reasons && !throttle_text(*state.clock_reasons).empty()) {
    add(Severity::kProblem, "gpu.throttled",
        formatted("{} is slowed down: {}", device_name, throttle_text(*state.clock_reasons)), 1, 0,
        "", "look at its cooling and power supply; wait until it is cool");
  }
  if (state.memory_errors.value_or(0) > 0) {
    add(Severity::kProblem, "gpu.memory_errors",
        formatted("{} had {} memory errors that could not be repaired since its driver was loaded",
                  device_name, *state.memory_errors),
        static_cast<double>(*state.memory_errors), 0, "errors",
        smi + " --gpu-reset, or have it replaced if they come back");
  }
  if (state.processes && !state.processes->empty()) {
    add(Severity::kWarning, "gpu.others",
        formatted("{} is in use by {} other process(es)", device_name, state.processes->size()),
        static_cast<double>(state.processes->size()), 0, "processes",
        "end them, or choose another device (device: cuda:N)");
  }
  if (state.memory_used_bytes && state.memory_total_bytes && *state.memory_total_bytes > 0) {
    const double used = static_cast<double>(*state.memory_used_bytes) /
                        static_cast<double>(*state.memory_total_bytes);
    if (used > kUsedMemory) {
      add(Severity::kWarning, "gpu.memory",
          formatted("{} of the memory of {} is taken already", text::percent_text(used),
                    device_name),
          used, kUsedMemory, "", "end what holds it (nvidia-smi names the processes)");
    }
  }
  if (state.temperature_c && *state.temperature_c >= kHotCelsius) {
    add(Severity::kWarning, "gpu.hot",
        formatted("{} has {} degrees before it does anything", device_name, *state.temperature_c),
        static_cast<double>(*state.temperature_c), static_cast<double>(kHotCelsius), "C",
        "let it cool down");
  }
  if (state.persistence && !*state.persistence) {
    add(Severity::kWarning, "gpu.persistence",
        device_name + " is initialised again by every launch: persistence mode is off", 0, 1, "",
        smi + " -pm 1");
  }
  if (state.mig && *state.mig) {
    add(Severity::kInfo, "gpu.mig",
        device_name + " is divided (MIG): neighbours share its memory system", 1, 0, "",
        "compare with results of the same division only");
  }
  if (state.max_sm_mhz && *state.max_sm_mhz > 0) {
    const std::string clock = std::to_string(clock_to_lock(*state.max_sm_mhz));
    add(Severity::kInfo, "gpu.clocks",
        formatted("{} chooses its clock by load, power and temperature, up to {} MHz, unless it "
                  "was locked, which cannot be queried",
                  device_name, *state.max_sm_mhz),
        static_cast<double>(*state.max_sm_mhz), 0, "MHz",
        formatted("{} -lgc {},{} (and -rgc afterwards) for comparisons", smi, clock, clock));
  }
  return findings;
}

std::string free_shared_memory(std::int64_t bytes) {
  return formatted(
      "/dev/shm has {} MiB free: loader workers that are processes hand batches over there",
      bytes >> 20);
}

std::string open_files(std::int64_t limit) {
  return formatted(
      "a process may have {} files open: batches of loader workers that are processes need some "
      "each",
      text::with_separators(limit));
}

namespace {

std::string with_open_files(std::string reason) {
  // The second is how torch puts it when a descriptor could not be received.
  const bool is_it = reason.find("Too many open files") != std::string::npos ||
                     reason.find("items of ancdata") != std::string::npos;
  struct rlimit limit {};
  if (!is_it || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return reason;
  return formatted("{}; {}; {}", reason, open_files(static_cast<std::int64_t>(limit.rlim_cur)),
                   kMoreOpenFiles);
}

std::string with_shared_memory(std::string reason, const std::filesystem::path& directory) {
  static const std::regex kSegment("</?torch_[0-9_]+>");
  const bool is_shared_memory_error = reason.find("shared memory") != std::string::npos ||
                                      reason.find("/dev/shm") != std::string::npos ||
                                      std::regex_search(reason, kSegment);
  if (!is_shared_memory_error) return reason;
  reason = std::regex_replace(reason, kSegment, "</torch_...>");
  struct statvfs found {};
  if (::statvfs(directory.c_str(), &found) != 0) return reason;
  const auto free =
      static_cast<std::int64_t>(found.f_bavail) * static_cast<std::int64_t>(found.f_frsize);
  if (free >= kLittleSharedMemory) return reason;
  return formatted("{}; {}; {}", reason, free_shared_memory(free), kMoreSharedMemory);
}

}  // namespace

std::string with_known_cause(std::string reason, const std::filesystem::path& directory) {
  return with_open_files(with_shared_memory(std::move(reason), directory));
}

Examination examine(const std::filesystem::path& root, double seconds, const Clock& clock) {
  constexpr double kNs = 1e9;
  Examination seen;
  if (const auto nvml = NvmlSession::open(load_nvml_api())) {
    seen.nvml = true;
    seen.cuda_of_driver = nvml->cuda_version();
    for (int i = 0; i < nvml->devices(); ++i) {
      if (auto state = nvml->read(i)) seen.devices.push_back(std::move(*state));
    }
  }
  seen.before = read_host(root);
  const std::int64_t begin_ns = clock.now_ns();
  seen.spin = spin(clock, spin_work, std::llround(seconds * kNs));
  seen.spin_ns = clock.now_ns() - begin_ns;
  seen.after = read_host(root);
  return seen;
}

}  // namespace stepbench::machine
