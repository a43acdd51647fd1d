// SPDX-License-Identifier: Apache-2.0
// Which launch of which point comes next. First the file's own settings, thrown away, until two
// launches in a row agree: caches are filled then. Then rounds, each one launch of every point that
// is left, in random order, so that what the machine does meanwhile falls on all of them alike;
// after one round, and two more, the best quarter goes on. Pure: the same results give the same
// launches. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace stepbench::tune {

inline constexpr std::size_t kRounds[] = {1, 2, 4};  // of each rung
inline constexpr std::size_t kRungs = 3;
inline constexpr std::size_t kFewestWarm = 2;
inline constexpr std::size_t kMostWarm = 6;

struct Slot {
  std::size_t point = 0;
  std::size_t rung = 0;
  std::size_t launch = 0;    // of the point, from 0
  std::size_t position = 0;  // in the search
  bool warm = false;         // thrown away
  bool operator==(const Slot&) const = default;
};

// What became of a rung.
struct Rung {
  std::size_t rounds = 0;                // that are whole
  std::vector<std::size_t> points = {};  // that began it and were not taken out
  std::vector<std::size_t> kept = {};    // that go on, the best first
};

struct Scored {
  std::size_t point = 0;
  double score = 0;  // log of its value over the middle of those it stands beside
};

// By how much the best of the points that were measured is better than the winner at most.
struct Bound {
  double regret = 0;       // a share of the best one's value
  std::size_t points = 0;  // that share a round with the winner, and it
};
inline constexpr double kBoundConfidence = .95;

struct PlannedRung {
  std::size_t points = 0;
  std::size_t rounds = 0;
};
// Of so many points that can run, if none is taken out.
[[nodiscard]] std::vector<PlannedRung> planned_rungs(std::size_t points);

class PointSearch {
 public:
  // `before`: whether a point has to come before another one in the first round, in place of
  // chance. At most `most_warm` launches are thrown away.
  using Before = std::function<bool(std::size_t, std::size_t)>;
  PointSearch(std::size_t points, std::size_t own, std::uint64_t seed,
              std::size_t most_warm = kMostWarm, const Before& before = {});

  // The same one until its end is told; nullopt: the search is over.
  [[nodiscard]] std::optional<Slot> next();
  // The launch of next() measured it: the logarithm of what is to be small.
  void take(double log_value);
  // The launch of next(), or any point that is in: it cannot be measured or may not win.
  void take_out(std::size_t point);
  // No launch more: a round that was begun does not count.
  void stop() { over_ = true; }

  [[nodiscard]] bool is_out(std::size_t point) const { return out_[point]; }
  [[nodiscard]] std::size_t remaining() const;  // launches
  [[nodiscard]] const std::vector<Rung>& rungs() const { return rungs_; }
  [[nodiscard]] bool has_whole_round() const { return !rounds_.empty(); }
  // Of the points that are left, the best first. Empty before the first whole round.
  [[nodiscard]] std::vector<Scored> standing() const;
  // nullopt: no point shares two rounds with the winner.
  [[nodiscard]] std::optional<Bound> bound() const;

 private:
  using Round = std::map<std::size_t, double>;  // by point

  void begin_round();
  void end_round();

  std::size_t own_;
  std::uint64_t seed_;
  std::size_t most_warm_;
  std::vector<double> warm_ = {};
  bool is_warm_ = false;
  std::vector<bool> out_;
  std::vector<std::size_t> launches_;  // by point
  std::size_t position_ = 0;
  std::vector<Rung> rungs_;
  std::vector<Round> rounds_ = {};  // that are whole
  Round round_ = {};                // that is under way
  std::vector<std::size_t> order_ = {};
  std::size_t at_ = 0;  // in it
  bool over_ = false;
};

}  // namespace stepbench::tune
