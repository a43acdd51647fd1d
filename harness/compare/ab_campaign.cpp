// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/ab_campaign.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "harness/base/error.h"
#include "harness/stats/random.h"
#include "harness/text/words.h"

namespace stepbench::compare {
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

using Places = std::map<const record::Launch*, std::size_t>;

void add_measured(const record::Launch* launch, const OtherRanks& other_ranks, CaseLaunches& to) {
  to.measured.push_back(launch);
  if (launch->row.world > 1) to.other_ranks.push_back(other_ranks.of(*launch));
}

AbPairs pairs_of(const std::map<int, Halves>& halves, const Places& places,
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
  Places places;
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

}  // namespace stepbench::compare
