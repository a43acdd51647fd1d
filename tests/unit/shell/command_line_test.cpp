// SPDX-License-Identifier: Apache-2.0
// Help, and the errors of wrong command lines, with the expected words in our own terms.
#include "harness/text/printable.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"
#include "tests/unit/shell/program.h"

namespace stepbench {
namespace {

using testing::stepbench;

const std::vector<std::string> kCommands = {
    "plan",   "run",  "ab",     "tune",   "show",    "compare", "runs",    "list",  "schema",
    "doctor", "data", "export", "report", "nightly", "track",   "analyze", "bisect"};

TEST(Help, CommandAndOption_PrintTheSame) {
  for (const std::string& command : kCommands) {
    const os::CommandResult asked = stepbench({"help", command});
    EXPECT_EQ(asked.exit_status, 0);
    EXPECT_EQ(asked.out, stepbench({command, "--help"}).out);
    EXPECT_EQ(asked.out, stepbench({command, "-h"}).out);
  }
  EXPECT_EQ(stepbench({"-V"}).out, stepbench({"--version"}).out);
  EXPECT_EQ(stepbench({"help", "data", "make", "jpeg_folder"}).out,
            stepbench({"data", "make", "jpeg_folder", "--help"}).out);
}

// The parser's own names for kinds of values must not appear.
TEST(Help, Page_FitsAScreen) {
  std::vector<std::vector<std::string>> commands = {{}};
  for (const std::string& name : kCommands) commands.push_back({name});
  for (const char* name : {"add", "check", "merge", "note", "prune", "show"}) {
    commands.push_back({"track", name});
  }
  for (std::vector<std::string>& command : commands) {
    command.emplace_back("--help");
    const std::string screen = stepbench(command).out;
    command.back() = "--help-all";
    const std::string all = stepbench(command).out;
    EXPECT_LE(testing::lines_of_text(screen).size(), 40U) << screen;
    EXPECT_TRUE(screen == all || screen.find("--help-all") != std::string::npos) << screen;
    for (const char* raw : {"REQUIRED", ":{", "UINT", "FLOAT"}) {
      EXPECT_THAT(all, Not(HasSubstr(raw)));
    }
    for (const std::string& line : testing::lines_of_text(all)) {
      const bool example = line.starts_with("  stepbench ") || line.starts_with("    ");
      EXPECT_TRUE(example || text::width(line) <= 80) << line;
    }
  }
}

TEST(Help, Topic_PrintsItsPage) {
  EXPECT_THAT(stepbench({"help", "cookbook"}).out, StartsWith("# What to do when\n"));
  const std::string memory = stepbench({"help", "out", "of", "memory"}).out;
  EXPECT_THAT(memory, StartsWith("## Out of memory\n"));
  EXPECT_THAT(memory, Not(HasSubstr("## Is my machine good enough?")));
  EXPECT_EQ(stepbench({"help", "out of memory"}).out, memory);
  EXPECT_EQ(stepbench({"help", "cookbook", "MEMORY"}).out, memory);
  const os::CommandResult nowhere = stepbench({"help", "cookbook", "zebras"});
  EXPECT_EQ(nowhere.exit_status, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("has no section about 'zebras'; sections: What to do"));
}

// A generated trace: the cause of the deepest operators' waits is searched through all operators
// around them.
TEST(Analyze, TimeLimit_EndsTheAnalysis) {
  const test::TemporaryFolder folder;
  constexpr int kRows = 20'000;
  std::string rows;
  for (int i = 0; i < 2 * kRows; ++i) {
    const bool op = i < kRows;
    rows +=
        std::string(i == 0 ? "" : ",") + R"({"ph":"X","pid":1,"tid":1,"cat":")" +
        (op ? R"(cpu_op","name":"aten::add")" : R"(cuda_runtime","name":"cudaStreamSynchronize")") +
        ",\"ts\":" + std::to_string(i) +
        ",\"dur\":" + std::to_string(op ? 4 * kRows - 2 * i : 0.5) + '}';
  }
  folder.write("t.json", "{\"traceEvents\":[" + rows + "]}");
  const os::CommandResult done = stepbench({"analyze", folder / "t.json", "--time-limit", "0.001"});
  EXPECT_EQ(done.exit_status, 2);
  EXPECT_THAT(done.err, StartsWith("stepbench: error: --time-limit: the traces took more than"));
  EXPECT_THAT(done.out, IsEmpty());
}

TEST(Color, Option_WorksAnywhere) {
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

TEST(Usage, Error_NamesTheExpected) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{"--color", "always", "rnu"}, "unknown command 'rnu'"},
      {{"nosuch", "--help"}, "unknown command 'nosuch'"},
      {{"track", "nosuch", "-h"}, "unknown command 'nosuch'"},
      {{"data", "mak"}, "unknown command 'mak' (did you mean 'make'?)"},
      {{"plan"}, "FILE is missing: the experiment"},
      {{"plan", "x", "y"}, "too many arguments, the first is 'y'"},
      {{"plan", "x", "y"}, "expected stepbench plan [FILE] [ARGS...] [OPTIONS]"},
      {{"run", "--smok", "x"}, "unknown option '--smok' (did you mean '--smoke'?)"},
      {{"run", "x", "-x"}, "unknown option '-x'"},
      {{"ab", "x", "--worker", "y"}, "unknown option '--worker' (did you mean '--a'?)"},
      {{"run", "x", "--launches", "0"},
       "--launches: expected a whole number from 1 to 1,000,000, found '0'"},
      {{"run", "--python", "x.py", "--launches", "many", "--", "--width", "64"},
       "--launches: expected a whole number from 1 to 1,000,000, found 'many'"},
      {{"show", "x", "--bogus", "--", "y"}, "unknown option '--bogus'"},
      {{"run", "x", "--launches"}, "--launches needs a value: --launches N"},
      {{"run", "--resume=", "x"}, "--resume needs a value: --resume"},
      {{"run", "x", "--profile="}, "--profile needs a value: --profile"},
      {{"run", "--resume", "--quiet"}, "--resume needs a value: --resume"},
      {{"run", "x", "--quiet=3"}, "--quiet takes no value"},
      {{"run", "x", "--profile=fast"}, "--profile: expected one of native, kineto, found 'fast'"},
      {{"run", "--profile", "kineto"}, "FILE: is missing: expected an experiment"},
      {{"run", "--profile", "--", "kineto"}, "kineto"},
      {{"run", "x", "--no-lock", "--wait-lock"}, "contradict each other: give one of them"},
      {{"run", "x", "--retry-failed"}, "--retry-failed is of use only with --resume RUN"},
      {{"plan", "x", "--results", "a", "--results", "b"},
       "--results is given 2 times; it takes one value"},
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

// The options of a command that take a value of this kind, from its help.
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

// harness/report/internal/answer.cpp makes commands from the words of a run.
TEST(Help, GeneratedFlags_TakeAValue) {
  const auto takes_value = [](const std::string& command, const std::string& flag) {
    return stepbench({command, "--help-all"}).out.find("\n  " + flag + " ") != std::string::npos;
  };
  for (const char* flag :
       {"--set", "--python", "--ranks", "--launches", "--results", "--resume", "--sweep"}) {
    EXPECT_TRUE(takes_value("run", flag)) << flag;
  }
  for (const char* flag : {"--set", "--a-set", "--b-set", "--python", "--ranks"}) {
    EXPECT_TRUE(takes_value("ab", flag)) << flag;
  }
}

TEST(Usage, Error_HidesThePassword) {
  for (const char* address :
       {"mysql://me:hush@host/x", "postgresql://me:hush@[::1/x", "http://me:hush@host/x"}) {
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"report", address}, {"track", "list", "--db", address}}) {
      const os::CommandResult done = stepbench(words);
      EXPECT_EQ(done.exit_status, 2) << address;
      EXPECT_THAT(done.err, Not(HasSubstr("hush"))) << address;
    }
  }
}

TEST(Usage, NumberOption_RejectsAWord) {
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

// The options of `model` and `schedule` in a file, not rarely used ones of the same name.
TEST(Usage, ShortName_MeansTheSameAsInAFile) {
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
