// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/internal/host_reading.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include "harness/machine/environment.h"
#include "harness/machine/processes.h"
#include "harness/os/text_file.h"
#include "harness/stats/order_statistics.h"
#include "harness/text/numbers.h"

namespace stepbench::machine {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> read_governor(const fs::path& root) {
  std::optional<std::string> seen;
  std::error_code error;
  for (fs::directory_iterator at{root / "sys/devices/system/cpu", error}, end; !error && at != end;
       at.increment(error)) {
    const auto governor = os::read_line(at->path() / "cpufreq/scaling_governor");
    if (governor && (!seen || *seen == "performance")) seen = governor;
  }
  return seen;
}

void read_turbo(const fs::path& root, HostReading& out) {
  const std::string cpu = "sys/devices/system/cpu/";
  const std::string intel = cpu + "intel_pstate/no_turbo";
  const std::string others = cpu + "cpufreq/boost";
  if (const auto off = os::read_integer(root / intel)) {
    out.turbo = *off == 0;
    out.turbo_off = "echo 1 | sudo tee /" + intel;
  } else if (const auto boost = os::read_integer(root / others)) {
    out.turbo = *boost != 0;
    out.turbo_off = "echo 0 | sudo tee /" + others;
  }
}

std::vector<int> read_cores(const fs::path& root, const std::vector<int>& cpus) {
  std::set<std::string> seen;
  std::vector<int> first;
  for (const int cpu : cpus) {
    const auto threads =
        os::read_line(root / "sys/devices/system/cpu" / ("cpu" + std::to_string(cpu)) /
                      "topology/thread_siblings_list");
    if (!threads) return {};
    if (seen.insert(*threads).second) first.push_back(cpu);
  }
  return first;
}

std::optional<std::int64_t> number_field(const std::string& text, std::string_view name) {
  const auto field = os::find_field(text, name);
  return field ? os::parse_integer(*field) : std::nullopt;
}

void read_memory(const fs::path& root, HostReading& out) {
  constexpr std::int64_t kKiB = 1024;
  const std::string memory = os::read_text(root / "proc/meminfo").value_or("");
  if (const auto total = number_field(memory, "MemTotal")) out.memory_bytes = *total * kKiB;
  const auto total = number_field(memory, "SwapTotal");
  const auto free = number_field(memory, "SwapFree");
  if (total && free) out.swap_used_bytes = (*total - *free) * kKiB;
  out.pages_swapped_in = number_field(os::read_text(root / "proc/vmstat").value_or(""), "pswpin");
  out.huge_pages = os::selected_word(
      os::read_line(root / "sys/kernel/mm/transparent_hugepage/enabled").value_or(""));
  struct statvfs shm {};
  if (::statvfs((root / "dev/shm").c_str(), &shm) == 0) {
    out.shm_free_bytes =
        static_cast<std::int64_t>(shm.f_bavail) * static_cast<std::int64_t>(shm.f_frsize);
  }
}

}  // namespace

HostReading read_host(const fs::path& root) {
  HostReading out;
  const std::vector<int> cpus = cpus_in_affinity(root);
  out.cores = std::max(1, static_cast<int>(cpus.size()));
  const auto online =
      text::parse_cpu_list(os::read_line(root / "sys/devices/system/cpu/online").value_or(""));
  out.online = online ? static_cast<int>(online->size()) : 0;
  out.one_per_core = read_cores(root, cpus);
  const Cgroup cgroup(root);
  out.quota_cores = cgroup.cpu_quota();
  out.throttled_ns = cgroup.throttled_ns();
  out.governor = read_governor(root);
  read_turbo(root, out);
  out.load_1m = load_1m(root);
  out.times = cpu_times(root);
  out.own_times = cpu_times(root, cpus);
  out.own_ticks = process_ticks(root, "self", false).value_or(0);
  const std::string schedule = os::read_text(root / "proc/thread-self/schedstat").value_or("");
  if (const auto words = os::split_words(schedule); words.size() >= 2) {
    out.run_queue_wait_ns = os::parse_integer(words[1]);
  }
  read_memory(root, out);
  out.open_files =
      number_field(os::read_text(root / "proc/self/limits").value_or(""), "Max open files");
  std::error_code ignored;
  out.gpu_driver = fs::exists(root / "proc/driver/nvidia/version", ignored);
  return out;
}

double Spin::median_ns() const { return times_ns.empty() ? 0 : stats::median(times_ns); }

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

}  // namespace stepbench::machine
