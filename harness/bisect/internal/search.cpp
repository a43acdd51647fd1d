// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/internal/search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

namespace stepbench::bisect {
namespace {

// The model must be surer than required, because spread and layout are estimates themselves.
constexpr double kShareOfError = 0.4;
constexpr double kEndsErrors = 1.645;  // standard errors: 5 % of equal ends pass as slower
constexpr double kSideError = 0.02;    // only ends a measurement early
constexpr double kShownError = 0.025;
constexpr std::size_t kCopies = 2;
constexpr std::size_t kPairsOfCopies = 12;
constexpr std::size_t kMinPairs = 4;
constexpr std::size_t kMaxPairs = 16;
constexpr std::size_t kMinPairsOfEnds = 8;
constexpr std::size_t kMaxPairsOfEnds = 40;
constexpr double kWellKnown = 5;  // standard errors of the ends' size, which guides later steps
constexpr double kFineEnough = 2e-3;
constexpr double kElsewhereErrors = 2;  // standard errors
constexpr double kMinLayouts = 2;       // multiples of the layout, for a step reported as found
constexpr double kDoubt = 0.5;          // probability that the step is below kMinLayouts layouts
constexpr double kExpected = 0.9;
constexpr double kMinVariance = 1e-12;

StepChange change_of(const verdict::Estimate& estimate) {
  return {estimate.value, verdict::interval(estimate, kShownError)};
}

double root_of_squares(const std::vector<Layout>& layouts) {
  double square = 0;
  for (const Layout& one : layouts) square += one.chance * one.sd * one.sd;
  return std::sqrt(square);
}

}  // namespace

Search::Search(SearchSetup setup)
    : setup_(std::move(setup)),
      confidence_(1 - kShareOfError * (1 - setup_.confidence)),
      assumed_layout_(root_of_squares(setup_.layouts)),
      builds_left_(most_builds(setup_.last)),
      prior_(setup_.last + 1, 0) {}

std::optional<SearchStep> Search::next() const {
  if (taken_.empty()) return step_at(0, setup_.last, true);
  if (!is_reproduced()) {
    // Copies of both ends decide, also if later pairs invalidated the first result.
    const bool may_be_slower =
        change_of(mean_of(0, setup_.last, assumed_layout_)).interval.high > 0;
    const bool copied = std::ranges::any_of(taken_, [this](const Taken& taken) {
      return !taken.step.against_good_end && taken.step.base == 0 &&
             taken.step.place == setup_.last;
    });
    return !copied && may_be_slower && skipped_.empty()
               ? std::optional(step_at(0, setup_.last, false))
               : std::nullopt;
  }
  const std::vector<double> chances = beliefs().chances;
  const auto [first, last, best] = verdict::likeliest(chances, confidence_);
  if (builds_left_ < 2 || (first == last && copies_of(best) >= kCopies)) return std::nullopt;
  if (chances[best] > 0.5 && !is_skipped(best) && !is_skipped(best - 1)) {
    return step_at(best - 1, best, false);
  }
  double before = 0;
  double nearest = confidence_ / 2;  // farther off: only excluded places could decide
  std::optional<SearchStep> halves;
  for (std::size_t place = 1; place < setup_.last; ++place) {
    before += chances[place];
    const double off = std::abs(before - 0.5);
    if (is_skipped(place) || off >= nearest) continue;
    nearest = off;
    halves = step_at(0, place, true);
  }
  return halves;
}

bool Search::is_enough(const SearchStep& step, verdict::Pairs pairs) const {
  if (pairs.size() >= most_pairs(step, setup_.last)) return true;
  if (!step.against_good_end || pairs.size() < kMinPairs) return false;
  const verdict::Estimate known = verdict::estimate(pairs, spread_with(pairs));
  if (step.place == setup_.last) {
    const double error = std::sqrt(known.variance);
    return pairs.size() >= kMinPairsOfEnds &&
           (std::abs(known.value) > kWellKnown * error || error < kFineEnough);
  }
  const double ends = mean_of(0, setup_.last, assumed_layout_).value;
  const double half = std::min(ends, setup_.size) / 2;
  const stats::Interval side = verdict::interval(known, kSideError);
  return side.low > half || side.high < half;
}

StepChange Search::take(const SearchStep& step, verdict::Pairs pairs) {
  taken_.push_back({step, {pairs.begin(), pairs.end()}});
  spread_ = spread_with({});
  const verdict::Estimate known = verdict::estimate(pairs, spread_);
  taken_.back().centre = known.value;
  builds_left_ -= std::min<std::size_t>(builds_left_, step.against_good_end ? 1 : 2);
  return change_of(known);
}

void Search::skip(std::size_t place) {
  skipped_.insert(place);
  builds_left_ -= std::min<std::size_t>(builds_left_, 1);
}

void Search::expect(std::size_t place) {
  if (setup_.last < 2) return;
  const double others = (1 - kExpected) / static_cast<double>(setup_.last - 1);
  prior_.assign(prior_.size(), std::log(others));
  prior_[place] = std::log(kExpected);
}

SearchResult Search::result() const {
  SearchResult found{.ends = change_of(mean_of(0, setup_.last, assumed_layout_))};
  if (next()) found.answer = SearchAnswer::kOpen;
  if (taken_.empty()) return found;
  const Beliefs beliefs = this->beliefs();
  found.layout = root_of_squares(beliefs.layouts);
  if (!is_reproduced()) {
    if (!next()) found.answer = SearchAnswer::kNotReproduced;
    return found;
  }
  found.places = verdict::likeliest(beliefs.chances, confidence_);
  const auto [first, last, best] = found.places;
  found.chance = std::accumulate(&beliefs.chances[first], &beliefs.chances[last] + 1, 0.0);
  const std::size_t copies = copies_of(best);
  const verdict::Estimate culprit = mean_of(best - 1, best, found.layout);
  found.culprit = copies > 0 ? change_of(culprit) : found.ends;
  const verdict::Estimate more = mean_of(0, setup_.last, found.layout) - culprit;
  if (copies > 0 && std::abs(more.value) > kElsewhereErrors * std::sqrt(more.variance)) {
    found.elsewhere = change_of(more);
  }
  if (next()) return found;
  if (first < last) {
    const bool most = 2 * (last - first + 1) > setup_.last;
    found.answer = most ? SearchAnswer::kUndecided : SearchAnswer::kRange;
  } else {
    double doubt = 0;  // probability that the step is below twice the layout
    for (const Layout& one : beliefs.layouts) {
      if (found.culprit.size < kMinLayouts * one.sd) doubt += one.chance;
    }
    const bool sure = copies_are_conclusive_ && copies >= kCopies && doubt < kDoubt;
    found.answer = sure ? SearchAnswer::kFound : SearchAnswer::kLikely;
  }
  return found;
}

// Places at halves, quarters, eighths of the probability.
std::vector<std::size_t> Search::ahead(std::size_t most) const {
  std::vector<double> chances(setup_.last + 1, 1.0 / static_cast<double>(setup_.last));
  if (!taken_.empty() && is_reproduced()) chances = beliefs().chances;
  std::vector<std::size_t> places;
  for (std::size_t parts = 2; parts <= 2 * setup_.last; parts *= 2) {
    for (std::size_t part = 1; part < parts && places.size() < most; part += 2) {
      const double share = static_cast<double>(part) / static_cast<double>(parts) - 1e-9;
      std::size_t place = 0;
      for (double before = 0; place + 1 < setup_.last && before < share;)
        before += chances[++place];
      const bool known = place == 0 || is_skipped(place) || step_at(0, place, true).place_build > 0;
      if (!known && std::ranges::find(places, place) == places.end()) places.push_back(place);
    }
  }
  return places;
}

std::size_t Search::most_builds(std::size_t last) {
  return 12 + 2 * static_cast<std::size_t>(std::bit_width(last - 1));
}

std::size_t Search::most_pairs(const SearchStep& step, std::size_t last) {
  if (!step.against_good_end) return kPairsOfCopies;
  return step.place == last ? kMaxPairsOfEnds : kMaxPairs;
}

// Marginalises over layout and step size.
Search::Beliefs Search::beliefs() const {
  std::vector<double> logs;
  std::vector<verdict::Measured> measured(taken_.size());
  for (const Layout& layout : setup_.layouts) {
    const double one = std::max(layout.sd * layout.sd, kMinVariance);
    std::ranges::transform(taken_, measured.begin(), [&](const Taken& taken) {
      const auto& [step, pairs, centre] = taken;
      const double launches = verdict::variance(spread_, static_cast<double>(pairs.size()));
      return verdict::Measured{std::min(centre, setup_.size),
                               launches + (step.against_good_end ? 1 : 2) * one, step.place,
                               step.base, step.against_good_end};
    });
    for (std::size_t place = 1; place <= setup_.last; ++place) {
      logs.push_back(verdict::log_likelihood(measured, place, one) + std::log(layout.chance) +
                     prior_[place]);
    }
  }
  const std::vector<double> shares = verdict::chances(std::move(logs));
  Beliefs beliefs{.chances = std::vector<double>(setup_.last + 1, 0), .layouts = setup_.layouts};
  for (Layout& layout : beliefs.layouts) layout.chance = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    beliefs.chances[1 + i % setup_.last] += shares[i];
    beliefs.layouts[i / setup_.last].chance += shares[i];
  }
  return beliefs;
}

