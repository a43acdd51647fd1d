// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/cgroup.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "harness/os/text_file.h"

namespace stepbench::machine {
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
