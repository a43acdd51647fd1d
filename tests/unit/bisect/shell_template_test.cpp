// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/internal/shell_template.h"

#include "harness/os/process.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::bisect {
namespace {

constexpr std::array<ShellHole, 1> kHoles = {{{"{worktree}", "STEPBENCH_WORKTREE"}}};

// Output of sh.
std::string said(const std::string& command, const std::string& value) {
  const os::CommandResult result =
      os::run_command({"sh", "-c", with_variables(command, kHoles)}, "", std::chrono::minutes(10),
                      {.set = {"STEPBENCH_WORKTREE=" + value}});
  return result.out + result.err;
}

TEST(ShellTemplate, Placeholder_IsFilledInsideQuotes) {
  const std::string value = "my project";
  for (const char* word : {"{worktree}/x", "\"{worktree}/x\"", "'{worktree}'/x", "'{worktree}/x'",
                           "\"$(printf %s {worktree}/x)\"", "\"$(printf %s \"{worktree}/x\")\"",
                           "\"it's {worktree}/x\"", "it\\'s' {worktree}/x'"}) {
    const std::string text = said(std::string("printf '<%s>' ") + word, value);
    EXPECT_NE(text.find("my project/x>"), std::string::npos) << word << ": " << text;
    EXPECT_EQ(text.find('<', 1), std::string::npos) << word << ": " << text;
  }
  EXPECT_EQ(said("# don't\nprintf %s {worktree}", value), value);
  EXPECT_EQ(said("(printf %s {worktree}); printf '%s' '{worktree}'", value), value + value);
}

TEST(ShellTemplate, Value_IsNeverRun) {
  const test::TemporaryFolder folder;
  const std::string mark = folder / "mark";
  for (const std::string& value : {"pr-7$(touch " + mark + ")", "pr-7`touch " + mark + "`",
                                   "a'; touch " + mark + "; '", "a\"; touch " + mark + "; \""}) {
    for (const char* word :
         {"{worktree}", "\"{worktree}\"", "'{worktree}'", "\"$(echo {worktree})\"",
          "\\\\{worktree}", "\"\\\"{worktree}\"", "\"'{worktree}'\""}) {
      const std::string text = said(std::string("printf %s ") + word, value);
      EXPECT_NE(text.find(value), std::string::npos) << word << ": " << text;
      EXPECT_FALSE(fs::exists(mark)) << word << " of " << value;
    }
  }
}

TEST(ShellTemplate, InnerShell_IsDetected) {
  for (const char* command :
       {"sh -c 'cd {worktree} && make'", "/bin/bash -lc \"make -C {worktree}\"",
        "env A=1 sh -e -c {worktree}/build.sh", "eval make -C {worktree}",
        "docker run image bash -c 'make -C {worktree}'"}) {
    EXPECT_TRUE(is_read_again(command, kHoles)) << command;
  }
  for (const char* command : {"make -C {worktree}", "sh {worktree}/build.sh -c",
                              "cd {worktree} && sh -c 'make all'", "publish -c {worktree}",
                              "medieval {worktree}", "sh -c 'make -C \"$STEPBENCH_WORKTREE\"'"}) {
    EXPECT_FALSE(is_read_again(command, kHoles)) << command;
  }
}

}  // namespace
}  // namespace stepbench::bisect
