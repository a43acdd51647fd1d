// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/cgroup.h"

#include <string>
#include <string_view>

#include "harness/machine/text_file.h"

namespace stepbench {
namespace {

namespace fs = std::filesystem;

// A container sees its own group at the mount point while /proc/self/cgroup may name the host's
// path.
fs::path existing(const fs::path& mount, std::string_view path, std::string_view witness) {
  while (path.starts_with('/')) path.remove_prefix(1);
  std::error_code ignored;
  for (fs::path directory : {mount / path, mount}) {
    if (fs::exists(directory / witness, ignored)) return directory;
  }
  return {};
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

}  // namespace

Cgroup::Cgroup(const fs::path& root) {
  const std::string text = read_text(root / "proc/self/cgroup").value_or("");
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
    if (controllers.empty()) unified_ = existing(mount, path, "cgroup.controllers");
    if (lists(controllers, "memory"))
      memory_ = existing(mount / "memory", path, "memory.limit_in_bytes");
    if (lists(controllers, "cpu")) cpu_ = existing(mount / "cpu", path, "cpu.cfs_period_us");
  }
}

std::optional<double> Cgroup::cpu_quota() const {
  if (!cpu_.empty()) {
    const auto quota = read_integer(cpu_ / "cpu.cfs_quota_us");
    const auto period = read_integer(cpu_ / "cpu.cfs_period_us");
    if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
    return static_cast<double>(*quota) / static_cast<double>(*period);
  }
  const auto line = unified_.empty() ? std::nullopt : read_line(unified_ / "cpu.max");
  if (!line) return std::nullopt;
  const auto words = split_words(*line);
  if (words.size() != 2) return std::nullopt;
  const auto quota = parse_integer(words[0]);
  const auto period = parse_integer(words[1]);
  if (!quota || !period || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<std::int64_t> Cgroup::memory_limit_bytes() const {
  const auto limit = !memory_.empty()    ? read_integer(memory_ / "memory.limit_in_bytes")
                     : !unified_.empty() ? read_integer(unified_ / "memory.max")
                                         : std::nullopt;
  return limit && *limit < kUnlimited ? limit : std::nullopt;
}

std::optional<std::int64_t> Cgroup::oom_kills() const {
  const auto text = !memory_.empty()    ? read_text(memory_ / "memory.oom_control")
                    : !unified_.empty() ? read_text(unified_ / "memory.events")
                                        : std::nullopt;
  if (!text) return std::nullopt;
  const auto field = find_field(*text, "oom_kill");
  return field ? parse_integer(*field) : std::nullopt;
}

std::optional<std::int64_t> Cgroup::throttled_ns() const {
  const auto text = !cpu_.empty()       ? read_text(cpu_ / "cpu.stat")
                    : !unified_.empty() ? read_text(unified_ / "cpu.stat")
                                        : std::nullopt;
  if (!text) return std::nullopt;
  if (const auto field = find_field(*text, "throttled_usec")) {
    const auto us = parse_integer(*field);
    return us ? std::optional{*us * 1000} : std::nullopt;
  }
  const auto field = find_field(*text, "throttled_time");
  return field ? parse_integer(*field) : std::nullopt;
}

}  // namespace stepbench
