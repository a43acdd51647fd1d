// SPDX-License-Identifier: Apache-2.0
// `stepbench track screen` on published series, against the answers that their projects assert.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/temporary_folder.h"
#include "tests/unit/shell/program.h"
#include "tests/unit/stats/go_benchmarks.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::foreign {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Indexes = std::vector<std::size_t>;

nlohmann::json screened(std::vector<std::string> words) {
  words.insert(words.begin(), {"track", "screen", "--format", "json"});
  const os::CommandResult done = testing::stepbench(words);
  EXPECT_EQ(done.exit_status, 0) << done.err;
  return nlohmann::json::parse(done.out);
}

Indexes changes(const nlohmann::json& series) {
  Indexes indexes;
  for (const auto& change : series.at("changes")) indexes.push_back(change.at("index"));
  return indexes;
}

class PublishedFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(otava())) {
      GTEST_SKIP() << "the published series are not on this machine: " << otava().string();
    }
  }
  static std::filesystem::path otava() { return testing_stats::public_series() / "otava"; }
};

TEST_F(PublishedFiles, TheYearOfTigerBeetleHasTenOfTenOfOtavasAnswers) {
  const std::string file = otava() / "tigerbeetle.json";
  const nlohmann::json data = nlohmann::json::parse(std::ifstream(file));
  ASSERT_EQ(data.at("cases").size(), 10u);
  for (const auto& one : data.at("cases")) {
    const nlohmann::json answer = screened(
        {file, "--value-column", "series", "--method", "otava", "--window",
         std::to_string(one.at("window_len").get<int>()), "--max-p", one.at("max_pvalue").dump(),
         "--min-change", std::to_string(100 * one.at("min_magnitude").get<double>())});
    EXPECT_EQ(changes(answer.at("series").at(0)), one.at("expected_indexes").get<Indexes>())
        << one.at("test");
  }
}

TEST_F(PublishedFiles, OtavasSampleHasOneChangeInItsSecondMetric) {
  const nlohmann::json answer = screened({otava() / "local_sample.csv", "--method", "otava"});
  ASSERT_EQ(answer.at("series").size(), 2u);
  for (const auto& series : answer.at("series")) {
    const bool second = series.at("metric") == "metric2";
    EXPECT_EQ(changes(series), second ? Indexes{6} : Indexes{});
    if (!second) continue;
    EXPECT_NEAR(series.at("changes").at(0).at("change"), -0.129, 0.0005);
  }
}

class ScreenedFile : public ::testing::Test {
 protected:
  [[nodiscard]] std::string file_of(const std::vector<double>& values) const {
    const std::string file = folder / "nights.csv";
    std::ofstream out(file);
    out << "ms\n";
    for (const double value : values) out << value << '\n';
    return file;
  }
  test::TemporaryFolder folder;
};

TEST_F(ScreenedFile, APlantedStepIsFoundWhereItIsAndTheScreenFiresThen) {
  testing_noise::Noise noise(3);
  std::vector<double> values;
  for (int i = 0; i < 60; ++i)
    values.push_back((i < 40 ? 1000 : 1050) * (1 + 0.004 * noise.normal()));
  const nlohmann::json answer = screened({file_of(values)});
  const nlohmann::json series = answer.at("series").at(0);
  EXPECT_EQ(changes(series), Indexes{40});
  EXPECT_THAT(series.at("fired").get<Indexes>(), ::testing::Contains(40u));
  const os::CommandResult page = testing::stepbench({"track", "screen", file_of(values)});
  EXPECT_THAT(page.out, HasSubstr("2000-02-10"));
  EXPECT_THAT(page.err, HasSubstr("has no times: its rows are counted as a night each"));
  EXPECT_THAT(page.out, HasSubstr("robust_z, which sees only the nights before"));
}

TEST_F(ScreenedFile, ASteadySeriesHasNoChange) {
  testing_noise::Noise noise(4);
  const nlohmann::json answer = screened({file_of(noise.autoregressive(60, 0, 0.004))});
  EXPECT_EQ(changes(answer.at("series").at(0)), Indexes{});
}

TEST_F(ScreenedFile, AFileWithoutNumbersIsSaid) {
  const std::string file = folder / "words.csv";
  std::ofstream(file) << "time,what\n2026-01-01,slow\n";
  const os::CommandResult done = testing::stepbench({"track", "screen", file});
  EXPECT_EQ(done.exit_status, 2);
  EXPECT_THAT(done.err, HasSubstr("has no column of numbers; it has time, what"));
  EXPECT_THAT(testing::stepbench({"track", "screen", folder / "none.csv"}).err,
              HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace stepbench::foreign
