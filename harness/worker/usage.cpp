// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/usage.h"

#include <sys/resource.h>

#include <fstream>
#include <limits>
#include <string>

namespace stepbench {
namespace {

std::int64_t to_ns(const timeval& time) {
  return (std::int64_t{time.tv_sec} * 1'000'000 + time.tv_usec) * 1000;
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

Usage current_usage() {
  rusage now{};
  ::getrusage(RUSAGE_SELF, &now);
  return {to_ns(now.ru_utime), to_ns(now.ru_stime), now.ru_minflt,
          now.ru_majflt,       now.ru_nvcsw,        now.ru_nivcsw};
}

// Not ru_maxrss: that one survives exec and would report the parent's size.
std::int64_t peak_rss_bytes() {
  std::ifstream status("/proc/self/status");
  std::string key;
  while (status >> key) {
    if (key == "VmHWM:") {
      std::int64_t kib = 0;
      return status >> kib ? kib * 1024 : 0;
    }
    status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

}  // namespace stepbench
