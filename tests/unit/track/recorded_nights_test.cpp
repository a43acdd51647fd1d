// SPDX-License-Identifier: Apache-2.0
// Real launches of one and the same program, as results/aa has them: what fires there is the
// machine, and no measurement in turns may reproduce it.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "harness/track/confirm_rule.h"
#include "harness/track/screen.h"

namespace stepbench::track {
namespace {

std::vector<nlohmann::json> recorded(const std::string& name) {
  std::ifstream file(std::string(STEPBENCH_SOURCE_DIR) + "/results/aa/" + name);
  std::vector<nlohmann::json> rows;
  for (std::string line; std::getline(file, line);) rows.push_back(nlohmann::json::parse(line));
  return rows;
}

// Sixty campaigns of ten pairs on a machine that compiled something else: each arm of each is a
// night, and the pairs of that campaign are what a confirmation would have measured.
TEST(RecordedNights, WhatABusyMachineMakesFireIsNotReproducedByTurns) {
  std::size_t screened = 0;
  std::size_t fired = 0;
  for (const char* metric : {"step", "peak_bytes"}) {
    for (const char* arm : {"base_median", "candidate_median"}) {
      std::vector<double> nights;
      for (const nlohmann::json& row : recorded("quickstart.jsonl")) {
        const nlohmann::json& pairs = row.at(metric);
        nights.push_back(pairs.at(arm));
        const ScreenAnswer answer = screen(nights, {});
        if (answer.warming_up) continue;
        ++screened;
        if (!answer.fired()) continue;
        ++fired;
        const double nearest = answer.higher ? pairs.at("change_low").get<double>()
                                             : -pairs.at("change_high").get<double>();
        EXPECT_FALSE(pairs.at("p").get<double>() / 2 < kConfirmP && nearest > kTellMargin)
            << metric << " in campaign " << row.at("campaign");
      }
    }
  }
  EXPECT_EQ(screened, 200u);
  EXPECT_EQ(fired, 28u) << "of these very numbers";
}

// Recorded by tests/benchmarks/aa_nights.py, with 20 pairs for each night that fired.
TEST(RecordedNights, FireAndAreMeasuredAgainAsTheyWere) {
  std::map<std::pair<std::string, std::string>, std::vector<double>> series;
  std::size_t fired = 0;
  std::size_t measured = 0;
  for (const nlohmann::json& row : recorded("nights.jsonl")) {
    if (row.at("kind") == "night") {
      for (const auto& [name, values] : row.at("values").items()) {
        for (const auto& [metric, value] : values.items()) {
          std::vector<double>& nights = series[{name, metric}];
          nights.push_back(value);
          fired += screen(nights, {}).fired() ? 1 : 0;
        }
      }
      continue;
    }
    ++measured;
    const ConfirmAnswer answer =
        confirm(row.at("a").get<std::vector<double>>(), row.at("b").get<std::vector<double>>(),
                row.at("suspected") == "higher");
    EXPECT_FALSE(answer.reproduced) << row.dump();
    EXPECT_NEAR(answer.change, row.at("change").get<double>(), 1e-12);
    EXPECT_NEAR(answer.p, row.at("p").get<double>(), 1e-12);
  }
  EXPECT_EQ(series.size(), 8u);
  EXPECT_EQ(fired, measured);
}

}  // namespace
}  // namespace stepbench::track
