// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/ab_campaign.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/estimate/columns.h"
#include "harness/estimate/launch_values.h"
#include "harness/stats/random.h"
#include "harness/text/words.h"
#include "harness/verdict/comparison.h"
#include "harness/verdict/internal/comparability.h"
#include "harness/verdict/internal/gates.h"

namespace stepbench::verdict {
namespace {

constexpr std::size_t kManyPrimaryMetrics = 10;

// kNoData because of dropped pairs is not final while further pairs can reduce their share enough.
bool decided(const TestResult& test, std::size_t most_pairs) {
  const bool may_recover =
      test.verdict == Verdict::kNoData && test.pairs > 0 &&
      static_cast<double>(test.dropped) <= kMaxDropped * static_cast<double>(most_pairs);
  return test.verdict != Verdict::kInconclusive && !may_recover;
}

}  // namespace

AbDesign with_looks(std::size_t cases, std::size_t primary_metrics, std::uint64_t seed) {
  AbDesign design{.cases = cases, .seed = seed, .looks = {10, 20, 40}, .rule = rule_of_a_look()};
  if (primary_metrics > kManyPrimaryMetrics) design.looks = {20, 40};
  return design;
}

AbDesign with_fixed_pairs(std::size_t cases, std::size_t pairs, std::uint64_t seed) {
  return {.cases = cases, .seed = seed, .looks = {pairs}};
}

std::string looks_text(std::span<const std::size_t> looks) {
  std::vector<std::string> pairs;
  for (const std::size_t look : looks) pairs.push_back(std::to_string(look));
  return (pairs.size() > 1 ? "interim results after " : "judged after ") + text::join_and(pairs) +
         (looks.back() == 1 ? " pair" : " pairs");
}

AbCampaign::AbCampaign(AbDesign design) : design_(std::move(design)), cases_(design_.cases) {
  // Drawn for the longest campaign at once, so that the order of a block does not depend on which
  // cases are still measured.
  const std::size_t blocks = design_.looks.empty() ? 0 : (design_.looks.back() + 1) / 2;
  stats::Random random(design_.seed);
  b_first_.resize(blocks * design_.cases);
  for (auto& word : b_first_) word = random.below(2);
}

void AbCampaign::plan_until(std::size_t pairs) {
  slots_.clear();
  next_slot_ = 0;
  while (pairs_planned_ < pairs) {
    const std::size_t block = pairs_planned_ / 2;
    const std::size_t last = std::min(pairs, 2 * block + 2);
    for (std::size_t turn = 0; turn < design_.cases; ++turn) {
      const std::size_t index = (turn + block) % design_.cases;
      if (!cases_[index].in_rotation) continue;
      const bool b_first = b_first_[block * design_.cases + index] == 1;
      const std::array<bool, 4> arms = {b_first, !b_first, !b_first, b_first};
      for (std::size_t pair = pairs_planned_; pair < last; ++pair) {
        for (const std::size_t half : {0, 1}) {
          slots_.push_back({.case_index = index,
                            .b = arms[2 * (pair % 2) + half],
                            .pair = pair,
                            .block = block,
                            .position = positions_++});
        }
      }
    }
    pairs_planned_ = last;
  }
}

void AbCampaign::look(const SamplesOf& samples_of) {
  // One family over all cases: decided cases stay in it with the samples they were decided on.
  std::vector<PairedSamples> family;
  std::vector<std::size_t> first(design_.cases + 1, 0);
  const std::size_t pairs = design_.looks[next_look_];
  for (std::size_t i = 0; i < design_.cases; ++i) {
    for (PairedSamples& samples : samples_of(i, pairs)) family.push_back(std::move(samples));
    first[i + 1] = family.size();
  }
  TestFamily verdicts = judge(family, design_.rule);
  const bool is_last = ++next_look_ == design_.looks.size();
  for (std::size_t i = 0; i < design_.cases; ++i) {
    AbCase& one = cases_[i];
    if (!one.in_rotation) continue;
    one.ended_at = pairs;
    one.tests.assign(
        std::make_move_iterator(verdicts.tests.begin() + static_cast<std::ptrdiff_t>(first[i])),
        std::make_move_iterator(verdicts.tests.begin() +
                                static_cast<std::ptrdiff_t>(first[i + 1])));
    if (design_.is_over) {  // ends by a rule that the correction does not account for
      for (TestResult& test : one.tests) test.corrected_change.reset();
    }
    const bool over = design_.is_over ? !is_last && design_.is_over(i, pairs)
                                      : std::all_of(one.tests.begin(), one.tests.end(),
                                                    [&](const TestResult& test) {
                                                      return decided(test, design_.looks.back());
                                                    });
    one.in_rotation = !over && !is_last;
  }
}

std::optional<AbSlot> AbCampaign::next(const SamplesOf& samples_of) {
  while (next_slot_ == slots_.size()) {
    const bool should_look = pairs_planned_ > 0 && next_look_ < design_.looks.size() &&
                             pairs_planned_ == design_.looks[next_look_];
    if (should_look) look(samples_of);
    if (next_look_ == design_.looks.size()) return std::nullopt;
    plan_until(design_.looks[next_look_]);
    if (slots_.empty()) return std::nullopt;
  }
  return slots_[next_slot_++];
}

std::size_t AbCampaign::remaining() const {
  if (design_.looks.empty()) return 0;
  const auto rotating = static_cast<std::size_t>(std::count_if(
      cases_.begin(), cases_.end(), [](const AbCase& one) { return one.in_rotation; }));
  return slots_.size() - next_slot_ + 2 * rotating * (design_.looks.back() - pairs_planned_);
}

namespace {

struct Halves {
  const record::Launch* a = nullptr;
  const record::Launch* b = nullptr;
};

bool is_measured(const record::Launch* launch) {
  return launch != nullptr && launch->row.outcome.kind == Outcome::Kind::kMeasured;
}

auto run_order(const record::Launch& launch) {
  return std::make_tuple(launch.place, launch.row.position);
}

void note_reason(const record::Launch* launch, CaseLaunches& to) {
  if (launch == nullptr || is_measured(launch)) return;
  if (to.not_measured++ == 0) to.reason = launch->row.outcome.reason;
}

using LaunchPlaces = std::map<const record::Launch*, std::size_t>;

void add_measured(const record::Launch* launch, const OtherRanks& other_ranks, CaseLaunches& to) {
  to.measured.push_back(launch);
  if (launch->row.world > 1) to.other_ranks.push_back(other_ranks.of(*launch));
}

AbPairs pairs_of(const std::map<int, Halves>& halves, const LaunchPlaces& places,
                 const OtherRanks& other_ranks) {
  AbPairs result;
  for (const auto& [number, both] : halves) {
    CasePair& pair = result.pair;
    if (both.a != nullptr && pair.base.first == nullptr) pair.base.first = &both.a->row;
    if (both.b != nullptr && pair.candidate.first == nullptr) pair.candidate.first = &both.b->row;
    note_reason(both.a, pair.base);
    note_reason(both.b, pair.candidate);
    if (is_measured(both.a)) result.base_launches.push_back(both.a);
    if (both.a == nullptr || both.b == nullptr) continue;
    if (!is_measured(both.a) || !is_measured(both.b)) {
      ++result.dropped;
      continue;
    }
    add_measured(both.a, other_ranks, pair.base);
    add_measured(both.b, other_ranks, pair.candidate);
    const std::size_t a = places.at(both.a);
    const std::size_t b = places.at(both.b);
    if (a < b) ++result.a_first;
    if (std::max(a, b) - std::min(a, b) != 1) result.neighbours = false;
  }
  std::sort(result.base_launches.begin(), result.base_launches.end(),
            [&](const record::Launch* x, const record::Launch* y) {
              return places.at(x) < places.at(y);
            });
  return result;
}

}  // namespace

std::string arm_label(std::string_view arm) { return arm == kArmA ? "arm A" : "arm B"; }

std::vector<AbPairs> ab_pairs(const record::Results& results, const std::vector<AbPoint>& points) {
  std::vector<const record::Launch*> launches;
  for (const record::Launch& launch : results.launches) launches.push_back(&launch);
  return ab_pairs(launches, points);
}

std::vector<AbPairs> ab_pairs(std::span<const record::Launch* const> launches,
                              const std::vector<AbPoint>& points, std::size_t most) {
  std::map<std::pair<std::string_view, bool>, std::vector<std::size_t>> wanted;
  for (std::size_t i = 0; i < points.size(); ++i) {
    wanted[{points[i].a_case, false}].push_back(i);
    wanted[{points[i].b_case, true}].push_back(i);
  }
  std::vector<std::map<int, Halves>> halves(points.size());
  std::vector<const record::Launch*> timed;
  OtherRanks other_ranks;
  for (const record::Launch* each : launches) {
    const record::Launch& launch = *each;
    const record::LaunchKey& key = launch.row.key;
    if (key.pass != Pass::kTiming || (key.arm != kArmA && key.arm != kArmB)) continue;
    if (key.rank != 0) {
      other_ranks.add(launch);
      continue;
    }
    if (launch.row.smoke) throw ConfigError("--resume", "the folder holds rows of a smoke run");
    if (static_cast<std::size_t>(key.launch) >= most) continue;
    const bool is_b = key.arm == kArmB;
    const auto found = wanted.find({key.case_id, is_b});
    if (found == wanted.end()) continue;
    for (const std::size_t index : found->second) {
      Halves& both = halves[index][key.launch];
      (is_b ? both.b : both.a) = &launch;
    }
  }
  for (const auto& one : halves) {
    for (const auto& [number, both] : one) {
      for (const record::Launch* launch : {both.a, both.b}) {
        if (launch != nullptr) timed.push_back(launch);
      }
    }
  }
  std::stable_sort(timed.begin(), timed.end(),
                   [](const record::Launch* x, const record::Launch* y) {
                     return run_order(*x) < run_order(*y);
                   });
  LaunchPlaces places;
  for (std::size_t i = 0; i < timed.size(); ++i) places.emplace(timed[i], i);
  std::vector<AbPairs> result;
  result.reserve(points.size());
  for (const auto& one : halves) result.push_back(pairs_of(one, places, other_ranks));
  return result;
}

std::vector<MetricSamples> metric_samples(const AbPairs& pairs, const std::vector<Metric>& columns,
                                          const TestedMetrics& tested) {
  return metric_samples(pairs, MetricValues(pairs.pair), columns, tested);
}

std::vector<MetricSamples> metric_samples(const AbPairs& pairs, const MetricValues& values,
                                          const std::vector<Metric>& columns,
                                          const TestedMetrics& tested) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  std::vector<MetricSamples> all_samples = metric_samples(pairs.pair, values, columns, tested);
  for (MetricSamples& asked : all_samples) {
    asked.samples.base.resize(asked.samples.base.size() + pairs.dropped, kNan);
    asked.samples.candidate.resize(asked.samples.candidate.size() + pairs.dropped, kNan);
  }
  return all_samples;
}

