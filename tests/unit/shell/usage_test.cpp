// SPDX-License-Identifier: Apache-2.0
// Every wrong command line is answered with what was expected, in our words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/shell/program.h"

namespace stepbench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::stepbench;

std::string answer_to(const std::vector<std::string>& arguments) {
  const os::CommandResult wrong = stepbench(arguments);
  EXPECT_EQ(wrong.exit_status, 2);
  EXPECT_THAT(wrong.out, IsEmpty());
  for (const char* raw : {"TEXT", "INT", "not in range", "Could not convert", "required but",
                          "is required", "were not expected", "override"}) {
    EXPECT_THAT(wrong.err, Not(HasSubstr(raw)));
  }
  return wrong.err;
}

TEST(Usage, AnswersNameWhatWasExpected) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{"rnu"}, "unknown command 'rnu' (did you mean 'run'?)"},
      {{"--color", "always", "rnu"}, "unknown command 'rnu'"},
      {{"data", "mak"}, "unknown command 'mak' (did you mean 'make'?)"},
      {{"plan"}, "FILE is missing: the experiment"},
      {{"compare", "a"}, "NEW is missing"},
      {{"plan", "x", "y"}, "too many arguments, the first is 'y'"},
      {{"plan", "x", "y"}, "expected stepbench plan [FILE] [ARGS...] [OPTIONS]"},
      {{"run", "--smok", "x"}, "unknown option '--smok' (did you mean '--smoke'?)"},
      {{"run", "x", "-x"}, "unknown option '-x'"},
      {{"run", "x", "--launches", "0"},
       "--launches: expected a whole number from 1 to 1,000,000, found '0'"},
      {{"run", "--python", "x.py", "--launches", "many", "--", "--width", "64"},
       "--launches: expected a whole number from 1 to 1,000,000, found 'many'"},
      {{"show", "x", "--bogus", "--", "y"}, "unknown option '--bogus'"},
      {{"run", "x", "--launches"}, "--launches needs a value: --launches N"},
      {{"run", "x", "--set"}, "--set needs a value: --set KEY=VALUE"},
      {{"run", "x", "--quiet=3"}, "--quiet takes no value"},
      {{"run", "x", "--profile=fast"}, "--profile: expected one of native, kineto, found 'fast'"},
      {{"run", "--profile", "kineto"}, "FILE: is missing: expected an experiment"},
      {{"run", "--profile", "--", "kineto"}, "kineto"},
      {{"run", "x", "--no-lock", "--wait-lock"}, "contradict each other: give one of them"},
      {{"run", "x", "--retry-failed"}, "--retry-failed is of use only with --resume RUN"},
      {{"plan", "x", "--results", "a", "--results", "b"},
       "--results is given 2 times; it takes one value"},
      {{"list", "--format", "tabel"}, "found 'tabel' (did you mean 'table'?)"},
      {{"doctor", "--seconds", "1m"}, "--seconds: expected seconds from 0.01 to 3600, found '1m'"},
      {{"doctor", "--measure", "5"}, "--measure: expected seconds from 10 to 86400, found '5'"},
      {{"doctor", "--measure=a minute"}, "--measure: expected seconds from 10 to 86400"},
      {{"doctor", "--root", "/no/such/folder"}, "--root: expected a folder"},
      {{"data", "make", "jpeg_folder"}, "--out DIR is missing: folder to make"},
      {{"data", "make", "jpeg_folder", "--out", "x", "--images", "ten"},
       "--images: expected a whole number"},
      {{"help", "run", "x"}, "`stepbench run` has no commands"},
  };
  for (const auto& [arguments, expected] : wrong) {
    EXPECT_THAT(answer_to(arguments), HasSubstr(expected));
  }
}

// The options of a command that take a value of this kind, as its help shows them.
std::vector<std::string> options_with(const std::string& command, const std::string& value) {
  std::vector<std::string> found;
  for (const std::string& line : testing::lines_of_text(stepbench({command, "--help-all"}).out)) {
    if (!line.starts_with("  --")) continue;
    const std::string name = line.substr(2, line.find_first_of(" ,[", 2) - 2);
    const std::string rest = line.substr(2 + name.size());
    if (rest.starts_with(" " + value + " ") || rest.starts_with(" [" + value + "]")) {
      found.push_back(name);
    }
  }
  return found;
}

TEST(Usage, EveryOptionThatTakesANumberRefusesAWord) {
  std::size_t tried = 0;
  for (const char* command : {"plan", "run", "ab", "show"}) {
    for (const std::string& option : options_with(command, "N")) {
      for (const char* value : {"many", "-1", "1.5", "99999999999999999999"}) {
        const std::string line = option + "=" + value;
        EXPECT_THAT(answer_to({command, "x", line}),
                    HasSubstr(option + ": expected a whole number"))
            << command << " " << line;
        ++tried;
      }
    }
  }
  EXPECT_GE(tried, 7U * 4U);
}

// What stands in a file under `model` and `schedule`, not the options of the same name that few
// set.
TEST(Usage, AShortNameMeansWhatAFileMeansByIt) {
  const std::string file = std::string(STEPBENCH_SOURCE_DIR) + "/configs/train_mlp.yaml";
  const auto cases_with = [&](const std::vector<std::string>& options) {
    std::vector<std::string> line = {"plan", file, "--format", "json"};
    line.insert(line.end(), options.begin(), options.end());
    const os::CommandResult planned = stepbench(line);
    EXPECT_EQ(planned.exit_status, 0) << planned.err;
    return planned.out;
  };
  EXPECT_EQ(cases_with({"--set", "active=7", "--set", "warmup=2", "--set", "batch_size=8"}),
            cases_with({"--set", "schedule.active=7", "--set", "schedule.warmup=2", "--set",
                        "loader.batch_size=8"}));
  EXPECT_EQ(cases_with({"--sweep", "precision=fp32,bf16"}),
            cases_with({"--sweep", "model.precision=fp32,bf16"}));
  EXPECT_NE(cases_with({"--set", "profile.active=7"}), cases_with({"--set", "active=7"}));
  EXPECT_THAT(
      answer_to({"plan", file, "--set", "kind=mlp"}),
      HasSubstr("'kind' may be data.kind, model.kind or optimizer.kind; write one in full"));
}

}  // namespace
}  // namespace stepbench
