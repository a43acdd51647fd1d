// SPDX-License-Identifier: Apache-2.0
// Which launch of which point comes next, and which points are still in: rungs of successive
// halving (Karnin, Koren and Somekh 2013), whose scores are taken inside rounds. A round is one
// launch of each point that is left, in random order, so that what the machine does meanwhile falls
// on all of them alike. The launches of rung 0 are short, and only say which points go on. Pure:
// the same results give the same launches. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "harness/stats/random.h"
#include "harness/tune/scores.h"

namespace stepbench::tune {

inline constexpr std::size_t kKept = 4;              // one of so many survives a rung
inline constexpr std::size_t kFewestKept = 2;        // where so many can be measured
inline constexpr std::size_t kRounds[] = {1, 2, 4};  // of each rung
inline constexpr std::size_t kRungs = 3;
inline constexpr std::size_t kFewestPoints = 8;  // of fewer all are measured in full

struct Slot {
  std::size_t point = 0;
  std::size_t rung = 0;
  std::size_t launch = 0;    // of the point, from 0
  std::size_t position = 0;  // in the search
  bool operator==(const Slot&) const = default;
};

// What became of a rung.
struct Rung {
  std::size_t rounds = 0;                // that are whole
  std::vector<std::size_t> points = {};  // that began it and were not taken out
  std::vector<std::size_t> kept = {};    // that go on, the best first
};

// A rung of a search in which no point is taken out and none leaves early.
struct PlannedRung {
  std::size_t points = 0;
  std::size_t rounds = 0;
  bool brief = false;  // its launches are short
};
// Of `points`, of which so many can run.
[[nodiscard]] std::vector<PlannedRung> planned_rungs(std::size_t points, std::size_t can_run);

class Halving {
 public:
  // `log_margin`: a difference of log values that does not matter. At least one point.
  // `before`: whether a point has to come before another one in the first round, in place of
  // chance.
  using Before = std::function<bool(std::size_t, std::size_t)>;
  Halving(std::size_t points, std::uint64_t seed, double log_margin, const Before& before = {});

  // The same one until its end is told; nullopt: the search is over.
  [[nodiscard]] std::optional<Slot> next();
  // The launch of next() measured it: the logarithm of what is to be small.
  void take(double log_value);
  // The launch of next(), or any point that is in: it cannot be measured or may not win.
  void take_out(std::size_t point);
  // No launch more: a round that was begun does not count.
  void stop();

  // It was taken out: see take_out().
  [[nodiscard]] bool is_out(std::size_t point) const { return states_[point] == State::kOut; }
  [[nodiscard]] std::size_t remaining() const;  // launches, if no point leaves early
  [[nodiscard]] std::size_t launches() const { return position_; }
  [[nodiscard]] const std::vector<Rung>& rungs() const { return rungs_; }
  // The best first: those that are left of the last rung that has a whole round. Empty before the
  // first one.
  [[nodiscard]] std::vector<Scored> standing() const;
  // Those that are whole.
  [[nodiscard]] const Rounds& rounds() const { return rounds_; }

 private:
  enum class State : std::uint8_t { kIn, kLost, kOut };
  [[nodiscard]] bool is_in(std::size_t point) const { return states_[point] == State::kIn; }
  [[nodiscard]] std::size_t rounds_of(std::size_t rung) const;
  [[nodiscard]] std::vector<std::size_t> points_left() const;  // of the rung
  void begin_round();
  void end_round();
  void leave_early();
  void end_rung();

  std::uint64_t seed_;
  double log_margin_;
  std::vector<State> states_;
  std::vector<Rung> rungs_;
  Rounds rounds_;
  std::vector<std::size_t> order_;  // of the round that is under way
  std::size_t at_ = 0;              // in it
  std::vector<RoundValue> values_;  // of it so far
  std::size_t round_ = 0;           // of the rung
  std::size_t position_ = 0;
  bool over_ = false;
};

}  // namespace stepbench::tune
