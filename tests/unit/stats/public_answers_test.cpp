// SPDX-License-Identifier: Apache-2.0
// Answers that other projects publish for their own data: perfolizer's Mann-Whitney values
// (computed with R) and the tables that benchstat prints.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "harness/stats/order.h"
#include "harness/stats/rank_tests.h"
#include "tests/unit/stats/go_benchmarks.h"

namespace stepbench::stats {
namespace {

using testing_stats::GoResults;
using testing_stats::read_go;

const std::filesystem::path kSeries = testing_stats::public_series();

class PublicAnswers : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kSeries)) {
      GTEST_SKIP() << "the published series are not on this machine: " << kSeries.string();
    }
  }
};

TEST_F(PublicAnswers, PerfolizerMannWhitney) {
  std::ifstream file(kSeries / "perfolizer" / "mann_whitney_reference.json");
  const auto cases = nlohmann::json::parse(file).at("cases");
  ASSERT_EQ(cases.size(), 28u);
  int exact = 0;
  for (const auto& item : cases) {
    const auto x = item.at("x").get<std::vector<double>>();
    auto y = item.at("y").get<std::vector<double>>();
    const double threshold = item.at("threshold");
    for (double& value : y) value += threshold;
    const double expected = item.at("p_value_one_sided");
    const std::string name = item.at("test").get<std::string>() + " " + std::to_string(threshold);
    const double p = mann_whitney_p_greater(x, y);
    // Printed with four decimals, or by the normal approximation (where ties depend on rounding at
    // threshold -1).
    if (name.starts_with("N3Vs")) {
      EXPECT_NEAR(p, expected, 5e-5) << name;
    } else if (name.starts_with("N30Vs40") && threshold == -1) {
      EXPECT_NEAR(p, expected, 0.01) << name;
    } else if (name.starts_with("N30Vs40") && threshold == -0.5) {
      EXPECT_NEAR(p, 0.906506, 5e-7) << name;
    } else {
      ++exact;
      EXPECT_EQ(mann_whitney(x, y).u, item.at("U").get<double>()) << name;
      EXPECT_NEAR(p / expected, 1, 1e-6) << name;
    }
  }
  EXPECT_EQ(exact, 24);
}

struct Row {
  std::string name;
  int base_percent = 0;  // half width of the interval
  int new_percent = 0;
  std::string delta;  // "~" or "-4.62%"
  double p = 0;
};

std::vector<Row> read_table(const std::filesystem::path& path, const std::string& unit) {
  std::vector<Row> rows;
  std::ifstream file(path);
  std::string line;
  bool inside = false;
  while (std::getline(file, line)) {
    if (line.find("vs base") != std::string::npos) inside = line.find(unit) != std::string::npos;
    const std::size_t p = line.find("(p=");
    if (!inside || p == std::string::npos) continue;
    std::istringstream words(line);
    Row row;
    std::string median;
    std::string plus_minus;
    words >> row.name >> median >> plus_minus >> row.base_percent;
    words.ignore(1) >> median >> plus_minus >> row.new_percent;
    words.ignore(1) >> row.delta;
    row.p = std::stod(line.substr(p + 3));
    rows.push_back(row);
  }
  return rows;
}

int printed_half_width(const std::vector<double>& values) {
  const Interval interval = median_interval(values, 0.95).value();
  const double centre = median(values);
  const double most = std::max(interval.high / centre - 1, 1 - interval.low / centre);
  return static_cast<int>(std::lround(100 * most));
}

TEST_F(PublicAnswers, BenchstatCrcIgnore) {
  const auto folder = kSeries / "golang_benchstat";
  const GoResults base = read_go(folder / "crc-old.txt");
  const GoResults candidate = read_go(folder / "crc-new.txt");
  int rows = 0;
  for (const auto& [printed, unit] : {std::pair{"sec/op", " ns/op"}, std::pair{" B/s ", " MB/s"}}) {
    for (const Row& row : read_table(folder / "crcIgnore.stdout", printed)) {
      SCOPED_TRACE(row.name + unit);
      ++rows;
      const std::string key = row.name.substr(0, row.name.rfind('-')) + "-8" + unit;
      const auto& a = base.at(key);
      const auto& b = candidate.at(key);
      const double p = mann_whitney(a, b).p_two_sided;
      EXPECT_NEAR(p, row.p, 0.0005001);
      EXPECT_EQ(p > 0.05, row.delta == "~");
      EXPECT_EQ(printed_half_width(a), row.base_percent);
      EXPECT_EQ(printed_half_width(b), row.new_percent);
      if (row.delta != "~") {
        char delta[32];
        std::snprintf(delta, sizeof delta, "%+.2f%%", 100 * (median(b) / median(a) - 1));
        EXPECT_EQ(delta, row.delta);
      }
    }
  }
  EXPECT_EQ(rows, 72);
}

