// SPDX-License-Identifier: Apache-2.0
// `stepbench compare` in a shell: exit codes, files, messages.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "harness/machine/environment.h"
#include "tests/testing.h"
#include "tests/unit/verdict/result_maker.h"
#include "tests/unit/verdict/stored_noise.h"

namespace stepbench::verdict {
namespace {

struct Ended {
  int exit_code = -1;
  std::string output;  // both streams
};

class CompareCommand : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) /
              ("stepbench_compare_" + std::to_string(getpid()) + '_' + info->name());
    fs::create_directories(folder_);
    put("old.jsonl", one_case(1, 0));
    put("slow.jsonl", one_case(1.05, 1));
    put("fast.jsonl", one_case(0.95, 1));
  }
  void TearDown() override { fs::remove_all(folder_); }

  static MadeResults one_case(double factor, int seed) {
    return {
        .cases = {{.case_id = "aaaa", .num_workers = 4, .step_ns = around_10_ms(factor, seed)}}};
  }

  void put(const std::string& name, const MadeResults& made) const {
    write(make(made), folder_ / name);
  }

  // In a shell with pipefail, like a CI pipeline.
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

  fs::path folder_;
};

TEST_F(CompareCommand, EachExitCode_ReachesAShellPipeline) {
  MadeResults other = one_case(1, 0);
  other.cases[0].case_id = "bbbb";
  put("other.jsonl", other);
  std::ofstream(folder_ / "empty.jsonl").close();
  for (const auto& [arguments, code] : std::vector<std::pair<std::string, int>>{
           {"old.jsonl old.jsonl", 0},
           {"old.jsonl fast.jsonl", 0},
           {"old.jsonl slow.jsonl", 3},
           {"old.jsonl slow.jsonl --allow-inconclusive", 0},
           {"old.jsonl slow.jsonl --margin step=10%", 0},
           {"old.jsonl absent.jsonl", 2},
           {"old.jsonl", 2},
           {"old.jsonl other.jsonl", 4},
           {"old.jsonl empty.jsonl", 4},
           {"old.jsonl fast.jsonl old2.jsonl", 2},
           {"old.jsonl fast.jsonl slow.jsonl", 3},
           {"old.jsonl slow.jsonl --baseline slow.jsonl", 0}}) {
    EXPECT_EQ(run(arguments).exit_code, code) << arguments;
  }
}

TEST_F(CompareCommand, Error_ReplacesAnOldVerdict) {
  EXPECT_EQ(run("old.jsonl old.jsonl --verdict verdict.json").exit_code, 0);
  EXPECT_EQ(run("old.jsonl absent.jsonl --verdict verdict.json").exit_code, 2);
  EXPECT_EQ(json_file("verdict.json").at("exit_code"), 2);
  EXPECT_THAT(json_file("verdict.json").at("error").get<std::string>(), HasSubstr("absent.jsonl"));
}

TEST_F(CompareCommand, Undecided_QuotesTheMachineNoise) {
  keep_noise(folder_ / "state");
  const auto put_of_host = [&](const std::string& name, MadeResults made, const std::string& host) {
    made.launches = 4;
    record::Results results = make(made);
    results.runs.at(0).context["host"] = host;
    write(results, folder_ / name);
  };
  const std::string here = machine::host_name("/");
  put_of_host("few.jsonl", one_case(1, 0), here);
  put_of_host("few_slow.jsonl", one_case(1.05, 1), here);
  put_of_host("elsewhere.jsonl", one_case(1.05, 1), here + "-2");
  const Ended open = run("few.jsonl few_slow.jsonl --verdict verdict.json");
  EXPECT_EQ(open.exit_code, 3) << open.output;
  EXPECT_THAT(open.output, HasSubstr("this machine showed 1.2 % between launches on"));
  EXPECT_EQ(json_file("verdict.json")["machine"], kKeptQuote);
  EXPECT_THAT(run("few.jsonl elsewhere.jsonl").output, Not(HasSubstr("this machine showed")));
  EXPECT_THAT(run("old.jsonl old.jsonl").output, Not(HasSubstr("this machine showed")));
}

TEST_F(CompareCommand, Ignore_JoinsCasesWithOtherOptions) {
  MadeResults other = one_case(1, 0);
  other.cases[0].case_id = "bbbb";
  other.cases[0].num_workers = 8;
  put("eight.jsonl", other);
  const Ended apart = run("old.jsonl eight.jsonl");
  EXPECT_EQ(apart.exit_code, 4);
  EXPECT_THAT(apart.output, HasSubstr("--ignore loader.num_workers"));
  EXPECT_EQ(run("old.jsonl eight.jsonl --ignore num_workers").exit_code, 0);
  EXPECT_THAT(run("old.jsonl eight.jsonl --ignore loader.num_worker").output,
              HasSubstr("did you mean 'loader.num_workers'?"));
}

// A recorded result with its profiled launch duplicated.
std::string profiled_twice(const std::string& file) {
  std::ifstream recorded(STEPBENCH_SOURCE_DIR "/tests/unit/verdict/data/" + file);
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

// Results with one profiled launch per side are in tests/corpus.
TEST_F(CompareCommand, Counts_FindOnePlantedCopy) {
  for (const char* file : {"without_copy.jsonl", "with_copy.jsonl"}) {
    std::ofstream(folder_ / file) << profiled_twice(file);
  }
  const std::string pair = "without_copy.jsonl with_copy.jsonl --allow model.digest ";
  EXPECT_EQ(run(pair).exit_code, 3);
  const Ended counted = run(pair + "--gate counts --verdict verdict.json");
  EXPECT_EQ(counted.exit_code, 1) << counted.output;
  EXPECT_THAT(counted.output, HasSubstr("aten::copy_"));
  EXPECT_EQ(json_file("verdict.json")["verdict"], "regression");
  EXPECT_EQ(run("without_copy.jsonl without_copy.jsonl --gate counts").exit_code, 0);
  EXPECT_EQ(run("old.jsonl slow.jsonl --margin counts=1%").exit_code, 2);
}

}  // namespace
}  // namespace stepbench::verdict
