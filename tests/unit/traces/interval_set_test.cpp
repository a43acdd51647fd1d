// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/interval_set.h"

#include <bitset>
#include <random>

#include "tests/testing.h"

namespace stepbench::traces {
namespace {

constexpr std::int64_t kMoments = 96;
using Moments = std::bitset<kMoments>;

Moments moments_of(const std::vector<TimeSpan>& intervals) {
  Moments moments;
  for (const TimeSpan& each : intervals) {
    for (std::int64_t at = each.begin_ns; at < each.end_ns; ++at) {
      moments.set(static_cast<std::size_t>(at));
    }
  }
  return moments;
}

// Sorted, disjoint, never touching, never empty.
void expect_normal(const IntervalSet& set) {
  const std::vector<TimeSpan>& all = set.intervals();
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_LT(all[i].begin_ns, all[i].end_ns);
    if (i > 0) {
      EXPECT_LT(all[i - 1].end_ns, all[i].begin_ns);
    }
  }
}

class RandomIntervals {
 public:
  explicit RandomIntervals(std::uint32_t seed) : random_(seed) {}

  std::vector<TimeSpan> some(int most) {
    std::vector<TimeSpan> intervals(static_cast<std::size_t>(below(most + 1)));
    for (TimeSpan& each : intervals) {
      each.begin_ns = below(kMoments);
      each.end_ns = std::min(kMoments, each.begin_ns + below(14) - 2);
    }
    return intervals;
  }
  std::vector<TimeSpan> windows() {
    std::vector<TimeSpan> out;
    for (std::int64_t at = below(10); at < kMoments;) {
      const std::int64_t end = std::min(kMoments, at + below(20));
      out.push_back({at, end});
      at = end + below(4);
      if (at == end && out.back().length_ns() == 0) ++at;
    }
    return out;
  }

 private:
  std::int64_t below(std::int64_t bound) {
    return std::uniform_int_distribution<std::int64_t>(0, bound - 1)(random_);
  }
  std::mt19937 random_;
};

TEST(IntervalSet, OverlappingOrEmpty_AreMergedOrDropped) {
  const IntervalSet set({{30, 40}, {0, 10}, {10, 12}, {20, 20}, {35, 50}, {9, 3}});
  EXPECT_EQ(set.intervals(), (std::vector<TimeSpan>{{0, 12}, {30, 50}}));
  EXPECT_EQ(set.length_ns(), 32);
  EXPECT_EQ(set.length_in({5, 33}), 10);
  EXPECT_EQ(set.length_in({12, 30}), 0);
  EXPECT_EQ(set.length_in({0, 100}), 32);
}

TEST(IntervalSet, RandomSets_MatchCountedNanoseconds) {
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    RandomIntervals random(seed);
    const std::vector<TimeSpan> some = random.some(12);
    const std::vector<TimeSpan> others = random.some(12);
    const IntervalSet a(some);
    const IntervalSet b(others);
    const Moments in_a = moments_of(some);
    const Moments in_b = moments_of(others);
    for (const IntervalSet& each : {a, a | b, a & b, a - b}) expect_normal(each);
    EXPECT_EQ(moments_of(a.intervals()), in_a) << seed;
    EXPECT_EQ(moments_of((a | b).intervals()), in_a | in_b) << seed;
    EXPECT_EQ(moments_of((a & b).intervals()), in_a & in_b) << seed;
    EXPECT_EQ(moments_of((a - b).intervals()), in_a & ~in_b) << seed;
    EXPECT_EQ(a.length_ns(), static_cast<std::int64_t>(in_a.count())) << seed;
  }
}

TEST(IntervalSet, SortedWindows_MatchSingleWindows) {
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    RandomIntervals random(seed);
    const IntervalSet set(random.some(12));
    const std::vector<TimeSpan> windows = random.windows();
    const std::vector<std::int64_t> lengths = set.lengths_in(windows);
    ASSERT_EQ(lengths.size(), windows.size());
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const Moments both = moments_of(set.intervals()) & moments_of({windows[i]});
      EXPECT_EQ(lengths[i], static_cast<std::int64_t>(both.count())) << seed;
      EXPECT_EQ(lengths[i], set.length_in(windows[i])) << seed;
    }
  }
}

}  // namespace
}  // namespace stepbench::traces