bool Search::is_reproduced() const {
  // Normal distribution: most of the error is the layout, which is assumed, not estimated.
  const verdict::Estimate ends = mean_of(0, setup_.last, assumed_layout_);
  return ends.value > kEndsErrors * std::sqrt(ends.variance);
}

// Unweighted: layout is most of their error.
verdict::Estimate Search::mean_of(std::size_t base, std::size_t place, double layout) const {
  verdict::Estimate mean{0, 0, spread_.freedom};
  double count = 0;
  for (const auto& [step, pairs, centre] : taken_) {
    if (step.base != base || step.place != place) continue;
    mean.value += centre;
    mean.variance +=
        verdict::variance(spread_, static_cast<double>(pairs.size())) + 2 * layout * layout;
    ++count;
  }
  if (count == 0) return {};
  return {mean.value / count, mean.variance / count / count, mean.freedom};
}

std::size_t Search::copies_of(std::size_t place) const {
  return static_cast<std::size_t>(std::ranges::count_if(taken_, [place](const Taken& taken) {
    return !taken.step.against_good_end && taken.step.place == place &&
           taken.step.base + 1 == place;
  }));
}

SearchStep Search::step_at(std::size_t base, std::size_t place, bool against_good_end) const {
  const auto builds_of = [&](std::size_t at) {
    const auto used = std::ranges::count_if(taken_, [at](const Taken& taken) {
      return taken.step.place == at || (!taken.step.against_good_end && taken.step.base == at);
    });
    return static_cast<std::size_t>(used) + (at == 0 ? 1 : 0);
  };
  return {base, place, against_good_end, against_good_end ? 0 : builds_of(base), builds_of(place)};
}

verdict::PairSpread Search::spread_with(verdict::Pairs pairs) const {
  std::vector<verdict::Pairs> all;
  for (const Taken& taken : taken_) all.emplace_back(taken.pairs);
  if (!pairs.empty()) all.push_back(pairs);
  return verdict::spread(all);
}

}  // namespace stepbench::bisect
