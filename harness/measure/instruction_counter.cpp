// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/instruction_counter.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

#include "harness/base/error.h"

namespace stepbench::measure {
namespace {

// Layout of PERF_FORMAT_TOTAL_TIME_ENABLED and _RUNNING.
struct CounterValue {
  std::uint64_t count = 0;
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
};

int open_on_host(pid_t thread, bool thread_only) {
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.inherit = 1;
  attributes.inherit_thread = thread_only ? 1 : 0;
  const long result = ::syscall(SYS_perf_event_open, &attributes, thread, /*cpu=*/-1, /*group=*/-1,
                                PERF_FLAG_FD_CLOEXEC);
  return result < 0 ? -errno : static_cast<int>(result);
}

std::vector<pid_t> own_threads() {
  std::vector<pid_t> threads;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    const std::string name = entry.path().filename();
    pid_t thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec == std::errc{}) {
      threads.push_back(thread);
    }
  }
  return threads;
}

std::string reason_of(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      return "this user may not use the processor's counters (kernel.perf_event_paranoid at most 2 "
             "and, in a container, a seccomp profile with perf_event_open allow it)";
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return "this processor has no instruction counter, like most virtual machines";
    case ENOSYS:
      return "this kernel has no perf_event_open";
    case EMFILE:
      return "there are too many threads for the limit of open files (ulimit -n)";
    default:
      return std::string("perf_event_open: ") + std::strerror(error);
  }
}

}  // namespace

PerfCalls host_perf_calls() {
  return {.open = open_on_host,
          .read =
              [](int descriptor, void* into, std::size_t bytes) {
                const ssize_t count = ::read(descriptor, into, bytes);
                return count < 0 ? -errno : count;
              },
          .close = [](int descriptor) { ::close(descriptor); },
          .threads = own_threads};
}

InstructionCounter::InstructionCounter(PerfCalls calls) : calls_(std::move(calls)) {
  try {
    open_all();
  } catch (...) {
    for (const int event : events_) calls_.close(event);
    throw;
  }
}

InstructionCounter::~InstructionCounter() {
  for (const int event : events_) calls_.close(event);
}

void InstructionCounter::open_all() {
  bool thread_only = true;
  for (const pid_t thread : calls_.threads()) {
    int event = calls_.open(thread, thread_only);
    if (event == -EINVAL && thread_only) {
      thread_only = false;
      event = calls_.open(thread, thread_only);
    }
    if (event == -ESRCH) continue;  // the thread has ended
    if (event < 0) throw Error(reason_of(-event));
    events_.push_back(event);
  }
  if (events_.empty()) throw Error("no thread of this process could be counted");
}

InstructionCounter::Reading InstructionCounter::read() const {
  Reading reading;
  for (const int event : events_) {
    CounterValue value;
    const ssize_t count = calls_.read(event, &value, sizeof value);
    if (count != static_cast<ssize_t>(sizeof value)) {
      throw Error("a counter of instructions could not be read" +
                  (count < 0 ? std::string(": ") + std::strerror(static_cast<int>(-count))
                             : std::string()));
    }
    reading.instructions += static_cast<std::int64_t>(value.count);
    reading.shared = reading.shared || value.running_ns < value.enabled_ns;
  }
  return reading;
}

std::string no_counters_reason(PerfCalls calls) {
  try {
    (void)InstructionCounter(std::move(calls)).read();
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace stepbench::measure
