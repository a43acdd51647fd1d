// SPDX-License-Identifier: Apache-2.0
#include <sys/statvfs.h>

#include <charconv>
#include <string>

#include "harness/machine/cgroup.h"
#include "harness/machine/doctor.h"
#include "harness/machine/environment.h"
#include "harness/machine/text_file.h"

namespace stepbench {
namespace {

namespace fs = std::filesystem;

void read_cpu_times(const fs::path& root, HostReading& out) {
  const auto line = read_line(root / "proc/stat");
  if (!line || !line->starts_with("cpu ")) return;
  const auto words = split_words(*line);
  constexpr std::size_t kSteal = 8;  // cpu user nice system idle iowait irq softirq steal
  if (words.size() <= kSteal) return;
  std::int64_t all = 0;
  for (std::size_t i = 1; i <= kSteal; ++i) all += parse_integer(words[i]).value_or(0);
  out.all_jiffies = all;
  out.steal_jiffies = parse_integer(words[kSteal]);
}

std::optional<double> read_load(const fs::path& root) {
  const auto line = read_line(root / "proc/loadavg");
  if (!line) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(line->data(), line->data() + line->size(), value);
  return error == std::errc{} ? std::optional(value) : std::nullopt;
}

// The one that differs from `performance`, if any does.
std::optional<std::string> read_governor(const fs::path& root) {
  std::optional<std::string> seen;
  std::error_code error;
  for (fs::directory_iterator at{root / "sys/devices/system/cpu", error}, end; !error && at != end;
       at.increment(error)) {
    const auto governor = read_line(at->path() / "cpufreq/scaling_governor");
    if (governor && (!seen || *seen == "performance")) seen = governor;
  }
  return seen;
}

std::optional<std::int64_t> kib_field(const std::string& text, std::string_view name) {
  const auto field = find_field(text, name);
  const auto kib = field ? parse_integer(*field) : std::nullopt;
  return kib ? std::optional(*kib * 1024) : std::nullopt;
}

}  // namespace

HostReading read_host(const fs::path& root) {
  HostReading out;
  out.cores = cores_in_affinity(root);
  const Cgroup cgroup(root);
  out.quota_cores = cgroup.cpu_quota();
  out.throttled_ns = cgroup.throttled_ns();
  out.governor = read_governor(root);
  out.load_1m = read_load(root);
  read_cpu_times(root, out);
  const std::string schedule = read_text(root / "proc/thread-self/schedstat").value_or("");
  if (const auto words = split_words(schedule); words.size() >= 2) {
    out.run_queue_wait_ns = parse_integer(words[1]);
  }
  const std::string memory = read_text(root / "proc/meminfo").value_or("");
  const auto total = kib_field(memory, "SwapTotal");
  const auto free = kib_field(memory, "SwapFree");
  if (total && free) out.swap_used_bytes = *total - *free;
  struct statvfs shm {};
  if (::statvfs((root / "dev/shm").c_str(), &shm) == 0) {
    out.shm_free_bytes =
        static_cast<std::int64_t>(shm.f_bavail) * static_cast<std::int64_t>(shm.f_frsize);
  }
  return out;
}

}  // namespace stepbench
