// SPDX-License-Identifier: Apache-2.0
// `stepbench compare` as a shell sees it: exit codes, files, messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/machine/environment.h"
#include "tests/unit/compare/kept_noise.h"
#include "tests/unit/compare/result_maker.h"

namespace stepbench::compare {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_compare::around_10_ms;
using testing_compare::MadeResults;
using testing_compare::make;

struct Ended {
  int exit_code = -1;
  std::string output;  // both streams
};

class CompareCommand : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("stepbench_compare_" + std::to_string(getpid()) + '_' + info->name());
    std::filesystem::create_directories(folder_);
    put("old.jsonl", one_case(1, 0));
    put("slow.jsonl", one_case(1.05, 1));
    put("fast.jsonl", one_case(0.95, 1));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static MadeResults one_case(double factor, int seed) {
    return {
        .cases = {{.case_id = "aaaa", .num_workers = 4, .step_ns = around_10_ms(factor, seed)}}};
  }

  void put(const std::string& name, const MadeResults& made) const {
    testing_compare::write(make(made), folder_ / name);
  }

  // In a shell with pipefail, as a pipeline of continuous integration would run it.
  [[nodiscard]] Ended run(const std::string& arguments) const {
    const std::string command = "cd '" + folder_.string() +
                                "' && XDG_STATE_HOME=$PWD/state bash -c \"set -o pipefail; "
                                "'" STEPBENCH_PROGRAM "' compare " +
                                arguments + " 2>&1 | cat\"";
    Ended ended;
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return ended;
    std::array<char, 4096> buffer{};
    while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
      ended.output.append(buffer.data(), size);
    }
    ended.exit_code = WEXITSTATUS(pclose(pipe));
    return ended;
  }

  [[nodiscard]] nlohmann::json json_file(const std::string& name) const {
    std::ifstream file(folder_ / name);
    return nlohmann::json::parse(file);
  }

  std::filesystem::path folder_;
};

TEST_F(CompareCommand, EveryExitCodeReachesAShellPipeline) {
  EXPECT_EQ(run("old.jsonl old.jsonl").exit_code, 0);
  EXPECT_EQ(run("old.jsonl fast.jsonl").exit_code, 0);
  EXPECT_EQ(run("old.jsonl slow.jsonl").exit_code, 3);
  EXPECT_EQ(run("old.jsonl slow.jsonl --allow-inconclusive").exit_code, 0);
  EXPECT_EQ(run("old.jsonl absent.jsonl").exit_code, 2);
  EXPECT_EQ(run("old.jsonl").exit_code, 2);
  EXPECT_EQ(run("old.jsonl slow.jsonl --format yaml").exit_code, 2);
  MadeResults other = one_case(1, 0);
  other.cases[0].case_id = "bbbb";
  put("other.jsonl", other);
  EXPECT_EQ(run("old.jsonl other.jsonl").exit_code, 4);
}

TEST_F(CompareCommand, TheVerdictFileHoldsTheExitCode) {
  EXPECT_EQ(run("old.jsonl slow.jsonl --verdict verdict.json --markdown comment.md").exit_code, 3);
  const auto verdict = json_file("verdict.json");
  EXPECT_EQ(verdict.at("schema"), "stepbench.verdict");
  EXPECT_EQ(verdict.at("exit_code"), 3);
  EXPECT_EQ(verdict.at("verdict"), "suspect");
  EXPECT_EQ(verdict.at("design"), "sequential");
  const auto& step = verdict.at("cases").at(0).at("metrics").at(0);
  EXPECT_NEAR(step.at("change").get<double>(), 0.05, 0.003);
  EXPECT_EQ(step.at("pairs"), 20);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "comment.md"));
}

TEST_F(CompareCommand, AnOutputThatIsAnInputIsRefused) {
  const std::size_t size = std::filesystem::file_size(folder_ / "old.jsonl");
  EXPECT_EQ(run("old.jsonl slow.jsonl --verdict old.jsonl").exit_code, 2);
  EXPECT_EQ(run("old.jsonl slow.jsonl --markdown ./slow.jsonl").exit_code, 2);
  EXPECT_EQ(run("old.jsonl slow.jsonl --verdict v.json --markdown ./v.json").exit_code, 2);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "old.jsonl"), size);
}

TEST_F(CompareCommand, AnErrorReplacesAnOldVerdict) {
  EXPECT_EQ(run("old.jsonl old.jsonl --verdict verdict.json").exit_code, 0);
  EXPECT_EQ(run("old.jsonl absent.jsonl --verdict verdict.json").exit_code, 2);
  EXPECT_EQ(json_file("verdict.json").at("exit_code"), 2);
  EXPECT_THAT(json_file("verdict.json").at("error").get<std::string>(), HasSubstr("absent.jsonl"));
}

