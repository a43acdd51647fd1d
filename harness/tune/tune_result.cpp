// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/tune_result.h"

#include <cmath>

#include "harness/base/format.h"
#include "harness/json/fields.h"
#include "harness/os/files.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::tune {

template <typename V>
void fields(V& v, json::Of<TunedPoint> auto& point) {
  auto& state = point.state;
  v("case_id", point.case_id)("options", point.values)("fate", state.status);
  v("reason", state.reason, json::kSparse)("rung", point.last_rung)("value", point.value);
  v("launches", state.values)("memory_bytes", state.memory_bytes, json::kSparse);
  v("cpu_s_per_1k_samples", state.cpu_s_per_1k_samples, json::kSparse);
}

namespace {

// Points by their case ids.
struct NamedRung {
  std::size_t rounds = 0;
  std::vector<std::string> points = {};
  std::vector<std::string> survivors = {};
};
struct NamedScore {
  std::string case_id = {};
  double behind = 0;
};

template <typename V>
void fields(V& v, json::Of<NamedRung> auto& rung) {
  v("rounds", rung.rounds)("points", rung.points)("survivors", rung.survivors);
}
template <typename V>
void fields(V& v, json::Of<NamedScore> auto& score) {
  v("case_id", score.case_id)("behind", score.behind);
}

std::vector<std::string> case_ids(const TuneRun& run, const std::vector<std::size_t>& points) {
  std::vector<std::string> ids;
  for (const std::size_t point : points) ids.push_back(run.points[point].case_id);
  return ids;
}

}  // namespace

std::string tuning_json(const TuneRun& run) {
  json::JsonText json;
  json::FieldWriter v(json);
  json.open_object();
  v.constant("schema", kTuningSchema).constant("schema_version", kTuningVersion);
  v("exit_code", run.exit_status)("answer", run.answer)("objective", run.objective.metric);
  v("unit", run.objective.unit)("direction", run.objective.direction);
  v("margin", run.margin)("seed", run.seed);
  if (const TunedPoint* winner = run.winner()) {
    v("winner", winner->case_id)("changes", run.changes);
  }
  if (run.own < run.points.size()) {
    v("own", run.points[run.own].case_id)("own_is_swept", run.own_is_swept);
  }
  if (run.confirmed) {
    const verdict::TestResult& test = run.confirmed->test;
    json.open_object("confirmation");
    v("verdict", test.verdict)("change", test.change)("low", test.interval.low);
    v("high", test.interval.high)("corrected_change", test.corrected_change);
    v("own", test.base_median)("winner", test.candidate_median)("pairs", test.pairs);
    v("invalid", run.why_invalid)("folder", run.confirm_folder);
    json.close_object();
  } else {
    v("why_not_confirmed", run.why_not_confirmed, json::kSparse);
  }
  if (run.bound) {
    json.open_object("bound");
    v("regret", run.bound->regret)("points", run.bound->points)("confidence", kBoundConfidence);
    json.close_object();
  }
  json.open_object("spent");
  v("search_s", run.search_s)("confirm_s", run.confirm_s)("launches", run.launches);
  v("thrown_away", run.discarded)("pairs", run.pairs)("whole_sweep_s", run.sweep_s);
  v("budget_s", run.allowance.seconds)("stopped", run.stopped);
  json.close_object();
  std::vector<NamedRung> rungs;
  for (const Rung& rung : run.rungs) {
    rungs.push_back({rung.rounds, case_ids(run, rung.points), case_ids(run, rung.survivors)});
  }
  std::vector<NamedScore> standing;
  for (const Scored& each : run.standing) {
    standing.push_back(
        {run.points[each.point].case_id, std::expm1(each.score - run.standing.front().score)});
  }
  v("rungs", rungs)("front", case_ids(run, run.front))("standing", standing);
  v("points", run.points)("tuned", run.tuned_file, json::kSparse);
  return json.close_object().take() + "\n";
}

void write_tuning_file(const TuneRun& run) {
  os::write_output_file("", run.folder / kTuningFile, tuning_json(run));
}

std::string tuned_header(const TuneRun& run) {
  std::string text =
      formatted("# Found by `stepbench tune` among {}: {}\n",
                text::counted(std::ssize(run.points), "point"), text::join(run.changes, " "));
  if (run.confirmed && run.confirmed->test.change) {
    const verdict::TestResult& test = run.confirmed->test;
    text += formatted("# Against the settings before: {} {} % [{}, {}], {} after {}\n",
                      run.objective.name, text::signed_percent(*test.change),
                      text::signed_percent(test.interval.low),
                      text::signed_percent(test.interval.high), name_of(test.verdict),
                      text::counted(static_cast<std::int64_t>(test.pairs), "pair"));
  } else {
    text += "# Not compared with the settings before.\n";
  }
  return text;
}

}  // namespace stepbench::tune
