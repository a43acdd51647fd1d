// SPDX-License-Identifier: Apache-2.0
#include "harness/os/process_exit.h"

#include <gmock/gmock.h>
#include <sys/wait.h>

namespace stepbench::os {
namespace {

using ::testing::HasSubstr;

TEST(ProcessExit, TellsStatusFromSignalFromMemory) {
  EXPECT_EQ(exit_text({.status = W_EXITCODE(3, 0)}), "exited with status 3");
  EXPECT_EQ(exit_text({.status = SIGSEGV}), "was killed by SIGSEGV (Segmentation fault)");
  EXPECT_EQ(
      exit_text(
          {.status = SIGKILL, .oom_killed = true, .memory_limit_bytes = std::int64_t{64} << 20}),
      "was killed by the kernel for lack of memory (the limit of its control group is 64 MiB)");
  EXPECT_THAT(exit_text({.status = W_EXITCODE(1, 0), .oom_killed = true}),
              HasSubstr("after a process of its control group was killed for lack of memory"));
}

TEST(ProcessExit, SaysWhatABusErrorComesFrom) {
  EXPECT_EQ(exit_text({.status = SIGBUS}),
            "was killed by SIGBUS (Bus error) (a mapped file was changed or truncated while it was "
            "read, or /dev/shm is full)");
}

TEST(ProcessExit, ReadsWhatWaitidSays) {
  siginfo_t info{};
  info.si_code = CLD_EXITED;
  info.si_status = 3;
  EXPECT_EQ(exit_text({.status = wait_status(info)}), "exited with status 3");
  info.si_code = CLD_DUMPED;
  info.si_status = SIGSEGV;
  EXPECT_EQ(exit_text({.status = wait_status(info)}), "was killed by SIGSEGV (Segmentation fault)");
}

}  // namespace
}  // namespace stepbench::os
