// SPDX-License-Identifier: Apache-2.0
// The completions, and the three scripts in the shells themselves.
#include "tests/temporary_folder.h"
#include "tests/testing.h"
#include "tests/unit/shell/program.h"

namespace stepbench {
namespace {

using ::testing::IsSupersetOf;
using testing::lines_of_text;
using testing::stepbench;

const std::string kSample = STEPBENCH_SOURCE_DIR "/results/sample";

// The completions of the last of these words.
std::vector<std::string> offered(std::vector<std::string> words) {
  words.insert(words.begin(), "__complete");
  const os::CommandResult asked = stepbench(words);
  EXPECT_EQ(asked.exit_status, 0);
  EXPECT_THAT(asked.err, IsEmpty());
  std::vector<std::string> found;
  for (const std::string& line : lines_of_text(asked.out)) {
    found.push_back(line.substr(0, line.find('\t')));
  }
  return found;
}

// The last one is empty after a blank.
std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; std::getline(stream, word, ' ');) words.push_back(word);
  if (line.back() == ' ') words.emplace_back();
  return words;
}

// All completions of the last word of a line.
TEST(Completion, EachPosition_HasItsWords) {
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"sch", "schema"},
      {"data make jpeg", "jpeg_folder"},
      {"help da", "data"},
      {"help cook", "cookbook"},
      {"completion ", "bash zsh fish"},
      {"run --dry", "--dry-run"},
      {"run --dry-run --dry", ""},
      {"run --set a=1 --se", "--set"},
      {"data make jpeg_folder --im", "--images"},
      {"run -- --dry", ""},
      {"show --format=n", "--format=npy"},
      {"run x --profile=n", "--profile=native"},
      {"run --color al", "always"},
      {"run x --launches ", ""},
      {"run x --set loader.num_w", "loader.num_workers="},
      {"run x --set num_w", "num_workers="},
      {"run x --set loader.pin_memory=", "loader.pin_memory=false loader.pin_memory=true"},
      {"run x --set=model.precision=b", "--set=model.precision=bf16"},
      {"plan x --filter engine=fork,th", "engine=fork,thread"},
      {"ab x --metric step,forw", "step,forward"},
      {"ab x --margin peak_b", "peak_bytes="},
      {"run x --sweep model.precision=fp32,b", "model.precision=fp32,bf16"},
      {"list loader.num_w", "loader.num_workers"},
      {"compare a b --ignore loader.eng", "loader.engine"},
      {"show " + kSample + " --case 39", "393d3a56bf8f3c96"},
      {"show " + kSample + " --baseline 39", "393d3a56bf8f3c96"},
      {"show " + kSample + " --pivot loader.num_workers,loader.batch_s",
       "loader.num_workers,loader.batch_size"},
      {"show " + kSample + " --case ", "393d3a56bf8f3c96 cbe6eb1b4b56e320 f672f0ea6306a318"},
      {"show /no/such/run --case ", ""},
      {"run /no/such/file --case ", ""},
      {"run /no/such/folder/", ""},
      {"nonsense ", ""},
  };
  for (const auto& [line, expected] : lines) {
    std::string found;
    for (const std::string& word : offered(words_of(line))) {
      found += (found.empty() ? "" : " ") + word;
    }
    EXPECT_EQ(found, expected) << line;
  }
  EXPECT_THAT(offered({""}), IsSupersetOf({"run", "ab", "show", "help", "completion"}));
  EXPECT_THAT(offered({"help", "data", ""}), Contains("make"));
  EXPECT_THAT(offered({"show", "--sort", "-samples_per"}), Contains("-samples_per_s"));
  EXPECT_THAT(offered({"run", "x", "--set", "workload=tr"}),
              IsSupersetOf({"workload=train_step", "workload=transfer"}));
  EXPECT_EQ(stepbench({"__complete"}).exit_status, 0);
}

TEST(Completion, FilesOfTheKind_AreOffered) {
  const test::TemporaryFolder own;
  const fs::path folder = own.path();
  fs::create_directory(folder / "deeper");
  for (const char* name : {"a.yaml", "b.txt", "c.jsonl"}) std::ofstream{folder / name} << "";
  const std::string head = folder.string() + "/";
  EXPECT_THAT(offered({"run", head}), ElementsAre(head + "a.yaml", head + "deeper/"));
  EXPECT_THAT(offered({"show", head}), ElementsAre(head + "c.jsonl", head + "deeper/"));
  EXPECT_THAT(offered({"run", "x", "--results", head}), ElementsAre(head + "deeper/"));
  EXPECT_THAT(offered({"show", "--output", head + "b"}), ElementsAre(head + "b.txt"));
  own.write("a.yaml", "workload: loader\n");
  EXPECT_EQ(offered({"run", head + "a.yaml", "--case", ""}).size(), 1U);
}

