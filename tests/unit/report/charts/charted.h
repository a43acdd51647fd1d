// SPDX-License-Identifier: Apache-2.0
// Generated results for charts, and the requests of figures parsed. tests/report checks the drawing
// by the scripts.
#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>

#include "harness/document/document.h"
#include "harness/json/json_text.h"
#include "harness/report/result_tables.h"
#include "tests/testing.h"

namespace stepbench::test {

using Json = nlohmann::json;

struct PlannedCase {
  OptionValues options = {};
  std::vector<std::int64_t> step_ns = {};  // one per launch; empty: a failed launch
  std::string reason = "out of memory";
  std::string run_id = "20260131-120000-demo";
  std::string arm = {};
};

// Each launch has four equal steps of eight samples, in two phases.
inline record::Results planned_results(const std::vector<PlannedCase>& cases) {
  record::Results results;
  std::vector<std::string> runs;
  for (std::size_t number = 0; number < cases.size(); ++number) {
    const PlannedCase& planned = cases[number];
    const auto known = std::find(runs.begin(), runs.end(), planned.run_id);
    const auto run = static_cast<std::size_t>(known - runs.begin());
    if (known == runs.end()) {
      runs.push_back(planned.run_id);
      record::RunRow row{.run_id = planned.run_id, .name = "demo"};
      row.started_utc = "2026-01-31T12:00:00Z";
      for (const auto& [name, value] : planned.options) row.swept.push_back(name);
      results.runs.push_back(std::move(row));
    }
    char id[17];
    std::snprintf(id, sizeof(id), "%016llx",
                  static_cast<unsigned long long>((number + 1) * 0x9E3779B97F4A7C15ULL));
    for (std::size_t at = 0; at < std::max<std::size_t>(planned.step_ns.size(), 1); ++at) {
      record::Launch& launch = results.launches.emplace_back();
      launch.run = run;
      launch.row.key = {.case_id = id, .arm = planned.arm, .launch = static_cast<int>(at)};
      launch.row.workload = "train_step";
      launch.row.options = planned.options;
      launch.row.started_utc = "2026-01-31T12:00:0" + std::to_string(at % 10) + "Z";
      launch.row.repeat_command = "stepbench run demo.yaml --case " + std::string(id);
      if (planned.step_ns.empty()) {
        launch.row.outcome = Outcome::failed(planned.reason);
        continue;
      }
      const std::int64_t step = planned.step_ns[at];
      const std::int64_t wait = step / 4;
      launch.samples.push_back(
          {.cycle = 0,
           .steps = {.names = {"index", "step_ns", "data_wait_ns", "other_ns", "samples", "flags"},
                     .columns = {{8, 9, 10, 11},
                                 {step, step, step, step},
                                 {wait, wait, wait, wait},
                                 {step - wait, step - wait, step - wait, step - wait},
                                 {8, 8, 8, 8},
                                 {1, 0, 0, 0}}}});
    }
  }
  return results;
}

struct ReadFigure {
  document::Figure figure;
  Json json;
};

// Each parsed, which fails for invalid JSON.
inline std::vector<ReadFigure> figures_of(const document::Chapter& section) {
  std::vector<ReadFigure> figures;
  for (const document::Block& block : section.blocks) {
    if (const auto* figure = std::get_if<document::Figure>(&block)) {
      figures.push_back({*figure, Json::parse(figure->json)});
    }
  }
  return figures;
}

// A section's part of the data that charts share.
struct Drawn {
  std::optional<document::Chapter> section = {};
  std::vector<ReadFigure> figures = {};
  Json charts = {};
};
template <typename MakeSection>
Drawn drawn_by(const MakeSection& make) {
  json::JsonText json;
  json.open_object();
  Drawn drawn{.section = make(json)};
  if (drawn.section) drawn.figures = figures_of(*drawn.section);
  drawn.charts = Json::parse(json.close_object().take());
  return drawn;
}

inline std::string words_of(const document::Chapter& section) {
  std::string words;
  for (const document::Block& block : section.blocks) {
    if (const auto* paragraph = std::get_if<document::Paragraph>(&block))
      words += paragraph->text + '\n';
  }
  return words;
}

// Within the precision of a figure.
inline bool is_near(double drawn, double exact) {
  return std::abs(drawn - exact) <= 2e-4 * std::max(std::abs(exact), 1e-9);
}

inline const fs::path kReportData = fs::path(STEPBENCH_SOURCE_DIR) / "tests/unit/report/data";
inline const fs::path kSample = fs::path(STEPBENCH_SOURCE_DIR) / "results/sample";

}  // namespace stepbench::test
