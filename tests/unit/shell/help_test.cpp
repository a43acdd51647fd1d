// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/text/utf8.h"
#include "tests/unit/shell/program.h"

namespace stepbench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using testing::stepbench;

const std::vector<std::string> kCommands = {"plan",    "run",    "ab",    "tune",   "show",
                                            "compare", "runs",   "list",  "schema", "doctor",
                                            "data",    "export", "report"};

TEST(Help, IsTheSameByTheCommandAndByTheOption) {
  for (const std::string& command : kCommands) {
    const os::CommandResult asked = stepbench({"help", command});
    EXPECT_EQ(asked.exit_status, 0);
    EXPECT_EQ(asked.out, stepbench({command, "--help"}).out);
    EXPECT_EQ(asked.out, stepbench({command, "-h"}).out);
    EXPECT_THAT(asked.out, HasSubstr("\nUsage:\n  stepbench " + command));
  }
  EXPECT_EQ(stepbench({"help"}).out, stepbench({"--help"}).out);
  EXPECT_EQ(stepbench({"help", "data", "make", "jpeg_folder"}).out,
            stepbench({"data", "make", "jpeg_folder", "--help"}).out);
}

TEST(Help, NamesValuesAndGroupsOfOptions) {
  const std::string text = stepbench({"run", "--help-all"}).out;
  for (const char* part : {"\n  FILE  ", "\nWhich cases:\n", "\nHow to measure:\n", "\nThe run:\n",
                           "\n  --launches N  ", "\n  --set KEY=VALUE  ", "\n  --resume RUN  ",
                           "\n  --profile[=native|kineto]\n", "(default: 100000)"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  for (const char* raw : {"TEXT", "REQUIRED", "INT", ":{", "UINT", "FLOAT"}) {
    for (const std::string& command : kCommands) {
      EXPECT_THAT(stepbench({command, "--help-all"}).out, Not(HasSubstr(raw))) << command;
    }
  }
}

TEST(Help, SentencesKeepTo80ColumnsAwayFromATerminal) {
  for (const std::string& command : kCommands) {
    for (const std::string& line : testing::lines_of_text(stepbench({command, "--help-all"}).out)) {
      const bool example = line.starts_with("  stepbench ") || line.starts_with("    ");
      EXPECT_TRUE(example || text::width(line) <= 80) << command << ": " << line;
    }
  }
}

// In 80 columns what an example does stands below it; the example itself stays as it is to be
// typed.
TEST(Help, AnExampleOfSeveralLinesStaysAsItIsTyped) {
  EXPECT_THAT(
      stepbench({"bisect", "--help-all"}).out,
      HasSubstr("--versions 2.10.0,2.11.0,2.12.0 \\\n"
                "      --build 'python3 -m venv {worktree}/venv && {worktree}/venv/bin/pip install "
                "torch=={version}' \\\n"
                "      --set interpreter={worktree}/venv/bin/python\n"));
}

TEST(Help, OfEachCommandIsAScreenAndTheRestIsBehindHelpAll) {
  std::vector<std::vector<std::string>> commands = {{}};
  for (const std::string& name : kCommands) commands.push_back({name});
  for (const char* name : {"nightly", "track", "analyze", "bisect", "tune"}) {
    commands.push_back({name});
  }
  for (const char* name :
       {"acknowledge", "add", "assign", "baseline", "bisect", "check", "confirm", "export",
        "ignore", "list", "merge", "note", "prune", "report", "screen", "show", "why-split"}) {
    commands.push_back({"track", name});
  }
  for (const char* name : {"prune", "compress", "redact"}) commands.push_back({"runs", name});
  for (const char* name : {"make", "show"}) commands.push_back({"data", name});
  for (std::vector<std::string>& command : commands) {
    command.emplace_back("--help");
    const std::string screen = stepbench(command).out;
    command.back() = "--help-all";
    const std::string all = stepbench(command).out;
    EXPECT_LE(testing::lines_of_text(screen).size(), 40U) << screen;
    EXPECT_GE(all.size() + 200, screen.size());
    EXPECT_TRUE(screen == all || screen.find("--help-all") != std::string::npos) << screen;
  }
  EXPECT_EQ(stepbench({"help", "out of memory"}).out,
            stepbench({"help", "out", "of", "memory"}).out);
  const std::string run = stepbench({"run", "--help"}).out;
  EXPECT_THAT(run, HasSubstr("  --sweep KEY=V1,V2,..."));
  EXPECT_THAT(run, HasSubstr("  stepbench run configs/quickstart.yaml"));
  EXPECT_THAT(run, Not(HasSubstr("--wait-lock")));
  EXPECT_THAT(stepbench({"run", "--help-all"}).out, HasSubstr("--wait-lock"));
}

TEST(Help, PrintsPagesByTheirTopicAndFindsWordsInThem) {
  EXPECT_THAT(stepbench({"help", "topics"}).out, HasSubstr("\ncookbook "));
  EXPECT_THAT(stepbench({"help", "cookbook"}).out, StartsWith("# What to do when\n"));
  const std::string memory = stepbench({"help", "out", "of", "memory"}).out;
  EXPECT_THAT(memory, StartsWith("## Out of memory\n"));
  EXPECT_THAT(memory, HasSubstr("(results/COOKBOOK.md, stepbench help cookbook)\n"));
  EXPECT_THAT(memory, Not(HasSubstr("## Is my machine good enough?")));
  EXPECT_EQ(stepbench({"help", "cookbook", "MEMORY"}).out, memory);
  EXPECT_THAT(stepbench({"help", "prefetch_factor"}).out, HasSubstr("stepbench help PAGE WORDS"));
  const os::CommandResult nowhere = stepbench({"help", "cookbook", "zebras"});
  EXPECT_EQ(nowhere.exit_status, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("has nothing about 'zebras'; its sections are: What to do"));
}

TEST(Help, OfACommandThatThereIsNotExitsWith2) {
  for (const char* flag : {"--help", "-h", "--help-all"}) {
    const os::CommandResult asked = stepbench({"nosuch", flag});
    EXPECT_EQ(asked.exit_status, 2) << flag;
    EXPECT_THAT(asked.err, HasSubstr("unknown command 'nosuch'"));
    EXPECT_THAT(asked.out, IsEmpty());
  }
  EXPECT_EQ(stepbench({"track", "nosuch", "--help"}).exit_status, 2);
}

TEST(Help, OfNothingNamesTheCommandsOnStandardErrorAndExitsWith2) {
  const os::CommandResult bare = stepbench({});
  EXPECT_EQ(bare.exit_status, 2);
  EXPECT_THAT(bare.out, IsEmpty());
  EXPECT_EQ(bare.err, stepbench({"--help"}).out);
  EXPECT_EQ(stepbench({"data"}).exit_status, 2);
  EXPECT_THAT(stepbench({"data"}).err, HasSubstr("Usage:\n  stepbench data COMMAND"));
}

TEST(Help, OfAnUnknownCommandNamesTheNearest) {
  const os::CommandResult asked = stepbench({"help", "shwo"});
  EXPECT_EQ(asked.exit_status, 2);
  EXPECT_THAT(asked.err, HasSubstr("unknown command 'shwo' (did you mean 'show'?)"));
}

TEST(Version, IsOneLine) {
  const os::CommandResult asked = stepbench({"-V"});
  EXPECT_EQ(asked.exit_status, 0);
  EXPECT_THAT(asked.out, StartsWith("stepbench "));
  EXPECT_EQ(asked.out, stepbench({"--version"}).out);
}

TEST(Color, IsOnOrOffWhereverTheOptionStands) {
  const std::string red = "\033[31m";
  EXPECT_THAT(stepbench({"run"}).err, Not(HasSubstr(red))) << "no terminal";
  for (const auto& line :
       std::vector<std::vector<std::string>>{{"--color=always", "run"},
                                             {"--color", "always", "run"},
                                             {"run", "--color=always"},
                                             {"--color=never", "run", "--color", "always"}}) {
    const os::CommandResult wrong = stepbench(line);
    EXPECT_THAT(wrong.err, HasSubstr(red));
    EXPECT_EQ(wrong.exit_status, 2);
  }
  EXPECT_THAT(stepbench({"--color=always", "run", "--color=never"}).err, Not(HasSubstr(red)));
  EXPECT_THAT(stepbench({"help", "run", "--color=always"}).out, HasSubstr("\033[1mUsage:"));
}

}  // namespace
}  // namespace stepbench