// Runs `script` in the shell; nullopt if the shell is not installed.
std::optional<os::CommandResult> in_shell(const std::vector<std::string>& shell,
                                          const std::string& script) {
  std::vector<std::string> words = shell;
  words.push_back("-c");
  words.push_back(script);
  os::CommandResult result = os::run_command(words, "", std::chrono::minutes{10});
  if (!result.started) return std::nullopt;
  return result;
}

struct Line {
  std::string before;  // the line up to the cursor, without the program
  std::vector<std::string> answers;
};
const std::vector<Line> kLines = {
    {"sch", {"schema"}},
    {"show --form", {"--format"}},
    {"run x --set loader.num_w", {"loader.num_workers="}},
    {"show " + kSample + " --case 39", {"393d3a56bf8f3c96"}},
};

TEST(Completion, Bash_CompletesEachLine) {
  const std::string start = "source <(" + testing::stepbench_program() +
                            " completion bash); compopt() { :; }; COMP_WORDS=(" +
                            testing::stepbench_program() + " ";
  const std::string finish =
      "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_POINT=${#COMP_LINE}; _stepbench; printf "
      "'%s\\n' \"${COMPREPLY[@]}\"";
  const auto answers = [&](const std::string& before, const std::string& words) {
    const auto result =
        in_shell({"bash", "--norc"}, "COMP_LINE='" + testing::stepbench_program() + " " + before +
                                         "'; " + start + words + finish);
    EXPECT_EQ(result.value().err, "");
    return lines_of_text(result.value().out);
  };
  if (!in_shell({"bash", "--norc"}, "true")) GTEST_SKIP() << "bash is not installed";
  for (const Line& line : kLines) EXPECT_EQ(answers(line.before, line.before), line.answers);
  // bash cuts words at '=' and needs only the part after it.
  EXPECT_THAT(answers("run x --set loader.engine=fo", "run x --set loader.engine '=' fo"),
              ElementsAre("fork"));
  EXPECT_THAT(answers("show --format=n", "show --format '=' n"), ElementsAre("npy"));
  EXPECT_THAT(answers("show --format=", "show --format '='"), Contains("csv"));
}

TEST(Completion, Zsh_CompletesEachLine) {
  const auto answers = [](const std::string& before) {
    const auto result = in_shell(
        {"zsh", "-f"}, "compdef() { : }; compadd() { print -l -- \"${(@P)@[-1]}\" }; source <(" +
                           testing::stepbench_program() + " completion zsh); words=(" +
                           testing::stepbench_program() + " " + before +
                           "); CURRENT=$#words; PREFIX=$words[-1]; _stepbench");
    EXPECT_EQ(result.value().err, "");
    return lines_of_text(result.value().out);
  };
  if (!in_shell({"zsh", "-f"}, "true")) GTEST_SKIP() << "zsh is not installed";
  for (const Line& line : kLines) EXPECT_EQ(answers(line.before), line.answers);
  EXPECT_THAT(answers("run x --set loader.engine=fo"), ElementsAre("loader.engine=fork"));
}

TEST(Completion, Fish_CompletesEachLine) {
  const std::string program = testing::stepbench_program();
  const std::string folder = program.substr(0, program.rfind('/'));
  const auto answers = [&](const std::string& before) {
    const auto result =
        in_shell({"fish", "--no-config"}, "set -x PATH " + folder +
                                              " $PATH; stepbench completion fish | source; "
                                              "complete -C 'stepbench " +
                                              before + "'");
    std::vector<std::string> words;
    for (const std::string& line : lines_of_text(result.value().out)) {
      words.push_back(line.substr(0, line.find('\t')));
    }
    return words;
  };
  if (!in_shell({"fish", "--no-config"}, "true")) GTEST_SKIP() << "fish is not installed";
  for (const Line& line : kLines) EXPECT_EQ(answers(line.before), line.answers);
  EXPECT_THAT(answers("run x --set loader.engine=fo"), ElementsAre("loader.engine=fork"));
}

}  // namespace
}  // namespace stepbench
