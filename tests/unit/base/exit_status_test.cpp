// SPDX-License-Identifier: Apache-2.0
#include "harness/base/exit_status.h"

#include <new>
#include <system_error>

#include "harness/base/error.h"
#include "harness/json/line_object.h"
#include "tests/testing.h"

namespace stepbench {
namespace {

TEST(ExitStatus, UserOrSystemError_IsTwo) {
  const Failure config = failure_of(ConfigError("sweep.yaml:3:1", "unknown key"), "stepbench run");
  EXPECT_EQ(config.exit_status, 2);
  EXPECT_EQ(config.text, "sweep.yaml:3:1: unknown key");
  EXPECT_EQ(failure_of(Error("disk full"), "stepbench run").exit_status, 2);
  EXPECT_EQ(failure_of(json::LineError("not JSON"), "stepbench show").exit_status, 2);
  const fs::filesystem_error file("cannot open", "results",
                                  std::make_error_code(std::errc::permission_denied));
  EXPECT_EQ(failure_of(file, "stepbench run").exit_status, 2);
  EXPECT_EQ(failure_of(file, "stepbench run").text, "results: Permission denied");
  EXPECT_EQ(failure_of(std::ios_base::failure("write"), "stepbench show").exit_status, 2);
  const std::system_error threads(std::make_error_code(std::errc::resource_unavailable_try_again));
  EXPECT_EQ(failure_of(threads, "stepbench run").exit_status, 2);
  const Failure memory = failure_of(std::bad_alloc(), "stepbench show");
  EXPECT_EQ(memory.exit_status, 2);
  EXPECT_EQ(memory.text, "out of memory");
  EXPECT_EQ(exit_status_of_signal(2), 130);
  EXPECT_EQ(exit_status_of_signal(15), 143);
}

TEST(ExitStatus, OwnBug_IsSeventyAndAsksForAReport) {
  const Failure bug = failure_of(std::out_of_range("vector::at"), "stepbench ab");
  EXPECT_EQ(bug.exit_status, 70);
  EXPECT_THAT(bug.text,
              AllOf(HasSubstr("internal error in `stepbench ab`"),
                    HasSubstr("vector::at (std::out_of_range)"), HasSubstr("please report it")));
  EXPECT_THAT(bug.text, Not(EndsWith("\n")));
}

TEST(ExitStatus, UnknownException_IsABug) {
  const Failure bug = unknown_failure("stepbench list");
  EXPECT_EQ(bug.exit_status, 70);
  EXPECT_THAT(bug.text, AllOf(HasSubstr("`stepbench list`"), HasSubstr("please report it")));
}

}  // namespace
}  // namespace stepbench
