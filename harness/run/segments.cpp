// SPDX-License-Identifier: Apache-2.0
#include "harness/run/segments.h"

#include <cerrno>
#include <csignal>
#include <functional>
#include <optional>
#include <string_view>

#include "harness/os/text_file.h"

namespace stepbench::run {
namespace {

constexpr std::string_view kStem = "stepbench-";

std::optional<pid_t> controller_of(std::string_view name) {
  if (!name.starts_with(kStem)) return std::nullopt;
  name.remove_prefix(kStem.size());
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos || dash == 0) return std::nullopt;
  const auto pid = os::parse_integer(name.substr(0, dash));
  if (!pid || *pid <= 0) return std::nullopt;
  return static_cast<pid_t>(*pid);
}

int sweep(const std::filesystem::path& directory, const std::function<bool(pid_t)>& is_stale) {
  int removed = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator at{directory, error}, end; !error && at != end;
       at.increment(error)) {
    const auto pid = controller_of(at->path().filename().string());
    std::error_code ignored;
    if (pid && is_stale(*pid) && std::filesystem::remove(at->path(), ignored)) ++removed;
  }
  return removed;
}

}  // namespace

std::string segment_prefix(pid_t controller) {
  return "/" + std::string{kStem} + std::to_string(controller) + "-";
}

int remove_segments(const std::filesystem::path& directory, pid_t controller) {
  return sweep(directory, [&](pid_t pid) { return pid == controller; });
}

int remove_stale_segments(const std::filesystem::path& directory) {
  return sweep(directory, [](pid_t pid) { return ::kill(pid, 0) != 0 && errno == ESRCH; });
}

}  // namespace stepbench::run
