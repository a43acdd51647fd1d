// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/bisection.h"

#include <algorithm>
#include <cmath>

namespace stepbench::bisect {
namespace {

constexpr std::size_t kToldPairs = 6;

// A size that came out too large makes a bad commit look good, one that came out too small costs a
// few pairs: commits are told apart by so many standard errors less.
constexpr double kTakenOff = 0.25;

// With its last pairs a commit goes to the nearer side, unless it is this likely to be the wrong
// one: fresh pairs of the culprit have the last word.
constexpr double kErrorAtLast = 0.15;

// That something came after the culprit, or nothing of note.
bool is_clear(const Ends& rest) {
  return rest.low > 0 || rest.high < 0 || std::abs(rest.size) < (rest.high - rest.size) / 3;
}

}  // namespace

Bisection::Bisection(std::size_t last, double confidence, double size)
    : last_(last), error_(error_of_decision(confidence, last)), size_(size), search_(last) {}

std::optional<SearchStep> Bisection::next() const {
  if (!ends_done_)
    return SearchStep{.kind = SearchStep::Kind::kEnds, .base = 0, .candidate = last_};
  if (!ends_.worse) return std::nullopt;
  if (const auto place = search_.next()) {
    return SearchStep{.kind = SearchStep::Kind::kCommit, .base = 0, .candidate = *place};
  }
  if (!search_.named()) return std::nullopt;
  if (!culprit_side_) {
    return SearchStep{.kind = SearchStep::Kind::kCulprit, .base = good(), .candidate = bad()};
  }
  if (*culprit_side_ == Side::kBad && bad() != last_ && !rest_) {
    return SearchStep{.kind = SearchStep::Kind::kRest, .base = bad(), .candidate = last_};
  }
  return std::nullopt;
}

Side Bisection::side(LogRatios log_ratios) const {
  const std::optional<SearchStep> step = next();
  const bool is_last =
      step && step->kind == SearchStep::Kind::kCommit && log_ratios.size() >= kMostPairs;
  return side_of(log_ratios, std::min(size_, ends_.size - kTakenOff * ends_.standard_error),
                 spread_, is_last ? std::max(error_, kErrorAtLast) : error_);
}

bool Bisection::is_enough(LogRatios log_ratios) const {
  const std::optional<SearchStep> step = next();
  if (!step) return true;
  switch (step->kind) {
    case SearchStep::Kind::kEnds:
      return std::find(kLooksAtEnds.begin(), kLooksAtEnds.end(), log_ratios.size()) !=
                 kLooksAtEnds.end() &&
             judge_ends(log_ratios, error_).over;
    case SearchStep::Kind::kRest:
      return log_ratios.size() >= kLooksAtEnds.front() ||
             (log_ratios.size() >= kToldPairs && is_clear(interval_of(log_ratios, error_)));
    case SearchStep::Kind::kCulprit:
      // Their size is told, by these pairs alone.
      if (log_ratios.size() < kToldPairs) return false;
      [[fallthrough]];
    case SearchStep::Kind::kCommit:
      return log_ratios.size() >= kMostPairs || side(log_ratios) != Side::kOpen;
  }
  return true;
}

void Bisection::take(LogRatios log_ratios) {
  const std::optional<SearchStep> step = next();
  if (!step) return;
  switch (step->kind) {
    case SearchStep::Kind::kEnds:
      ends_ = judge_ends(log_ratios, error_);
      ends_done_ = true;
      break;
    case SearchStep::Kind::kCommit:
      search_.take(step->candidate, side(log_ratios));
      break;
    case SearchStep::Kind::kCulprit:
      culprit_side_ = side(log_ratios);
      culprit_ = interval_of(log_ratios, error_);
      // Too little for a side of two, enough for a change above nothing.
      if (culprit_side_ == Side::kOpen && culprit_.worse) culprit_side_ = Side::kBad;
      break;
    case SearchStep::Kind::kRest:
      rest_ = interval_of(log_ratios, error_);
      break;
  }
  spread_.add(log_ratios);
}

void Bisection::take_side(Side side) {
  if (const std::optional<SearchStep> step = next()) search_.take(step->candidate, side);
}

void Bisection::leave_out() { take_side(Side::kOpen); }

SearchAnswer Bisection::answer() const {
  if (next()) return SearchAnswer::kOpen;
  if (!ends_.worse) return SearchAnswer::kNotReproduced;
  if (!search_.named()) return SearchAnswer::kRange;
  return *culprit_side_ == Side::kBad ? SearchAnswer::kFound : SearchAnswer::kContradicted;
}

}  // namespace stepbench::bisect