TEST_F(CompareCommand, StandardOutputHoldsTheFormAskedFor) {
  const Ended json = run("old.jsonl slow.jsonl --format json");
  EXPECT_EQ(nlohmann::json::parse(json.output).at("exit_code"), 3);
  EXPECT_TRUE(run("old.jsonl slow.jsonl --format markdown").output.starts_with("<!-- stepbench"));
  EXPECT_THAT(run("old.jsonl slow.jsonl").output, HasSubstr("suspect: worse"));
}

TEST_F(CompareCommand, WhereNothingIsDecidedItQuotesWhatTheMachineShowed) {
  testing_compare::keep_noise(folder_ / "state");
  const auto put_of_host = [&](const std::string& name, MadeResults made, const std::string& host) {
    made.launches = 4;
    record::Results results = make(made);
    results.runs.at(0).context["host"] = host;
    testing_compare::write(results, folder_ / name);
  };
  const std::string here = machine::host_name("/");
  put_of_host("few.jsonl", one_case(1, 0), here);
  put_of_host("few_slow.jsonl", one_case(1.05, 1), here);
  put_of_host("elsewhere.jsonl", one_case(1.05, 1), here + "-2");
  const Ended open = run("few.jsonl few_slow.jsonl --verdict verdict.json");
  EXPECT_EQ(open.exit_code, 3) << open.output;
  EXPECT_THAT(open.output, HasSubstr("this machine showed 1.2 % between launches on"));
  EXPECT_EQ(json_file("verdict.json")["machine"], testing_compare::kKeptQuote);
  EXPECT_THAT(run("few.jsonl elsewhere.jsonl").output, Not(HasSubstr("this machine showed")));
  EXPECT_THAT(run("old.jsonl old.jsonl").output, Not(HasSubstr("this machine showed")));
}

TEST_F(CompareCommand, ASmokeRunIsRefused) {
  MadeResults smoke = one_case(1, 0);
  smoke.smoke = true;
  put("smoke.jsonl", smoke);
  const Ended ended = run("old.jsonl smoke.jsonl");
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.output, HasSubstr("smoke.jsonl: holds rows of a run with --smoke or --quick"));
}

TEST_F(CompareCommand, ACorruptFileIsNamedWithItsLine) {
  std::ifstream in(folder_ / "old.jsonl");
  std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::size_t third = text.find('\n', text.find('\n') + 1) + 1;
  std::ofstream(folder_ / "corrupt.jsonl") << text.substr(0, third) << "{]\n" << text.substr(third);
  const Ended ended = run("old.jsonl corrupt.jsonl");
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.output, HasSubstr("corrupt.jsonl:3"));
}

TEST_F(CompareCommand, AnEmptyFileHasNoData) {
  std::ofstream(folder_ / "empty.jsonl").close();
  const Ended ended = run("old.jsonl empty.jsonl");
  EXPECT_EQ(ended.exit_code, 4);
  EXPECT_THAT(ended.output, HasSubstr("no case is in both results"));
}

TEST_F(CompareCommand, IgnoreJoinsCasesThatDifferInAnOption) {
  MadeResults other = one_case(1, 0);
  other.cases[0].case_id = "bbbb";
  other.cases[0].num_workers = 8;
  put("eight.jsonl", other);
  const Ended apart = run("old.jsonl eight.jsonl");
  EXPECT_EQ(apart.exit_code, 4);
  EXPECT_THAT(apart.output, HasSubstr("the most similar ones differ in loader.num_workers ("));
  EXPECT_THAT(apart.output, HasSubstr("--ignore loader.num_workers"));
  const Ended joined = run("old.jsonl eight.jsonl --ignore num_workers");
  EXPECT_EQ(joined.exit_code, 0);
  EXPECT_THAT(joined.output, Not(HasSubstr("the most similar ones")));
  const Ended wrong = run("old.jsonl eight.jsonl --ignore loader.num_worker");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.output, HasSubstr("did you mean 'loader.num_workers'?"));
}

TEST_F(CompareCommand, WhatCannotBeAllowedIsRefusedWithTheNearest) {
  EXPECT_EQ(run("old.jsonl slow.jsonl --allow kernel --allow noise").exit_code, 3);
  const auto result = run("old.jsonl slow.jsonl --allow kernal");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output, HasSubstr("did you mean 'kernel'?"));
}