TEST_F(PublicAnswers, BenchstatUnroundedValues) {
  const auto folder = kSeries / "golang_benchstat";
  const GoResults base = read_go(folder / "old.txt");
  const GoResults candidate = read_go(folder / "new.txt");
  struct Expected {
    std::string name;
    double base_s;
    double new_s;
    const char* p;
  };
  for (const Expected& row :
       {Expected{"Encode/format=json-48", 1.7180000000000001e-06, 1.4225000000000001e-06, "0.000"},
        Expected{"Encode/format=gob-48", 3.0655e-06, 3.0700000000000003e-06, "0.446"}}) {
    const auto& a = base.at(row.name + " ns/op");
    const auto& b = candidate.at(row.name + " ns/op");
    EXPECT_NEAR(median(a) * 1e-9, row.base_s, 1e-20) << row.name;
    EXPECT_NEAR(median(b) * 1e-9, row.new_s, 1e-20) << row.name;
    char p[16];
    std::snprintf(p, sizeof p, "%.3f", mann_whitney(a, b).p_two_sided);
    EXPECT_STREQ(p, row.p) << row.name;
  }
}

// One file against itself: other polynomials against IEEE.
TEST_F(PublicAnswers, BenchstatCrcSizeVsPoly) {
  const GoResults all = read_go(kSeries / "golang_benchstat" / "crc-new.txt");
  const std::map<std::string, std::array<const char*, 4>> expected = {
      {"15", {"-63.29%", "-19.82%", "+172.18%", "+24.82%"}},
      {"40", {"-58.89%", "+106.24%", "+143.41%", "-51.47%"}},
      {"512", {"-29.78%", "+1790.75%", "+42.34%", "-94.71%"}},
      {"1kB", {"-30.14%", "+2372.60%", "+43.17%", "-95.96%"}},
      {"4kB", {"-47.32%", "+2908.05%", "+89.25%", "-96.67%"}},
      {"32kB", {"-43.23%", "+3313.64%", "+76.13%", "-97.07%"}}};
  for (const auto& [size, deltas] : expected) {
    std::size_t next = 0;
    for (const char* unit : {" ns/op", " MB/s"}) {
      const auto values = [&, &size = size](const std::string& poly) {
        return all.at("CRC32/poly=" + poly + "/size=" + size + "/align=0-8" + unit);
      };
      for (const char* poly : {"Castagnoli", "Koopman"}) {
        SCOPED_TRACE(size + ' ' + poly + unit);
        char delta[32];
        std::snprintf(delta, sizeof delta, "%+.2f%%",
                      100 * (median(values(poly)) / median(values("IEEE")) - 1));
        EXPECT_STREQ(delta, deltas[next++]);
        EXPECT_LT(mann_whitney(values("IEEE"), values(poly)).p_two_sided, 0.0005);
      }
    }
  }
}

TEST_F(PublicAnswers, BenchstatWarnsOfTooFewAndOfEqualSamples) {
  const auto folder = kSeries / "golang_benchstat";
  const auto pair = [&](const std::string& file, const std::string& name) {
    return std::pair{read_go(folder / file, "before").at(name),
                     read_go(folder / file, "after").at(name)};
  };
  const auto [one_a, one_b] = pair("smallSample.txt", "X ns/op");
  EXPECT_EQ(mann_whitney(one_a, one_b).p_two_sided, 1);
  EXPECT_FALSE(median_interval(one_a, 0.95).has_value());

  const auto [five_a, five_b] = pair("issue19634.txt", "FloatSub/100-4 ns/op");
  EXPECT_NEAR(mann_whitney(five_a, five_b).p_two_sided, 0.008, 0.0005);
  EXPECT_FALSE(median_interval(five_a, 0.95).has_value());

  const auto [equal_a, equal_b] = pair("issue19565.txt", "A ns/op");
  EXPECT_TRUE(mann_whitney(equal_a, equal_b).all_equal);
  EXPECT_EQ(mann_whitney(equal_a, equal_b).p_two_sided, 1);
}

}  // namespace
}  // namespace stepbench::stats
