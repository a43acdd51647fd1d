// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/processes.h"

#include <sys/statvfs.h>
#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/os/text_file.h"

namespace stepbench::machine {
namespace {

namespace fs = std::filesystem;

struct Process {
  pid_t pid;
  pid_t parent;
};

// Returns the words after the name in "/proc/N/stat", "N (name) state parent ..."; the name may
// contain any character, including brackets. Empty if the process does not exist.
std::vector<std::string> words_of_stat(const fs::path& folder) {
  const auto stat = os::read_text(folder / "stat");
  const std::size_t close = stat ? stat->rfind(')') : std::string::npos;
  if (close == std::string::npos) return {};
  const auto words = os::split_words(std::string_view{*stat}.substr(close + 1));
  return {words.begin(), words.end()};
}

std::vector<Process> all_processes(const fs::path& root) {
  std::vector<Process> processes;
  std::error_code error;
  for (fs::directory_iterator at{root / "proc", error}, end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::vector<std::string> words = words_of_stat(at->path());
    const auto pid = os::parse_integer(name);
    const auto parent = words.size() > 1 ? os::parse_integer(words[1]) : std::nullopt;
    if (pid && parent) processes.push_back({static_cast<pid_t>(*pid), static_cast<pid_t>(*parent)});
  }
  return processes;
}

// Reads /proc/N/task/*/children, which not every kernel has.
std::optional<std::vector<pid_t>> listed_children(const fs::path& root, pid_t parent) {
  std::vector<pid_t> children;
  std::error_code error;
  bool known = false;
  const fs::path tasks = root / "proc" / std::to_string(parent) / "task";
  for (fs::directory_iterator at{tasks, error}, end; !error && at != end; at.increment(error)) {
    const auto text = os::read_text(at->path() / "children");
    if (!text) continue;
    known = true;
    for (const std::string_view word : os::split_words(*text)) {
      if (const auto pid = os::parse_integer(word)) children.push_back(static_cast<pid_t>(*pid));
    }
  }
  return known ? std::optional{std::move(children)} : std::nullopt;
}

std::vector<pid_t> children_among(const std::vector<Process>& processes, pid_t parent) {
  std::vector<pid_t> children;
  for (const Process& process : processes) {
    if (process.parent == parent) children.push_back(process.pid);
  }
  return children;
}

std::int64_t kib_field(std::string_view text, std::string_view name) {
  const auto field = os::find_field(text, name);
  if (!field) return 0;
  const auto words = os::split_words(*field);
  return words.empty() ? 0 : os::parse_integer(words.front()).value_or(0) * 1024;
}

fs::path of_process(const fs::path& root, pid_t pid) { return root / "proc" / std::to_string(pid); }

// True for worker processes that torch.compile starts.
bool compiles(const fs::path& root, pid_t pid) {
  const auto command = os::read_text(of_process(root, pid) / "cmdline");
  return command && command->find("compile_worker") != std::string::npos;
}

}  // namespace

std::optional<std::int64_t> start_ticks(const fs::path& root, pid_t pid) {
  constexpr std::size_t kStartTime = 19;  // proc(5): field 22, after removing the first two
  const std::vector<std::string> words = words_of_stat(of_process(root, pid));
  const bool lives = words.size() > kStartTime && words.front() != "Z";
  return lives ? os::parse_integer(words[kStartTime]) : std::nullopt;
}

bool catches(pid_t pid, int signal) {
  const std::string text = os::read_text(of_process("/", pid) / "status").value_or("");
  const std::string mask(os::find_field(text, "SigCgt").value_or(""));
  std::uint64_t caught = 0;
  const std::size_t begin = std::min(mask.find_first_not_of(" \t"), mask.size());
  std::from_chars(mask.data() + begin, mask.data() + mask.size(), caught, 16);
  return (caught >> static_cast<unsigned>(signal - 1) & 1U) != 0;
}

std::vector<pid_t> children_of(const fs::path& root, pid_t parent) {
  if (auto children = listed_children(root, parent)) return *children;
  return children_among(all_processes(root), parent);
}

std::vector<pid_t> process_tree(const fs::path& root, pid_t top) {
  const bool listed = listed_children(root, top).has_value();
  const std::vector<Process> processes = listed ? std::vector<Process>{} : all_processes(root);
  std::vector<pid_t> tree = {top};
  for (std::size_t index = 0; index < tree.size(); ++index) {
    const auto children = listed ? listed_children(root, tree[index]).value_or(std::vector<pid_t>{})
                                 : children_among(processes, tree[index]);
    for (const pid_t child : children) {
      if (std::find(tree.begin(), tree.end(), child) == tree.end()) tree.push_back(child);
    }
  }
  return tree;
}

// "/proc/N/statm" is "size resident shared ..." in pages.
ResidentMemory resident_memory(const fs::path& root, std::span<const pid_t> tree) {
  const std::int64_t page_bytes = ::sysconf(_SC_PAGESIZE);
  ResidentMemory sum;
  for (const pid_t pid : tree) {
    const std::string text = os::read_text(of_process(root, pid) / "statm").value_or("");
    const auto words = os::split_words(text);
    if (words.size() < 3) continue;
    const std::int64_t resident = os::parse_integer(words[1]).value_or(0);
    sum.rss += resident * page_bytes;
    sum.unshared += (resident - os::parse_integer(words[2]).value_or(0)) * page_bytes;
  }
  return sum;
}

std::int64_t mapped_shared_memory(const fs::path& root, pid_t pid) {
  return kib_field(os::read_text(of_process(root, pid) / "status").value_or(""), "RssShmem");
}

TreeMemory tree_memory(const fs::path& root, std::span<const pid_t> tree) {
  TreeMemory sum;
  for (const pid_t pid : tree) {
    const std::string text = os::read_text(of_process(root, pid) / "smaps_rollup").value_or("");
    const std::int64_t pss = kib_field(text, "Pss");
    sum.pss += pss;
    if (compiles(root, pid)) sum.compilers += pss;
    sum.uss += kib_field(text, "Private_Clean") + kib_field(text, "Private_Dirty");
    sum.shared += kib_field(text, "Pss_Shmem");
  }
  return sum;
}

std::int64_t open_descriptors(const fs::path& root, std::span<const pid_t> tree) {
  std::int64_t count = 0;
  for (const pid_t pid : tree) {
    std::error_code error;
    const fs::directory_iterator entries(of_process(root, pid) / "fd", error);
    if (!error) count += std::distance(begin(entries), end(entries));
  }
  return count;
}

std::optional<std::int64_t> dev_shm_used_bytes(const fs::path& root) {
  struct statvfs facts {};
  if (::statvfs((root / "dev/shm").c_str(), &facts) != 0) return std::nullopt;
  return static_cast<std::int64_t>((facts.f_blocks - facts.f_bfree) * facts.f_frsize);
}

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

namespace {

namespace fs = std::filesystem;

// A container sees its own group at the mount point. Its path may be the one on the host, or one
// outside ("/../x") if the process was moved there.
std::vector<fs::path> levels(const fs::path& mount, std::string_view path,
                             std::string_view witness) {
  while (path.starts_with('/')) path.remove_prefix(1);
  std::error_code ignored;
  const auto is_group = [&](const fs::path& directory) {
    return fs::exists(directory / witness, ignored);
  };
  fs::path group = mount;
  const bool outside = path.find("..") != std::string_view::npos;
  if (!path.empty() && !outside && is_group(mount / path)) group = mount / path;
  std::vector<fs::path> found;
  for (; group != mount && group.has_relative_path(); group = group.parent_path()) {
    if (is_group(group)) found.push_back(group);
  }
  if (is_group(mount)) found.push_back(mount);
  return found;
}

bool lists(std::string_view controllers, std::string_view wanted) {
  for (std::size_t at = 0; at <= controllers.size();) {
    const std::size_t end = std::min(controllers.find(',', at), controllers.size());
    if (controllers.substr(at, end - at) == wanted) return true;
    at = end + 1;
  }
  return false;
}

// In version 1 "no limit" is a number close to 2^63.
constexpr std::int64_t kUnlimited = std::int64_t{1} << 60;

std::optional<double> ratio(std::optional<std::int64_t> quota, std::optional<std::int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<double> quota_of_version_1(const fs::path& group) {
  return ratio(os::read_integer(group / "cpu.cfs_quota_us"),
               os::read_integer(group / "cpu.cfs_period_us"));
}

std::optional<double> quota_of_version_2(const fs::path& group) {
  const std::string line = os::read_line(group / "cpu.max").value_or("");
  const auto words = os::split_words(line);  // "max 100000", "250000 100000"
  if (words.size() != 2) return std::nullopt;
  return ratio(os::parse_integer(words[0]), os::parse_integer(words[1]));
}

std::optional<std::int64_t> throttled_ns_of(const fs::path& group) {
  const std::string text = os::read_text(group / "cpu.stat").value_or("");
  if (const auto field = os::find_field(text, "throttled_usec")) {
    const auto us = os::parse_integer(*field);
    return us ? std::optional{*us * 1000} : std::nullopt;
  }
  const auto field = os::find_field(text, "throttled_time");
  return field ? os::parse_integer(*field) : std::nullopt;
}

template <typename Number>
void keep_least(const std::optional<Number>& value, std::optional<Number>& least) {
  if (value && (!least || *value < *least)) least = value;
}

}  // namespace

Cgroup::Cgroup(const fs::path& root) {
  const std::string text = os::read_text(root / "proc/self/cgroup").value_or("");
  const fs::path mount = root / "sys/fs/cgroup";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view{text}.substr(at, end - at);
    at = end + 1;
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view path = line.substr(second + 1);
    const auto find = [&](std::initializer_list<const char*> mounts, const char* witness) {
      Levels found;
      for (const char* name : mounts) {
        if (!found.empty()) break;
        found = levels(*name == '\0' ? mount : mount / name, path, witness);
      }
      return found;
    };
    if (controllers.empty()) unified_ = find({"", "unified"}, "cgroup.controllers");
    if (lists(controllers, "memory")) memory_ = find({"memory"}, "memory.limit_in_bytes");
    if (lists(controllers, "cpu")) cpu_ = find({"cpu", "cpu,cpuacct"}, "cpu.cfs_period_us");
  }
}

std::optional<double> Cgroup::cpu_quota() const {
  std::optional<double> least;
  for (const fs::path& group : cpu_) keep_least(quota_of_version_1(group), least);
  if (!cpu_.empty()) return least;
  for (const fs::path& group : unified_) keep_least(quota_of_version_2(group), least);
  return least;
}

std::optional<std::int64_t> Cgroup::memory_limit_bytes() const {
  std::optional<std::int64_t> least;
  const bool first_version = !memory_.empty();
  for (const fs::path& group : first_version ? memory_ : unified_) {
    keep_least(os::read_integer(group / (first_version ? "memory.limit_in_bytes" : "memory.max")),
               least);
  }
  return least && *least < kUnlimited ? least : std::nullopt;
}

std::optional<std::int64_t> Cgroup::oom_kills() const {
  const auto text = !memory_.empty()    ? os::read_text(memory_.front() / "memory.oom_control")
                    : !unified_.empty() ? os::read_text(unified_.front() / "memory.events")
                                        : std::nullopt;
  if (!text) return std::nullopt;
  const auto field = os::find_field(*text, "oom_kill");
  return field ? os::parse_integer(*field) : std::nullopt;
}

std::optional<std::int64_t> Cgroup::throttled_ns() const {
  std::optional<std::int64_t> sum;
  for (const fs::path& group : cpu_.empty() ? unified_ : cpu_) {
    if (const auto held = throttled_ns_of(group)) sum = sum.value_or(0) + *held;
  }
  return sum;
}

}  // namespace stepbench::machine