Design design_of(const std::vector<AbPairs>& points) {
  constexpr double kMaxUneven = 0.2;
  for (const AbPairs& point : points) {
    const auto n = static_cast<double>(point.pair.base.measured.size());
    const double uneven = std::abs(2 * static_cast<double>(point.a_first) - n);
    if (!point.neighbours || uneven > std::max(2.0, kMaxUneven * n)) return Design::kSequential;
  }
  return Design::kInterleaved;
}

namespace {

// Returns the workers of one arm as a result of their own.
record::Results workers_of(const record::Results& results, std::string_view arm) {
  record::Results side;
  std::set<std::string_view> ids;
  for (const record::Launch& launch : results.launches) {
    if (launch.row.key.arm == arm) ids.insert(launch.row.worker_id);
  }
  for (const record::WorkerRow& worker : results.workers) {
    if (ids.contains(worker.worker_id)) side.workers.push_back(worker);
  }
  return side;
}

std::vector<double> measured_steps(std::span<const record::Launch* const> launches) {
  std::vector<double> steps = estimate::step_times(launches, {}).base;
  std::erase_if(steps, [](double step) { return std::isnan(step); });
  return steps;
}

// Result of a case that was not measured in both arms.
CaseResult unmeasured(const AbPoint& point, const AbPairs& pairs, const VerdictRule& rule,
                      const TestedMetrics& tested) {
  CaseResult result;
  result.case_id = point.a_case;
  result.candidate_case_id = point.b_case;
  for (const CaseLaunches* side : {&pairs.pair.base, &pairs.pair.candidate}) {
    if (side->first == nullptr) continue;
    result.workload = side->first->workload;
    result.options = side->first->options;
  }
  note_missing_launches(pairs.pair, "arm A", "arm B", result);
  for (const TestedMetric& metric : tested.metrics) {
    if (metric.kind == MetricKind::kPeak && tested.by_default) continue;
    const MetricSamples none{.metric = metric, .primary = true};
    result.metrics.push_back(metric_result(none));
    result.metrics.back().test = judge({&none.samples, 1}, rule).tests.front();
  }
  return result;
}

CaseResult result_of(const AbPoint& point, const AbPairs& pairs, const AbCase& ended,
                     const record::Results& results, const ProfiledLaunches& profiled,
                     const VerdictRule& rule, const CompareOptions& options,
                     std::vector<Gate>& gates, std::vector<std::vector<double>>& levels) {
  if (pairs.pair.base.first == nullptr || pairs.pair.candidate.first == nullptr) {
    return unmeasured(point, pairs, rule, options.tested);
  }
  CaseResult result = begin_case_result(pairs.pair);
  result.ended_at = ended.ended_at;
  std::size_t next_primary = 0;
  const MetricValues values(pairs.pair);
  std::vector<MetricSamples> all_samples =
      metric_samples(pairs, values, results.columns, options.tested);
  for (std::string& note : take_varying_counts(all_samples))
    result.notes.push_back(std::move(note));
  for (const MetricSamples& asked : all_samples) {
    if (!asked.note.empty()) result.notes.push_back(asked.note);
    MetricResult metric = metric_result(asked);
    if (!asked.primary) {
      metric.test = judge({&asked.samples, 1}, rule).tests.front();
    } else if (next_primary < ended.tests.size()) {
      metric.test = ended.tests[next_primary++];
    }
    result.metrics.push_back(std::move(metric));
  }
  const CasePair& pair = pairs.pair;
  add_noise_gates(pair, values.steps(), "arm A", "arm B", gates);
  levels.push_back(block_levels(pair, values.steps()));
  const CountedLaunches base{pairs.pair.base.measured, profiled.of(point.a_case, kArmA),
                             profiled.counted(point.a_case, kArmA)};
  const CountedLaunches candidate{pairs.pair.candidate.measured, profiled.of(point.b_case, kArmB),
                                  profiled.counted(point.b_case, kArmB)};
  for (std::string& note : exact_count_notes(base, candidate, results.columns)) {
    result.notes.push_back(std::move(note));
  }
  explain_change(pair, rule, base.profiled, candidate.profiled, result);
  if (options.gate_counts) {
    judge_counts({"arm A", "arm B", results.columns, options}, base, candidate, result);
  }
  return result;
}

void count_tests(Comparison& comparison) {
  for (const CaseResult& one : comparison.cases) {
    for (const MetricResult& metric : one.metrics) {
      if (!metric.primary || std::isnan(metric.test.p)) continue;
      ++comparison.tested;
      if (!is_rejected(metric.test, comparison.rule.q)) continue;
      ++(metric.test.slower ? comparison.rejected_slower : comparison.rejected_faster);
    }
  }
}

void add_campaign_gates(const std::vector<CasePair>& cases,
                        std::span<const std::vector<double>> levels, Design design,
                        const CompareOptions& options, std::vector<Gate>& gates) {
  gates.push_back(drift_gate(levels));  // reported even if it passed, with the amount of drift
  std::vector<Gate> own = machine_gates(cases, design);
  apply_allowed(options.allow, own);
  std::ranges::move(own, std::back_inserter(gates));
}

// Returns true if a point is missing in only one of the arms.
bool add_missing(const std::vector<AbMissing>& missing, Comparison& comparison) {
  bool one_sided = false;
  for (const AbMissing& one : missing) {
    comparison.warnings.push_back(formatted("not compared: {}: {}", one.name, one.reason));
    if (one.in_a == one.in_b) continue;
    one_sided = true;
    (one.in_a ? comparison.only_base : comparison.only_candidate).push_back(one.point);
  }
  return one_sided;
}

}  // namespace

