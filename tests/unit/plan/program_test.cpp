// SPDX-License-Identifier: Apache-2.0
// `stepbench list` and `stepbench plan` as programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "harness/os/command.h"
#include "tests/temporary_folder.h"

namespace stepbench::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

os::CommandResult ran(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), STEPBENCH_BINARY_DIR "/tools/stepbench/stepbench");
  return os::run_command(arguments, "", std::chrono::minutes(10));
}

std::string listed(const std::string& name, const std::string& format = "table") {
  const os::CommandResult result = ran({"list", name, "--format", format});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  return result.out;
}

TEST(ListCommand, ShowsTheSectionThenTheWorkloadOfThatName) {
  const std::string text = listed("loader");
  EXPECT_THAT(text, StartsWith("loader\n"));
  EXPECT_LT(text.find("loader.num_workers"), text.find("Sections that it reads"));
  EXPECT_THAT(listed("loader", "markdown"),
              AllOf(StartsWith("## `loader`"), HasSubstr("`loader.num_workers`"),
                    HasSubstr("| workload |")));
}

TEST(ListCommand, ShowsAnOptionByItsShortName) {
  EXPECT_THAT(listed("num_workers"), StartsWith("loader.num_workers\n"));
  EXPECT_THAT(listed("precision"), StartsWith("model.precision\n"));
  EXPECT_THAT(listed("precision", "json"), HasSubstr(R"("name": "precision")"));
}

TEST(ListCommand, ShowsTheOptionsThatStandInNoSection) {
  EXPECT_THAT(listed("top-level"), AllOf(HasSubstr("  launches *\n"), Not(HasSubstr("loader."))));
  EXPECT_EQ(listed("top-level"), listed("(top level)"));
}

TEST(ListCommand, ExplainsOnceWhatIsNoPartOfAnIdentity) {
  const std::string text = listed("limits");
  EXPECT_THAT(text, HasSubstr("  limits.wall_s *\n"));
  const std::size_t legend = text.find("Not part of a case's identity");
  ASSERT_NE(legend, std::string::npos);
  EXPECT_EQ(text.find("Not part of a case's identity", legend + 1), std::string::npos);
}

TEST(PlanCommand, AnswersOtherToolsWordsWithOurs) {
  const auto answer = [](const std::string& yaml) {
    return os::run_command({STEPBENCH_BINARY_DIR "/tools/stepbench/stepbench", "plan", "-"}, yaml,
                           std::chrono::minutes(10))
        .err;
  };
  EXPECT_THAT(answer("workload: train_step\noptimizer: {learning_rate: 1}\n"),
              HasSubstr("did you mean 'lr'?"));
  EXPECT_THAT(answer("workload: loader\ndata: {kind: ImageFolder}\n"),
              HasSubstr("did you mean 'jpeg_folder'?"));
  EXPECT_THAT(answer("workload: loader\nloader: {bs: 1}\n"),
              HasSubstr("did you mean 'batch_size'?"));
}

TEST(ListCommand, AnUnknownNameIsAnsweredWithTheNearest) {
  const os::CommandResult result = ran({"list", "num_wrokers"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("did you mean 'loader.num_workers'?"));
}

}  // namespace
}  // namespace stepbench::testing
