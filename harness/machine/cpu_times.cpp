// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/cpu_times.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>

#include "harness/os/text_file.h"

namespace stepbench::machine {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMinTicks = 100;

// "cpu3 user nice system idle iowait irq softirq steal guest guest_nice": user already includes
// guests.
std::optional<CpuTimes> parse(const std::vector<std::string_view>& words) {
  constexpr std::size_t kIdle = 4;
  constexpr std::size_t kWaiting = 5;
  constexpr std::size_t kSteal = 8;
  if (words.size() <= kSteal) return std::nullopt;
  CpuTimes times;
  for (std::size_t i = 1; i <= kSteal; ++i) times.all += os::parse_integer(words[i]).value_or(0);
  times.idle =
      os::parse_integer(words[kIdle]).value_or(0) + os::parse_integer(words[kWaiting]).value_or(0);
  times.steal = os::parse_integer(words[kSteal]).value_or(0);
  return times;
}

std::optional<CpuTimes> sum_of(const std::string& text, const std::vector<int>& cpus) {
  std::optional<CpuTimes> sum;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const auto words = os::split_words(std::string_view{text}.substr(at, end - at));
    at = end + 1;
    if (words.empty() || !words[0].starts_with("cpu") || words[0].size() == 3) continue;
    const auto number = os::parse_integer(words[0].substr(3));
    if (!number || std::find(cpus.begin(), cpus.end(), *number) == cpus.end()) continue;
    const auto times = parse(words);
    if (!times) continue;
    if (!sum) sum.emplace();
    sum->all += times->all;
    sum->idle += times->idle;
    sum->steal += times->steal;
  }
  return sum;
}

}  // namespace

std::optional<CpuTimes> cpu_times(const fs::path& root) {
  const auto line = os::read_line(root / "proc/stat");
  return line && line->starts_with("cpu ") ? parse(os::split_words(*line)) : std::nullopt;
}

std::optional<CpuTimes> cpu_times(const fs::path& root, const std::vector<int>& cpus) {
  const auto sum = sum_of(os::read_text(root / "proc/stat").value_or(""), cpus);
  return sum ? sum : cpu_times(root);
}

std::optional<std::int64_t> process_ticks(const fs::path& root, const std::string& process,
                                          bool with_children) {
  const std::string text = os::read_text(root / "proc" / process / "stat").value_or("");
  const std::size_t close = text.rfind(')');  // the name before it may contain any character
  if (close == std::string::npos) return std::nullopt;
  const auto words = os::split_words(std::string_view{text}.substr(close + 1));
  constexpr std::size_t kUser = 11;  // offset of utime, stime, cutime, cstime from the state
  const std::size_t fields = with_children ? 4 : 2;
  if (words.size() < kUser + fields) return std::nullopt;
  std::int64_t ticks = 0;
  for (std::size_t i = kUser; i < kUser + fields; ++i) {
    ticks += os::parse_integer(words[i]).value_or(0);
  }
  return ticks;
}

std::optional<double> share_of_others(const CpuTimes& before, const CpuTimes& after,
                                      std::int64_t own_ticks) {
  const std::int64_t all = after.all - before.all;
  if (all < kMinTicks) return std::nullopt;
  const std::int64_t others = after.busy() - before.busy() - own_ticks;
  return std::clamp(static_cast<double>(others) / static_cast<double>(all), 0.0, 1.0);
}

std::optional<double> load_1m(const fs::path& root) {
  const auto line = os::read_line(root / "proc/loadavg");
  if (!line) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(line->data(), line->data() + line->size(), value);
  return error == std::errc{} ? std::optional{value} : std::nullopt;
}

namespace {

namespace fs = std::filesystem;

// "cpu_ns waited_ns turns"
std::optional<ThreadTimes> times_in(const fs::path& schedstat) {
  const std::string text = os::read_text(schedstat).value_or("");
  const auto words = os::split_words(text);
  if (words.size() < 2) return std::nullopt;
  const auto cpu_ns = os::parse_integer(words[0]);
  const auto waited_ns = os::parse_integer(words[1]);
  if (!cpu_ns || !waited_ns) return std::nullopt;
  return ThreadTimes{*cpu_ns, *waited_ns};
}

}  // namespace

ThreadTimes& ThreadTimes::operator+=(const ThreadTimes& other) {
  cpu_ns += other.cpu_ns;
  waited_ns += other.waited_ns;
  return *this;
}

std::optional<ThreadTimes> thread_times(const fs::path& root, pid_t process, pid_t thread) {
  const fs::path tasks = root / "proc" / std::to_string(process) / "task";
  if (thread != 0) return times_in(tasks / std::to_string(thread) / "schedstat");
  std::optional<ThreadTimes> sum;
  std::error_code error;
  for (fs::directory_iterator at{tasks, error}, end; !error && at != end; at.increment(error)) {
    const auto times = times_in(at->path() / "schedstat");
    if (!times) continue;
    if (!sum) sum.emplace();
    *sum += *times;
  }
  return sum;
}

std::optional<std::int64_t> storage_bytes_read(const fs::path& root, pid_t process) {
  const std::string text =
      os::read_text(root / "proc" / std::to_string(process) / "io").value_or("");
  const auto field = os::find_field(text, "read_bytes");
  return field ? os::parse_integer(*field) : std::nullopt;
}

// "some avg10=0.00 avg60=0.00 avg300=0.00 total=MICROSECONDS", then a line "full".
std::optional<std::int64_t> storage_stalled_ns(const fs::path& root) {
  const auto line = os::read_line(root / "proc/pressure/io");
  if (!line || !line->starts_with("some ")) return std::nullopt;
  const std::size_t at = line->rfind("total=");
  if (at == std::string::npos) return std::nullopt;
  const auto us = os::parse_integer(std::string_view(*line).substr(at + 6));
  return us ? std::optional{*us * 1000} : std::nullopt;
}

}  // namespace stepbench::machine
