// SPDX-License-Identifier: Apache-2.0
// stepbench-gbench on the stub worker: Google Benchmark's own flags, JSON and console.
#include <nlohmann/json.hpp>

#include "harness/estimate/case_rows.h"
#include "harness/os/text_file.h"
#include "tests/testing.h"
#include "tests/unit/run/run_program.h"

namespace stepbench::gbench {
namespace {

using testing::RunProgram;

constexpr const char* kTwoCases =
    "name: stub\nworkload: stub\nlaunches: 3\n"
    "schedule: {wait: 0, warmup: 0, active: 20}\n"
    "sweep: {matrix: {stub.step_us: [1000, 2000]}}\n";

class GbenchProgram : public ::testing::Test {
 protected:
  [[nodiscard]] os::CommandResult gbench(const std::vector<std::string>& arguments) const {
    std::vector<std::string> words = {STEPBENCH_BINARY_DIR "/tools/stepbench/stepbench-gbench",
                                      (program_.folder / "config.yaml").string(),
                                      "--sb-worker",
                                      program_.worker.string(),
                                      "--sb-results",
                                      (program_.folder / "results").string(),
                                      "--sb-no-lock"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return os::run_command(words, "", std::chrono::minutes{10});
  }
  [[nodiscard]] bool has_results() const { return fs::exists(program_.folder / "results"); }

  RunProgram program_;
};

TEST_F(GbenchProgram, Repetition_IsALaunch) {
  program_.config(kTwoCases);
  const os::CommandResult result = gbench({"--benchmark_format=json"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  const record::Results results = program_.results();
  const std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(json.at("context").at("stepbench_run_id"), results.runs.at(0).run_id);
  EXPECT_THAT(json.at("context").at("executable").get<std::string>(),
              HasSubstr("stepbench-gbench"));
  std::vector<double> times;
  for (const auto& row : json.at("benchmarks")) {
    if (row.at("run_type") == "iteration") times.push_back(row.at("real_time").get<double>());
  }
  ASSERT_EQ(times.size(), 6U);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const estimate::LaunchEstimate& estimate = rows.at(i / 3).measured.at(i % 3).estimate;
    EXPECT_NEAR(times[i], estimate::headline_ns(estimate, estimate::StepClock::kHost), 1e-3) << i;
  }
  const auto& first = json.at("benchmarks").at(0);
  EXPECT_THAT(first.at("name").get<std::string>(), HasSubstr("stub/step_us:1000"));
  EXPECT_GT(first.at("items_per_second").get<double>(), 0);
}

TEST_F(GbenchProgram, GoogleBenchmarkFlags_AreAccepted) {
  program_.config(kTwoCases);
  const os::CommandResult listed = gbench({"--benchmark_list_tests"});
  EXPECT_EQ(listed.exit_status, 0) << listed.err;
  EXPECT_EQ(listed.out, "stub/step_us:1000\nstub/step_us:2000\n");
  EXPECT_FALSE(has_results());

  const fs::path out = program_.folder / "out.json";
  const os::CommandResult one =
      gbench({"--benchmark_filter=2000$", "--benchmark_repetitions=2",
              "--benchmark_enable_random_interleaving=true", "--benchmark_out=" + out.string(),
              "--benchmark_report_aggregates_only=true"});
  EXPECT_EQ(one.exit_status, 0) << one.err;
  EXPECT_EQ(program_.results().launches.size(), 2U);
  const auto json = nlohmann::json::parse(os::read_text(out).value());
  for (const auto& row : json.at("benchmarks")) EXPECT_EQ(row.at("run_type"), "aggregate");
}

std::set<std::string> names_in(const std::string& text, const char* name = "run_name") {
  std::set<std::string> names;
  const nlohmann::json page = nlohmann::json::parse(text);
  for (const auto& row : page.at("benchmarks")) names.insert(row.at(name).get<std::string>());
  return names;
}

TEST_F(GbenchProgram, Case_HasOneNameEverywhere) {
  program_.config(kTwoCases);
  const std::set<std::string> expected = {"stub/step_us:1000", "stub/step_us:2000"};
  const fs::path file = program_.folder / "out.json";
  const os::CommandResult thrice =
      gbench({"--benchmark_format=json", "--benchmark_out=" + file.string()});
  EXPECT_EQ(thrice.exit_status, 0) << thrice.err;
  EXPECT_EQ(names_in(thrice.out), expected);
  EXPECT_EQ(names_in(os::read_text(file).value()), expected);
  const os::CommandResult exported =
      os::run_command({STEPBENCH_BINARY_DIR "/tools/stepbench/stepbench", "export",
                       program_.run_dir().string(), "--format", "gbench"},
                      "", std::chrono::minutes{10});
  EXPECT_EQ(names_in(exported.out), expected) << exported.err;
  EXPECT_EQ(names_in(exported.out, "name"), names_in(thrice.out, "name"));
  const os::CommandResult once = gbench({"--benchmark_repetitions=1"});
  EXPECT_THAT(once.out, AllOf(HasSubstr("stub/step_us:1000 "), HasSubstr(" ms "),
                              Not(HasSubstr("manual_time"))));
  const fs::path csv = program_.folder / "out.csv";
  const os::CommandResult as_csv =
      gbench({"--benchmark_filter=-1000", "--benchmark_out=" + csv.string(),
              "--benchmark_out_format=csv"});
  EXPECT_EQ(as_csv.exit_status, 0) << as_csv.err;
  EXPECT_THAT(os::read_text(csv).value(),
              AllOf(HasSubstr("\"stub/step_us:2000\""), Not(HasSubstr("step_us:1000"))));
}

TEST_F(GbenchProgram, FilterWithoutMatch_HasItsOwnStatus) {
  program_.config(kTwoCases);
  const os::CommandResult none = gbench({"--benchmark_filter=no_such_case"});
  EXPECT_EQ(none.exit_status, 4);
  EXPECT_THAT(none.err, HasSubstr("no benchmark is called no_such_case"));
  EXPECT_TRUE(!has_results() || fs::is_empty(program_.folder / "results"));
}

TEST_F(GbenchProgram, FailedLaunches_AreRowErrors) {
  program_.config(testing::yaml_with("ok, segfault, skip"));
  const os::CommandResult result = gbench({"--benchmark_format=json"});
  EXPECT_EQ(result.exit_status, 1) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  std::vector<std::string> errors;
  for (const auto& row : json.at("benchmarks")) {
    errors.push_back(row.value("error_message", std::string("measured")));
  }
  EXPECT_THAT(errors, ElementsAre("measured", HasSubstr("SIGSEGV"), HasSubstr("skipped: ")));
}

TEST_F(GbenchProgram, UnsupportedFlag_IsAnError) {
  program_.config(kTwoCases);
  const std::pair<const char*, const char*> kRefused[] = {
      {"--benchmark_min_time=3", "--sb-set schedule.active=N"},
      {"--set=stub.step_us=3", "--sb-set=stub.step_us=3"},
      {"--benchmark_filter=step(us", "--benchmark_filter: 'step(us' is not a regular expression"},
      {"--frobnicate", "--help lists both"},
      {"--sb-sett=a=1", "did you mean '--sb-set'"},
      {"--sb-set=stub.sampless=3", "--sb-set stub.sampless"},
      {"--sb-set=stub.sampless=3", "did you mean 'stub.samples'"}};
  for (const auto& [option, answer] : kRefused) {
    const os::CommandResult result = gbench({option});
    EXPECT_EQ(result.exit_status, 2) << option;
    EXPECT_THAT(result.err, HasSubstr(answer));
  }
  const os::CommandResult help = gbench({"--help"});
  EXPECT_EQ(help.exit_status, 0);
  EXPECT_THAT(help.out, AllOf(HasSubstr("--sb-filter"), HasSubstr("--benchmark_repetitions=N"),
                              Not(HasSubstr(" --filter"))));
}

TEST_F(GbenchProgram, Console_UsesTheChosenUnit) {
  program_.config(kTwoCases);
  const std::string micros = gbench({"--benchmark_time_unit=us"}).out;
  EXPECT_THAT(micros, AllOf(HasSubstr("1000 us "), HasSubstr("2000 us "), Not(HasSubstr(" ms "))));
  EXPECT_THAT(gbench({"--benchmark_time_unit=us", "--benchmark_format=json"}).out,
              HasSubstr("\"time_unit\": \"ns\""));
}

}  // namespace
}  // namespace stepbench::gbench