TEST_F(CompareCommand, SeveralResultsHaveTheExitCodeOfTheWorst) {
  put("same.jsonl", one_case(1, 2));
  EXPECT_EQ(run("old.jsonl fast.jsonl same.jsonl").exit_code, 0);
  const Ended worst = run("old.jsonl fast.jsonl slow.jsonl same.jsonl --verdict verdict.json");
  EXPECT_EQ(worst.exit_code, 3);
  EXPECT_THAT(worst.output, HasSubstr("C slow.jsonl: suspect: 1 perhaps worse"));
  EXPECT_EQ(json_file("verdict.json").at("schema"), "stepbench.verdicts");
  EXPECT_EQ(json_file("verdict.json").at("comparisons").size(), 3);
  EXPECT_EQ(run("old.jsonl fast.jsonl slow.jsonl --allow-inconclusive").exit_code, 0);
  EXPECT_EQ(run("old.jsonl slow.jsonl --baseline slow.jsonl").exit_code, 0);
}

TEST_F(CompareCommand, OfSeveralResultsEveryOneIsCheckedAndNamed) {
  const Ended absent = run("old.jsonl slow.jsonl absent.jsonl");
  EXPECT_EQ(absent.exit_code, 2);
  EXPECT_THAT(absent.output, HasSubstr("absent.jsonl: no such file"));
  EXPECT_THAT(run("old.jsonl slow.jsonl ./old.jsonl").output, HasSubstr("./old.jsonl: is given"));
  EXPECT_THAT(run("old.jsonl slow.jsonl fast.jsonl --baseline fst.jsonl").output,
              HasSubstr("did you mean 'fast.jsonl'?"));
  EXPECT_EQ(run("old.jsonl slow.jsonl fast.jsonl --verdict fast.jsonl").exit_code, 2);
}

TEST_F(CompareCommand, AMarginIsAShareOrAPercentage) {
  EXPECT_EQ(run("old.jsonl slow.jsonl --margin step=10%").exit_code, 0);
  EXPECT_EQ(run("old.jsonl slow.jsonl --margin 0.1").exit_code, 0);
  EXPECT_EQ(run("old.jsonl slow.jsonl --margin step=ten").exit_code, 2);
  EXPECT_THAT(run("old.jsonl slow.jsonl --margin speed=1%").output,
              HasSubstr("'speed' is not tested; a margin can be given for step, peak_bytes"));
}

// A recorded result whose profiled launch was made twice.
std::string profiled_twice(const std::string& file) {
  std::ifstream recorded(STEPBENCH_SOURCE_DIR "/tests/unit/compare/data/" + file);
  const std::string first = R"("pass":"native","launch":0)";
  std::string text;
  std::string again;
  for (std::string line; std::getline(recorded, line);) {
    if (line.starts_with(R"({"kind":"end")")) text += again;
    text += line + '\n';
    const std::size_t at = line.find(first);
    if (at == std::string::npos) continue;
    again += line.replace(at + first.size() - 1, 1, "1") + '\n';
  }
  return text;
}

TEST_F(CompareCommand, CountsFindOnePlantedCopyWhereTimesSayNothing) {
  const std::string data = STEPBENCH_SOURCE_DIR "/tests/unit/compare/data/";
  const std::string once =
      data + "without_copy.jsonl " + data + "with_copy.jsonl --allow model.digest ";
  const Ended suspected = run(once + "--gate counts");
  EXPECT_EQ(suspected.exit_code, 3) << "one profiled launch of each never varies";
  EXPECT_THAT(suspected.output, HasSubstr("--profile 2 counts in more"));
  for (const char* file : {"without_copy.jsonl", "with_copy.jsonl"}) {
    std::ofstream(folder_ / file) << profiled_twice(file);
  }
  const std::string pair = "without_copy.jsonl with_copy.jsonl --allow model.digest ";
  EXPECT_EQ(run(pair).exit_code, 3);
  const Ended counted = run(pair + "--gate counts --verdict verdict.json");
  EXPECT_EQ(counted.exit_code, 1) << counted.output;
  EXPECT_THAT(counted.output, HasSubstr("aten::copy_"));
  EXPECT_THAT(counted.output, HasSubstr("(inconclusive"));
  EXPECT_EQ(json_file("verdict.json")["verdict"], "regression");
  EXPECT_EQ(run(data + "without_copy.jsonl " + data + "without_copy.jsonl --gate counts").exit_code,
            0);
  const Ended none = run(std::string(STEPBENCH_SOURCE_DIR "/results/sample ") + STEPBENCH_SOURCE_DIR
                         "/results/sample --gate counts");
  EXPECT_EQ(none.exit_code, 4) << none.output;
  EXPECT_THAT(none.output, HasSubstr("--profile"));
  EXPECT_EQ(run("old.jsonl slow.jsonl --margin counts=1%").exit_code, 2);
}

}  // namespace
}  // namespace stepbench::compare
