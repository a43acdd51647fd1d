// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/thread_times.h"

#include <string>
#include <system_error>

#include "harness/os/text_file.h"

namespace stepbench::machine {
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
