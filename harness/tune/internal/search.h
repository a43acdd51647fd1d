// SPDX-License-Identifier: Apache-2.0
// Decides which point is launched next. First warm-up launches of the file's own settings,
// discarded, until two in a row agree: caches are then filled. Then rounds, each with one launch of
// every remaining point in random order, so that machine conditions affect all alike; after one
// round, and after two more, the best quarter continues. Pure: the same results give the same
// launches. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace stepbench::tune {

inline constexpr std::size_t kRounds[] = {1, 2, 4};  // per rung
inline constexpr std::size_t kRungs = 3;
inline constexpr std::size_t kMinWarmLaunches = 2;
inline constexpr std::size_t kMaxWarmLaunches = 6;

struct Slot {
  std::size_t point = 0;
  std::size_t rung = 0;
  std::size_t launch = 0;    // number of the launch of this point, from 0
  std::size_t position = 0;  // number in the search
  bool warm = false;         // discarded
  bool operator==(const Slot&) const = default;
};

// Result of a rung.
struct Rung {
  std::size_t rounds = 0;                   // complete rounds
  std::vector<std::size_t> points = {};     // points that began it, without those taken out
  std::vector<std::size_t> survivors = {};  // points that continue, best first
};

struct Scored {
  std::size_t point = 0;
  double score = 0;  // log of value / centre of the points compared with it
};

// Upper bound of how much better than the winner the best measured point is.
struct Bound {
  double regret = 0;       // share of the best point's value
  std::size_t points = 0;  // points that share a round with the winner, including it
};
inline constexpr double kBoundConfidence = .95;

struct PlannedRung {
  std::size_t points = 0;
  std::size_t rounds = 0;
};
// For this number of points that can run, if none is taken out.
[[nodiscard]] std::vector<PlannedRung> planned_rungs(std::size_t points);

class PointSearch {
 public:
  // `before`: order of the first round, else random. Discards at most `most_warm` launches.
  using Before = std::function<bool(std::size_t, std::size_t)>;
  PointSearch(std::size_t points, std::size_t own, std::uint64_t seed,
              std::size_t most_warm = kMaxWarmLaunches, const Before& before = {});

  // Returns the same slot until its result is passed in; nullopt: the search is over.
  [[nodiscard]] std::optional<Slot> next();
  // Result of the launch of next(): the logarithm to minimise.
  void take(double log_value);
  // Removes the point of next(), or any remaining point: it cannot be measured or must not win.
  void exclude_point(std::size_t point);
  // Ends the search; an incomplete round does not count.
  void stop() { over_ = true; }

  [[nodiscard]] bool is_out(std::size_t point) const { return out_[point]; }
  [[nodiscard]] std::size_t remaining() const;  // number of launches
  [[nodiscard]] const std::vector<Rung>& rungs() const { return rungs_; }
  [[nodiscard]] bool has_whole_round() const { return !rounds_.empty(); }
  // Remaining points, best first. Empty before the first whole round.
  [[nodiscard]] std::vector<Scored> standing() const;
  // nullopt: no point shares two rounds with the winner.
  [[nodiscard]] std::optional<Bound> bound() const;

 private:
  using Round = std::map<std::size_t, double>;  // value by point

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
  std::vector<Round> rounds_ = {};  // complete ones
  Round round_ = {};                // the current one
  std::vector<std::size_t> order_ = {};
  std::size_t at_ = 0;  // index into order_
  bool over_ = false;
};

}  // namespace stepbench::tune
