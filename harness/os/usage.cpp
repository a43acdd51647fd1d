// SPDX-License-Identifier: Apache-2.0
#include "harness/os/usage.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "harness/os/text_file.h"

namespace stepbench::os {
namespace {

std::int64_t to_ns(const timeval& time) {
  return (std::int64_t{time.tv_sec} * 1'000'000 + time.tv_usec) * 1000;
}

Usage usage_of_kind(int who) {
  rusage now{};
  ::getrusage(who, &now);
  return {to_ns(now.ru_utime), to_ns(now.ru_stime), now.ru_minflt,
          now.ru_majflt,       now.ru_nvcsw,        now.ru_nivcsw};
}

}  // namespace

Usage& Usage::operator+=(const Usage& other) {
  user_ns += other.user_ns;
  system_ns += other.system_ns;
  minor_faults += other.minor_faults;
  major_faults += other.major_faults;
  voluntary_switches += other.voluntary_switches;
  involuntary_switches += other.involuntary_switches;
  return *this;
}

Usage operator-(Usage a, const Usage& b) {
  a.user_ns -= b.user_ns;
  a.system_ns -= b.system_ns;
  a.minor_faults -= b.minor_faults;
  a.major_faults -= b.major_faults;
  a.voluntary_switches -= b.voluntary_switches;
  a.involuntary_switches -= b.involuntary_switches;
  return a;
}

Usage current_usage() { return usage_of_kind(RUSAGE_SELF); }

Usage usage_of_ended_children() { return usage_of_kind(RUSAGE_CHILDREN); }

Usage usage_of(pid_t process) {
  // Indices of fields in /proc/N/stat after the name, counted from the state (proc_pid_stat(5)
  // minus 3).
  constexpr std::size_t kMinorFaults = 7;
  constexpr std::size_t kMajorFaults = 9;
  constexpr std::size_t kUserTicks = 11;
  constexpr std::size_t kSystemTicks = 12;
  const std::filesystem::path folder = std::filesystem::path("/proc") / std::to_string(process);
  const std::string stat = read_text(folder / "stat").value_or("");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return {};
  const auto words = split_words(std::string_view(stat).substr(name_end + 1));
  if (words.size() <= kSystemTicks) return {};
  const auto number = [&](std::size_t word) { return parse_integer(words[word]).value_or(0); };
  const std::string status = read_text(folder / "status").value_or("");
  const auto switches = [&](std::string_view name) {
    return parse_integer(find_field(status, name).value_or("")).value_or(0);
  };
  const std::int64_t tick_ns = 1'000'000'000 / ::sysconf(_SC_CLK_TCK);
  return {.user_ns = number(kUserTicks) * tick_ns,
          .system_ns = number(kSystemTicks) * tick_ns,
          .minor_faults = number(kMinorFaults),
          .major_faults = number(kMajorFaults),
          .voluntary_switches = switches("voluntary_ctxt_switches"),
          .involuntary_switches = switches("nonvoluntary_ctxt_switches")};
}

// Not ru_maxrss: it survives exec and would report the parent's size.
std::int64_t peak_rss_bytes() {
  const std::string status = read_text("/proc/self/status").value_or("");
  return parse_integer(find_field(status, "VmHWM").value_or("")).value_or(0) * 1024;
}

std::optional<std::int64_t> held_bytes() {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  const auto free = static_cast<std::int64_t>(::mallinfo2().fordblks);
  const std::string status = read_text("/proc/self/status").value_or("");
  std::int64_t kib = 0;
  for (const std::string_view field : {"RssAnon", "RssShmem"}) {
    const auto value = parse_integer(find_field(status, field).value_or(""));
    if (!value) return std::nullopt;
    kib += *value;
  }
  return kib * 1024 - free;
#else
  return std::nullopt;
#endif
}

}  // namespace stepbench::os