Comparison ab_comparison(const record::Results& results, const AbOutcome& outcome,
                         const CompareOptions& options) {
  const AbDesign& design = outcome.campaign.design();
  Comparison comparison{.base = outcome.a, .candidate = outcome.b};
  if (!results.runs.empty()) comparison.swept = results.runs.front().swept;
  add_hosts(results, comparison.hosts);
  comparison.rule = design.rule;
  comparison.looks = design.looks;
  comparison.seed = design.seed;
  comparison.warnings = outcome.warnings;
  const std::vector<AbPairs> pairs = ab_pairs(results, outcome.points);
  comparison.rule.design = design_of(pairs);

  const ProfiledLaunches profiled(results);
  CasePairs joined;
  std::vector<std::vector<double>> base_runs;
  std::vector<std::vector<double>> levels;
  for (std::size_t i = 0; i < outcome.points.size(); ++i) {
    comparison.cases.push_back(result_of(outcome.points[i], pairs[i], outcome.campaign.cases()[i],
                                         results, profiled, comparison.rule, options,
                                         comparison.gates, levels));
    base_runs.push_back(measured_steps(pairs[i].base_launches));
    if (!pairs[i].pair.base.measured.empty()) joined.both.push_back(pairs[i].pair);
  }
  const record::Results a = workers_of(results, kArmA);
  const record::Results b = workers_of(results, kArmB);
  comparison.environment = environment_differences({&a, outcome.where}, {&b, outcome.where}, joined,
                                                   options.allow, outcome.overridden);
  if (options.gate_counts) {
    refuse_unlike_counting({"arm A", "arm B", results.columns, options}, comparison.environment);
  }
  comparison.aa_control = aa_control(base_runs);
  add_campaign_gates(joined.both, levels, comparison.rule.design, options, comparison.gates);
  count_tests(comparison);
  std::string few = too_few_to_prove(design.looks.empty() ? 0 : design.looks.back(),
                                     comparison.tested, design.rule);
  if (!few.empty() && !options.gate_counts) comparison.warnings.push_back(std::move(few));
  const bool one_sided = add_missing(outcome.missing, comparison);
  conclude(options, one_sided, comparison);
  if (comparison.rule.design == Design::kSequential && !options.gate_counts) {
    comparison.warnings.emplace_back(
        "the two launches of a pair were not adjacent in time, or one arm nearly always went "
        "first: the arms did not alternate, so nothing is confirmed");
    comparison.verdict = Verdict::kInvalid;
    comparison.exit_code = kExitNothingMeasured;
  }
  return comparison;
}

}  // namespace stepbench::verdict
