// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/instruction_counter.h"

#include <cerrno>
#include <cstring>

#include "harness/base/error.h"
#include "tests/testing.h"

namespace stepbench::measure {
namespace {

// A kernel with two threads and results set by the test.
struct ScriptedKernel {
  std::vector<pid_t> threads = {10, 11};
  std::map<pid_t, int> open_errors = {};
  bool knows_threads_alone = true;
  std::array<std::uint64_t, 3> value = {1000, 50, 50};  // count, enabled, running
  std::vector<pid_t> opened = {};
  std::vector<bool> opened_alone = {};
  int closed = 0;

  PerfCalls calls() {
    return {.open = [this](pid_t thread, bool thread_only) -> int {
              if (thread_only && !knows_threads_alone) return -EINVAL;
              const auto error = open_errors.find(thread);
              if (error != open_errors.end()) return -error->second;
              opened.push_back(thread);
              opened_alone.push_back(thread_only);
              return 100 + static_cast<int>(opened.size());
            },
            .read = [this](int, void* into, std::size_t bytes) -> ssize_t {
              std::memcpy(into, value.data(), bytes);
              return static_cast<ssize_t>(bytes);
            },
            .close = [this](int) { ++closed; },
            .threads = [this] { return threads; }};
  }
};

TEST(InstructionCounter, Threads_AreSummedAndClosed) {
  ScriptedKernel kernel;
  {
    const InstructionCounter counter(kernel.calls());
    const auto reading = counter.read();
    EXPECT_EQ(reading.instructions, 2000);
    EXPECT_FALSE(reading.shared);
  }
  EXPECT_THAT(kernel.opened, ElementsAre(10, 11));
  EXPECT_EQ(kernel.closed, 2);
}

TEST(InstructionCounter, EndedOrSharedThread_IsHandled) {
  ScriptedKernel kernel;
  kernel.open_errors[10] = ESRCH;  // a thread that has ended
  kernel.knows_threads_alone = false;
  kernel.value = {1000, 50, 40};  // others used the counter for a while
  const InstructionCounter counter(kernel.calls());
  EXPECT_EQ(counter.read().instructions, 1000);
  EXPECT_TRUE(counter.read().shared);
  EXPECT_THAT(kernel.opened_alone, ElementsAre(false)) << "it is asked the old way";
}

TEST(InstructionCounter, NoCounters_GiveAReason) {
  const std::map<int, std::string> reasons = {
      {EACCES, "perf_event_paranoid"}, {EPERM, "seccomp"},
      {ENOENT, "virtual machines"},    {ENOSYS, "kernel has no perf_event_open"},
      {EMFILE, "ulimit -n"},           {EBUSY, "busy"}};
  for (const auto& [error, reason] : reasons) {
    ScriptedKernel kernel;
    kernel.open_errors[11] = error;
    EXPECT_THAT(no_counters_reason(kernel.calls()), HasSubstr(reason));
    EXPECT_EQ(kernel.closed, 1) << "what was opened is closed";
  }
}

TEST(InstructionCounter, ThisMachine_CountsOrStatesCause) {
  if (const std::string why = no_counters_reason(); !why.empty()) {
    GTEST_SKIP() << "needs the performance counters: " << why;
  }
  const InstructionCounter counter;
  const std::int64_t before = counter.read().instructions;
  volatile int sum = 0;
  for (int i = 0; i < 1'000'000; ++i) sum = sum + i;
  EXPECT_GE(counter.read().instructions - before, 1'000'000);
}

}  // namespace
}  // namespace stepbench::measure
