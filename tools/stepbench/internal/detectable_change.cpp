// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/internal/detectable_change.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "harness/base/value.h"
#include "harness/campaign/examine_machine.h"
#include "harness/campaign/run_experiment.h"
#include "harness/document/document.h"
#include "harness/document/render.h"
#include "harness/report/result_tables.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/verdict/comparison.h"
#include "harness/verdict/detectable_change.h"
#include "harness/verdict/tested_metrics.h"

namespace stepbench::cli {
namespace {

std::string against_itself(const verdict::CaseSpread& one) {
  std::string text = one.differs ? "differs from itself: " : "no difference: ";
  text += text::signed_percent(one.aa_change) + " %";
  if (std::isfinite(one.aa_interval.high)) {
    text += " [" + text::signed_percent(one.aa_interval.low) + ", " +
            text::signed_percent(one.aa_interval.high) + "]";
  }
  return text;
}

bool is_undecided(const verdict::Comparison& comparison) {
  return std::any_of(
      comparison.cases.begin(), comparison.cases.end(), [](const verdict::CaseResult& one) {
        return std::any_of(one.metrics.begin(), one.metrics.end(), [](const auto& metric) {
          return metric.timed && metric.decides &&
                 metric.test.verdict == verdict::Verdict::kInconclusive;
        });
      });
}

}  // namespace

std::string machine_text(const verdict::MachineNoise& noise, const Environment& environment) {
  std::string out = "Changes that this machine can detect, from " +
                    text::duration(noise.seconds * 1e9) +
                    " of launches of three small cases in turns";
  if (noise.others_share) out += "; other programs used " + text::percent_text(*noise.others_share);
  if (noise.steal_share) {
    out += noise.others_share ? ", the hypervisor took " : "; the hypervisor took ";
    out += text::percent_text(*noise.steal_share);
  }
  out += ":\n\n";
  if (!noise.cases.empty()) {
    document::Table grid{.columns = {document::words("case"),
                                     {.head = "step"},
                                     {.head = "launches"},
                                     {.head = "steps"},
                                     {.head = "between launches"},
                                     {.head = "over minutes"},
                                     {.head = "10 pairs find"},
                                     {.head = "40 pairs find"},
                                     {.head = "A/A", .left = true, .drop_at = 10}},
                         .rows = {}};
    for (const verdict::CaseSpread& one : noise.cases) {
      grid.rows.push_back(
          {{one.name, text::duration(one.step_ns), std::to_string(one.launches),
            one.step_sd ? text::percent_text(*one.step_sd) : "-", text::percent_text(one.launch_sd),
            text::percent_text(one.minutes_sd), text::percent_text(one.found_by_10),
            text::percent_text(one.found_by_40), against_itself(one)},
           one.differs ? document::Tone::kBad : document::Tone::kPlain});
    }
    out += document::draw(std::move(grid), static_cast<std::size_t>(environment.terminal_columns),
                          environment.colour)
               .text;
    out +=
        "Spreads are relative standard deviations: of one step; from one launch to the next of the "
        "same\nprogram; and what the minutes add to that. A change of the size under \"pairs "
        "find\" is found by `ab`\nin four campaigns of five. A/A: half of the launches against the "
        "other half; both are the same program.\n";
  }
  for (const std::string& name : noise.too_few) {
    out += name + ": fewer than " + std::to_string(verdict::kMinLaunchesForSpread) +
           " launches were measured: give more SECONDS\n";
  }
  return out;
}

std::string stored_machine_text(const Environment& environment) {
  const campaign::StoredMachine stored =
      campaign::stored_machine(environment.variables, campaign::machine_identity("/"));
  return stored.noise ? verdict::to_text(*stored.noise) : stored.problem;
}

void quote_machine(const Environment& environment, std::span<verdict::Comparison> comparisons) {
  const std::set<std::string> here = {machine::host_name("/")};
  for (verdict::Comparison& comparison : comparisons) {
    if (is_undecided(comparison) && comparison.hosts == here) {
      comparison.machine = stored_machine_text(environment);
    }
  }
}

std::string power_text(const plan::Plan& plan, const std::filesystem::path& results_dir,
                       const std::string& machine) {
  constexpr double kQuiet = 0.01;
  constexpr double kNoisy = 0.05;
  std::size_t cases = 0;
  auto launches = std::numeric_limits<std::int64_t>::max();
  for (const plan::PlannedCase& planned : plan.cases) {
    if (planned.skip) continue;
    ++cases;
    launches = std::min(launches, planned.resolved.integer_or("launches", 1));
  }
  if (cases == 0) return {};
  const verdict::ComparisonSize size{.launches = static_cast<std::size_t>(launches),
                                     .tests = cases * verdict::default_metrics().metrics.size()};
  const std::string few = verdict::too_few_to_prove(
      size.launches, size.tests, {.q = size.q, .design = verdict::Design::kSequential});
  if (!few.empty()) {
    return "for `compare`: " + few + " (" +
           text::counted(static_cast<std::int64_t>(cases), "case") + ", " +
           verdict::default_metrics().names() + " of each)\n";
  }
  const auto finds = [&](double spread) {
    return text::percent_text(
        verdict::change_found(size, spread).value_or(std::numeric_limits<double>::infinity()));
  };
  const std::string begin = "for `compare`: " + text::counted(launches, "launch") +
                            " find a change in four comparisons of five if it is about ";
  const std::string smaller = "; what is smaller is found more seldom\n";
  const std::string of_machine = machine.empty() ? "" : "for `ab`: " + machine + '\n';
  if (const auto spread = campaign::earlier_spread(plan, results_dir)) {
    return begin + finds(*spread) + " (launches of earlier runs differ by " +
           text::percent_text(*spread) + ')' + smaller + of_machine;
  }
  return begin + finds(kQuiet) + " where equal launches differ by 1 %, " + finds(kNoisy) +
         " where they differ by 5 %" + smaller + of_machine;
}

std::string noise_text(const plan::Plan& plan, const std::filesystem::path& results_dir) {
  const auto runs = std::count_if(plan.cases.begin(), plan.cases.end(),
                                  [](const plan::PlannedCase& planned) { return !planned.skip; });
  if (runs == 0) return {};
  return report::noise_plan_text(
      campaign::earlier_noise(plan, results_dir),
      static_cast<std::size_t>(runs) * verdict::default_metrics().metrics.size());
}

}  // namespace stepbench::cli
