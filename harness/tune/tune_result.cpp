// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/tune_result.h"

#include <cmath>

#include "harness/json/json_text.h"
#include "harness/os/output_file.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::tune {
namespace {

void write_points(json::JsonText& json, const TuneRun& run) {
  json.open_array("points");
  for (const TunedPoint& point : run.points) {
    const PointState& state = point.state;
    json.open_object()
        .text("case_id", point.case_id)
        .values("options", point.values)
        .text("fate", name_of(state.status));
    if (!state.reason.empty()) json.text("reason", state.reason);
    json.integer("rung", static_cast<std::int64_t>(point.last_rung))
        .number("value", point.value)
        .numbers("launches", state.values);
    if (state.memory_bytes > 0) json.number("memory_bytes", state.memory_bytes);
    if (state.cpu_s_per_1k_samples) {
      json.number("cpu_s_per_1k_samples", *state.cpu_s_per_1k_samples);
    }
    json.close_object();
  }
  json.close_array();
}

void write_rungs(json::JsonText& json, const TuneRun& run) {
  const auto ids = [&](std::string_view key, const std::vector<std::size_t>& points) {
    std::vector<std::string> texts;
    for (const std::size_t point : points) texts.push_back(run.points[point].case_id);
    json.texts(key, texts);
  };
  json.open_array("rungs");
  for (const Rung& rung : run.rungs) {
    json.open_object().integer("rounds", static_cast<std::int64_t>(rung.rounds));
    ids("points", rung.points);
    ids("survivors", rung.survivors);
    json.close_object();
  }
  json.close_array();
  ids("front", run.front);
  json.open_array("standing");
  for (const Scored& each : run.standing) {
    json.open_object()
        .text("case_id", run.points[each.point].case_id)
        .number("behind", std::expm1(each.score - run.standing.front().score))
        .close_object();
  }
  json.close_array();
}

void write_confirmation(json::JsonText& json, const TuneRun& run) {
  if (!run.confirmed) {
    if (!run.why_not_confirmed.empty()) json.text("why_not_confirmed", run.why_not_confirmed);
    return;
  }
  const compare::TestResult& test = run.confirmed->test;
  json.open_object("confirmation")
      .text("verdict", name_of(test.verdict))
      .number("change", test.change)
      .number("low", test.interval.low)
      .number("high", test.interval.high)
      .number("corrected_change", test.corrected_change)
      .number("own", test.base_median)
      .number("winner", test.candidate_median)
      .integer("pairs", static_cast<std::int64_t>(test.pairs))
      .texts("invalid", run.why_invalid)
      .text("folder", run.confirm_folder.string())
      .close_object();
}

}  // namespace

std::string tuning_json(const TuneRun& run) {
  json::JsonText json;
  json.open_object()
      .text("schema", kTuningSchema)
      .text("schema_version", kTuningVersion)
      .integer("exit_code", run.exit_status)
      .text("answer", name_of(run.answer))
      .text("objective", run.objective.metric)
      .text("unit", run.objective.unit)
      .text("direction", run.objective.direction == Direction::kHigherIsBetter ? "higher" : "lower")
      .number("margin", run.margin)
      .integer("seed", static_cast<std::int64_t>(run.seed));
  if (const TunedPoint* winner = run.winner()) {
    json.text("winner", winner->case_id).texts("changes", run.changes);
  }
  if (run.own < run.points.size()) {
    json.text("own", run.points[run.own].case_id).flag("own_is_swept", run.own_is_swept);
  }
  write_confirmation(json, run);
  if (run.bound) {
    json.open_object("bound")
        .number("regret", run.bound->regret)
        .integer("points", static_cast<std::int64_t>(run.bound->points))
        .number("confidence", kBoundConfidence)
        .close_object();
  }
  json.open_object("spent")
      .number("search_s", run.search_s)
      .number("confirm_s", run.confirm_s)
      .integer("launches", static_cast<std::int64_t>(run.launches))
      .integer("thrown_away", static_cast<std::int64_t>(run.discarded))
      .integer("pairs", static_cast<std::int64_t>(run.pairs))
      .number("whole_sweep_s", run.sweep_s)
      .number("budget_s", run.allowance.seconds)
      .flag("stopped", run.stopped)
      .close_object();
  write_rungs(json, run);
  write_points(json, run);
  if (!run.tuned_file.empty()) json.text("tuned", run.tuned_file.string());
  return json.close_object().take() + "\n";
}

void write_tuning_file(const TuneRun& run) {
  os::write_output_file("", run.folder / kTuningFile, tuning_json(run));
}

std::string tuned_header(const TuneRun& run) {
  std::string text = "# Found by `stepbench tune` among " +
                     text::counted(std::ssize(run.points), "point") + ": " +
                     text::join(run.changes, " ") + "\n";
  if (run.confirmed && run.confirmed->test.change) {
    const compare::TestResult& test = run.confirmed->test;
    text += "# Against the settings before: " + run.objective.name + ' ' +
            text::signed_percent(*test.change) + " % [" + text::signed_percent(test.interval.low) +
            ", " + text::signed_percent(test.interval.high) + "], " +
            std::string(name_of(test.verdict)) + " after " +
            text::counted(static_cast<std::int64_t>(test.pairs), "pair") + "\n";
  } else {
    text += "# Not compared with the settings before.\n";
  }
  return text;
}

}  // namespace stepbench::tune
