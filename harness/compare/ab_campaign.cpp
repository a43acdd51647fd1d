// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/ab_campaign.h"

#include <algorithm>
#include <array>

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

}  // namespace stepbench::compare
