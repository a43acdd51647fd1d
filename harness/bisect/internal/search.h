// SPDX-License-Identifier: Apache-2.0
// Finds the culprit among commits at places 1 to `last` after the good end, place 0. Every build
// has its own memory layout, which no number of launches can separate from a change, so any
// comparison may be wrong. Each place therefore keeps its probability of being the culprit given
// all measurements, and the next build is of the commit that halves the probability. Once one place
// has more than half of it, copies of this commit and its parent, built only for this purpose, are
// compared directly. How often the answer is right: results/DECISIONS.md. Pure; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/stats/order_statistics.h"
#include "harness/verdict/pairs.h"

namespace stepbench::bisect {

// Prior for the layout of a build: standard deviation of a log ratio, and its probability.
struct Layout {
  double sd = 0;
  double chance = 0;
};

struct SearchSetup {
  std::size_t last = 1;      // place of the bad end, at least 1
  double confidence = 0.95;  // required for a single commit or a range
  // Log ratio of the step looked for, if there may be several: larger values are clamped to it.
  double size = std::numeric_limits<double>::infinity();
  std::vector<Layout> layouts = {{0.002, 0.2}, {0.005, 0.3}, {0.01, 0.5}};
  // For programs without layout (scripts, versions): copies only add fresh pairs.
  [[nodiscard]] static std::vector<Layout> no_layout() { return {{0, 1}}; }
  // For an estimated layout, with its uncertainty.
  [[nodiscard]] static std::vector<Layout> known_layout(double sd) {
    return {{sd * 0.7, 0.25}, {sd, 0.5}, {sd * 1.4, 0.25}};
  }
};

// A comparison of builds of `base` and `place`. A build is identified by its place and number: 0 is
// the user's own build, later ones have a randomised layout.
struct SearchStep {
  std::size_t base = 0;
  std::size_t place = 0;
  bool against_good_end = true;  // against the good end's first build; false: both are copies
  std::size_t base_build = 0;
  std::size_t place_build = 0;
};

enum class SearchAnswer : std::uint8_t {  // written to disk by name
  kOpen,                                  // there is a next step
  kFound,                                 // one commit, with the required confidence
  kLikely,        // one commit; its step is below twice the layout, or no copies could be measured
  kRange,         // one of several commits, with the required confidence
  kUndecided,     // a range of more than half of them
  kNotReproduced  // the bad end is not slower
};
constexpr EnumNames<6> names_of(SearchAnswer) {
  return {"open", "found", "likely", "range", "undecided", "not_reproduced"};
}

// A change as a log ratio with its 95 % interval, including layout.
struct StepChange {
  double size = 0;
  stats::Interval interval = {};
};

struct SearchResult {
  SearchAnswer answer = SearchAnswer::kOpen;
  verdict::Places places = {};  // possible places of the culprit; `best`: the likeliest
  double chance = 0;            // probability of `places`
  StepChange ends = {};
  StepChange culprit = {};  // at the likeliest place, by copies; else the ends'
  std::optional<StepChange> elsewhere =
      {};             // change of the ends beyond the culprit, if significant
  double layout = 0;  // layout of a build, as estimated from the pairs
};

class Search {
 public:
  explicit Search(SearchSetup setup);

  // nullopt: result() is final.
  [[nodiscard]] std::optional<SearchStep> next() const;
  // True if `step` needs no more pairs; called after each block of two, with the usable ones.
  [[nodiscard]] bool is_enough(const SearchStep& step, verdict::Pairs pairs) const;
  // Ends a step; needs at least two pairs. Returns the change with the error of launches only.
  StepChange take(const SearchStep& step, verdict::Pairs pairs);
  // Excludes a place that cannot be built or measured.
  void skip(std::size_t place);
  [[nodiscard]] bool is_skipped(std::size_t place) const { return skipped_.contains(place); }
  // Prior for a place indicated by something cheaper than timing: it is examined first.
  void expect(std::size_t place);
  // Copies cannot get a new layout, so that no single commit is certain.
  void doubt_copies() { copies_are_conclusive_ = false; }

  [[nodiscard]] std::size_t measured() const { return taken_.size(); }  // number of steps
  [[nodiscard]] SearchResult result() const;
  // Places that may have to be built, soonest first; at most `most`.
  [[nodiscard]] std::vector<std::size_t> ahead(std::size_t most) const;

  // Limits for one step, and for a search of so many commits.
  [[nodiscard]] static std::size_t most_pairs(const SearchStep& step, std::size_t last);
  [[nodiscard]] static std::size_t most_builds(std::size_t last);

 private:
  struct Taken {
    SearchStep step = {};
    std::vector<double> pairs = {};
    double centre = 0;
  };
  struct Beliefs {
    std::vector<double> chances = {};  // by place
    std::vector<Layout> layouts = {};
  };

  [[nodiscard]] Beliefs beliefs() const;
  [[nodiscard]] bool is_reproduced() const;
  // Mean over all steps of these places; infinite variance: none.
  [[nodiscard]] verdict::Estimate mean_of(std::size_t base, std::size_t place, double layout) const;
  [[nodiscard]] std::size_t copies_of(std::size_t place) const;
  [[nodiscard]] SearchStep step_at(std::size_t base, std::size_t place,
                                   bool against_good_end) const;
  [[nodiscard]] verdict::PairSpread spread_with(verdict::Pairs pairs) const;

  SearchSetup setup_;
  double confidence_;      // required of the model
  double assumed_layout_;  // before anything is measured
  std::size_t builds_left_;
  std::vector<double> prior_;  // log probability by place
  std::vector<Taken> taken_ = {};
  verdict::PairSpread spread_ = {};  // over all steps
  std::set<std::size_t> skipped_ = {};
  bool copies_are_conclusive_ = true;
};

}  // namespace stepbench::bisect
