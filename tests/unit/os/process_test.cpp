// SPDX-License-Identifier: Apache-2.0
// The kernel's data on a process: its end and its usage.
#include <sys/wait.h>
#include <unistd.h>

#include "harness/os/process.h"

#include "tests/testing.h"

namespace stepbench::os {
namespace {

TEST(ProcessExit, StatusSignalAndMemory_AreSeparate) {
  EXPECT_EQ(exit_text({.status = W_EXITCODE(3, 0)}), "exited with status 3");
  EXPECT_EQ(exit_text({.status = SIGSEGV}), "was killed by SIGSEGV (Segmentation fault)");
  EXPECT_EQ(
      exit_text(
          {.status = SIGKILL, .oom_killed = true, .memory_limit_bytes = std::int64_t{64} << 20}),
      "was killed by the kernel for lack of memory (the limit of its control group is 64 MiB)");
  EXPECT_THAT(exit_text({.status = W_EXITCODE(1, 0), .oom_killed = true}),
              HasSubstr("after a process of its control group was killed for lack of memory"));
  EXPECT_EQ(exit_text({.status = SIGBUS}),
            "was killed by SIGBUS (Bus error) (a mapped file was changed or truncated while it was "
            "read, or /dev/shm is full)");
  siginfo_t info{};
  info.si_code = CLD_EXITED;
  info.si_status = 3;
  EXPECT_EQ(exit_text({.status = wait_status(info)}), "exited with status 3");
  info.si_code = CLD_DUMPED;
  info.si_status = SIGSEGV;
  EXPECT_EQ(exit_text({.status = wait_status(info)}), "was killed by SIGSEGV (Segmentation fault)");
}

TEST(Usage, ProcReading_MatchesTheKernel) {
  const Usage before = current_usage();
  const Usage by_proc = usage_of(::getpid());
  const Usage now = current_usage();
  EXPECT_GT(by_proc.minor_faults, 0);
  EXPECT_LE(by_proc.minor_faults, now.minor_faults);
  EXPECT_LE(by_proc.voluntary_switches, now.voluntary_switches);
  EXPECT_GE((now - before).user_ns, 0);
  EXPECT_GT(peak_rss_bytes(), std::int64_t{1} << 20);
  const Usage none = usage_of(-1);
  EXPECT_EQ(none.minor_faults, 0);
  EXPECT_EQ(none.user_ns, 0);
}

TEST(Usage, Usages_AddAndSubtract) {
  const Usage a{.user_ns = 5, .system_ns = 4, .minor_faults = 3};
  const Usage b{.user_ns = 1, .system_ns = 1, .minor_faults = 1};
  EXPECT_EQ((a + b).user_ns, 6);
  EXPECT_EQ((a - b).minor_faults, 2);
}

}  // namespace
}  // namespace stepbench::os
