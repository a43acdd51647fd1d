// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/internal/confirm.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "harness/base/format.h"
#include "harness/campaign/run_ab.h"
#include "harness/campaign/run_folder.h"
#include "harness/os/files.h"
#include "harness/stats/order_statistics.h"
#include "harness/text/words.h"
#include "harness/tune/internal/launch_values.h"
#include "harness/tune/tune_plan.h"
#include "harness/tune/tune_result.h"

namespace stepbench::tune {
namespace {

// Number of pairs that the allowance permits; 0: too few. nullopt: decided by looks.
std::optional<std::int64_t> pairs_left(const TuneRun& run) {
  std::optional<double> most;
  const auto at_most = [&](double pairs) { most = std::min(most.value_or(pairs), pairs); };
  if (run.allowance.seconds) {
    const auto cost_s = [](const TunedPoint& point) {
      return point.state.wall_s.empty() ? 0 : stats::median(point.state.wall_s);
    };
    const double pair_s = cost_s(run.points[run.own]) + cost_s(*run.winner());
    at_most((*run.allowance.seconds - run.search_s) / std::max(pair_s, 1e-3));
  }
  if (run.allowance.launches) {
    at_most((static_cast<double>(*run.allowance.launches) - static_cast<double>(run.launches)) / 2);
  }
  if (!most || *most >= static_cast<double>(kMaxPairs)) return std::nullopt;
  // Rounds down to blocks of two pairs.
  const auto whole = static_cast<std::int64_t>(std::max(*most, 0.0)) / 2 * 2;
  return whole < static_cast<std::int64_t>(kMinPairs) ? 0 : whole;
}

campaign::AbRequest ab_request(const TuneRequest& request, std::int64_t pairs, const TuneRun& run) {
  campaign::AbRequest ab;
  ab.file = (run.folder / kOwnFile).string();
  ab.set = request.set;
  ab.a.worker = request.worker;
  ab.b = {.worker = request.worker, .set = run.changes};
  ab.pairs = pairs;
  ab.seed = run.seed;
  ab.metrics = {run.objective.name};
  ab.allow = request.allow;
  ab.results = (run.folder / "confirm").string();
  ab.lock = request.lock;
  ab.purpose = "confirm";
  if (request.margin) {
    ab.margins.push_back(formatted("{}={:f}", run.objective.name, *request.margin));
  }
  return ab;
}

// Folder of an earlier confirmation of the same settings by the same rule, to be resumed.
std::string begun_before(const campaign::AbRequest& ab, const campaign::AbArms& arms) {
  record::RunRow now;
  campaign::describe_campaign(arms, ab.pairs, campaign::plan_ab(ab, arms).tested, *ab.seed, now);
  for (const std::filesystem::path& folder : campaign::folders_newest_first(ab.results)) {
    const record::Results earlier = record::read_results(folder);
    if (earlier.runs.empty()) continue;
    const record::RunRow& then = earlier.runs.front();
    const bool is_same = std::all_of(now.context.begin(), now.context.end(), [&](const auto& each) {
      return !each.first.starts_with("ab_") ||  // the rest is that of the search, and the same
             text_of(then.context, each.first) == to_text(each.second);
    });
    if (then.plan_digest == now.plan_digest && is_same) return folder.string();
  }
  return {};
}

}  // namespace

bool confirm(const TuneRequest& request, const std::string& own_text,
             const campaign::Launching& launching, TuneRun& run) {
  const TunedPoint& own = run.points[run.own];
  if (run.winner() == &own) return true;
  if (own.state.status != PointStatus::kMeasured) {
    run.why_not_confirmed = "the file's own settings cannot be measured: " + own.state.reason;
    return true;
  }
  const std::optional<std::int64_t> pairs = pairs_left(run);
  if (pairs == 0) {
    run.why_not_confirmed = formatted("the budget has no room for {} pairs of launches", kMinPairs);
    return true;
  }
  os::write_output_file("", run.folder / kOwnFile, own_text);
  campaign::AbRequest ab = ab_request(request, pairs.value_or(0), run);
  const campaign::AbArms planned = campaign::resolve_arms(ab, launching.context);
  ab.resume = begun_before(ab, planned);
  launching.progress.print_line(
      formatted("confirm: {} against the file's own settings", run.winner()->label));
  const campaign::AbRun pairs_run =
      campaign::run_ab(ab, planned, launching, [](const std::filesystem::path&) {});
  run.signal = pairs_run.signal;
  run.confirm_folder = pairs_run.run_folder;
  if (!pairs_run.run_folder.empty()) {
    for (const record::Launch& launch : record::read_results(pairs_run.run_folder).launches) {
      run.confirm_s += wall_s_of(launch);
    }
  }
  if (pairs_run.signal) return false;
  const verdict::Comparison& comparison = pairs_run.comparison;
  if (comparison.cases.empty() || comparison.cases.front().metrics.empty()) {
    run.why_not_confirmed = "the pairs could not be measured";
    return true;
  }
  for (const verdict::Gate& gate : comparison.gates) {
    if (gate.state == verdict::GateState::kFailed && !gate.allowed) {
      run.why_invalid.push_back(gate.text);
    }
  }
  run.confirmed = comparison.cases.front().metrics.front();
  if (comparison.cases.front().fingerprint) run.changes_work = true;
  run.pairs = run.confirmed->test.pairs;
  return true;
}

std::string command_to_confirm(const TuneRun& run, const std::string& worker) {
  const TunedPoint& own = run.points[run.own];
  std::string command = "stepbench ab " + text::shell_word(run.tuned_file.string());
  for (const std::string& change : run.changes) {
    const std::string name = change.substr(0, change.find('='));
    const auto was = own.values.find(name);
    if (was == own.values.end() || is_null(was->second)) continue;
    command += " --a-set " + text::shell_word(name + "=" + to_text(was->second));
  }
  if (!worker.empty()) {
    const std::string word = text::shell_word(worker);
    command += formatted(" --a {} --b {}", word, word);
  }
  return command + " --metric " + text::shell_word(run.objective.name);
}

}  // namespace stepbench::tune
