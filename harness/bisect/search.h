// SPDX-License-Identifier: Apache-2.0
// Which commit? Commits stand at places 1 to `last` behind the good end, place 0. Every build has a
// layout in memory of its own, which no number of launches tells from a change, so a turn may be
// wrong: each place keeps its chance of being the culprit, given all that was measured, and the
// next build is of the commit that halves the chance. Where one place has more than half of it,
// copies of this commit and its parent that were built apart are measured side by side. How often
// the answer is right: results/DECISIONS.md. Pure; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/stats/interval.h"
#include "harness/verdict/change_point.h"
#include "harness/verdict/pairs.h"

namespace stepbench::bisect {

// What that of a build may be, as the standard deviation of a log ratio.
struct Layout {
  double sd = 0;
  double chance = 0;
};

struct SearchSetup {
  std::size_t last = 1;      // the place of the bad end, at least 1
  double confidence = 0.95;  // of a name and of a range
  // The log ratio of the step that is looked for, where several may lie between the ends: what is
  // more counts as this.
  double size = std::numeric_limits<double>::infinity();
  std::vector<Layout> layouts = {{0.002, 0.2}, {0.005, 0.3}, {0.01, 0.5}};
  // Of programs without one (scripts, versions): a copy is measured for its fresh pairs.
  [[nodiscard]] static std::vector<Layout> no_layout() { return {{0, 1}}; }
  // Of builds that told it, so far as they do.
  [[nodiscard]] static std::vector<Layout> known_layout(double sd) {
    return {{sd * 0.7, 0.25}, {sd, 0.5}, {sd * 1.4, 0.25}};
  }
};

// Pairs of builds of `base` and `place`. A build is told by its place and how many there were
// before it; number 0 is as the user makes it, later ones draw a layout of their own.
struct SearchStep {
  std::size_t base = 0;
  std::size_t place = 0;
  bool kept = true;  // against the good end's first build; else both were built for this alone
  std::size_t base_build = 0;
  std::size_t place_build = 0;
};

enum class SearchAnswer : std::uint8_t {  // written to disk by name
  kOpen,                                  // there is a next step
  kFound,                                 // one commit, with the confidence
  kLikely,        // one commit; its step is below twice the layout, or no copies could be measured
  kRange,         // one of some commits, with the confidence
  kUndecided,     // that is more than half of them
  kNotReproduced  // the bad end is not slower
};
constexpr EnumNames<6> names_of(SearchAnswer) {
  return {"open", "found", "likely", "range", "undecided", "not_reproduced"};
}

// A change as a log ratio with its interval of 95 %, layout included.
struct StepChange {
  double size = 0;
  stats::Interval interval = {};
};

struct SearchResult {
  SearchAnswer answer = SearchAnswer::kOpen;
  verdict::Places places = {};  // where the culprit may be; `best`: the likeliest
  double chance = 0;            // that it is there
  StepChange ends = {};
  StepChange culprit = {};  // of the likeliest, by copies; of the ends where none are
  std::optional<StepChange> elsewhere =
      {};             // of the ends beyond the culprit, where that is no chance
  double layout = 0;  // of a build, as the pairs tell it
};

class Search {
 public:
  explicit Search(SearchSetup setup);

  // nullopt: result() is final.
  [[nodiscard]] std::optional<SearchStep> next() const;
  // Whether `step` needs no more pairs; asked after each block of two. A pair that cannot be used
  // is not in `pairs`.
  [[nodiscard]] bool is_enough(const SearchStep& step, verdict::Pairs pairs) const;
  // Its end; two pairs at least. The change by launches alone.
  StepChange take(const SearchStep& step, verdict::Pairs pairs);
  // It cannot be built or measured.
  void leave_out(std::size_t place);
  [[nodiscard]] bool is_left_out(std::size_t place) const { return left_out_.contains(place); }
  // Something cheaper than time says that it is this one: it is looked at first.
  void expect(std::size_t place);
  // Copies cannot be linked anew: no name is sure.
  void doubt_copies() { copies_tell_ = false; }

  [[nodiscard]] std::size_t measured() const { return taken_.size(); }  // steps
  [[nodiscard]] SearchResult result() const;
  // Places that may have to be built, those that are needed soonest first; at most so many.
  [[nodiscard]] std::vector<std::size_t> ahead(std::size_t most) const;

  // Of a step, and of a search of so many commits.
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
  // Over all such steps; infinite variance: there are none.
  [[nodiscard]] verdict::Estimate mean_of(std::size_t base, std::size_t place, double layout) const;
  [[nodiscard]] std::size_t copies_of(std::size_t place) const;
  [[nodiscard]] SearchStep step_at(std::size_t base, std::size_t place, bool kept) const;
  [[nodiscard]] verdict::PairSpread spread_with(verdict::Pairs pairs) const;

  SearchSetup setup_;
  double confidence_;      // asked of the model
  double assumed_layout_;  // before anything is measured
  std::size_t builds_left_;
  std::vector<double> prior_;  // log, by place
  std::vector<Taken> taken_ = {};
  verdict::PairSpread spread_ = {};  // of all of them
  std::set<std::size_t> left_out_ = {};
  bool copies_tell_ = true;
};

}  // namespace stepbench::bisect
