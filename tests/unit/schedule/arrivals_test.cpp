// SPDX-License-Identifier: Apache-2.0
#include "harness/schedule/arrivals.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

namespace stepbench::schedule {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr std::int64_t kMs = 1'000'000;

// Distances of arrivals at a server that answers at once and wakes up in time.
std::vector<std::int64_t> distances(const Arrivals& arrivals, std::uint64_t cycle, int count) {
  RequestQueue queue(arrivals, cycle);
  std::vector<std::int64_t> out;
  for (int i = 0; i < count; ++i) {
    out.push_back(queue.idle_ns());
    EXPECT_EQ(queue.begin(out.back()), 0);
  }
  return out;
}

TEST(RequestQueue, FixedArrivalsComeAtEqualDistances) {
  EXPECT_THAT(distances({.rate_per_s = 100, .process = ArrivalProcess::kFixed}, 0, 50),
              Each(10 * kMs));
}

TEST(RequestQueue, FixedArrivalsDoNotDriftWhereTheirDistanceIsNoWholeNanosecond) {
  std::int64_t sum = 0;
  for (const std::int64_t each :
       distances({.rate_per_s = 3, .process = ArrivalProcess::kFixed}, 0, 3000))
    sum += each;
  EXPECT_EQ(sum, 1'000'000 * kMs);
}

TEST(RequestQueue, PoissonArrivalsHaveTheirRateAndAreAsIrregularAsTheyShouldBe) {
  constexpr int kCount = 100'000;
  double sum = 0, squares = 0;
  for (const std::int64_t each : distances({.rate_per_s = 1000, .seed = 9}, 0, kCount)) {
    const double ms = static_cast<double>(each) / static_cast<double>(kMs);
    sum += ms;
    squares += ms * ms;
  }
  EXPECT_NEAR(sum / kCount, 1, 3 / std::sqrt(kCount));
  EXPECT_NEAR(squares / kCount, 2, 3 * std::sqrt(20.0 / kCount)) << "of an exponential";
}

TEST(RequestQueue, ArrivalsRepeatAndEachLaunchAndCycleHasItsOwn) {
  const auto of = [](std::uint64_t seed, int launch, std::uint64_t cycle) {
    return distances({.rate_per_s = 10, .seed = seed_of_launch(seed, launch)}, cycle, 20);
  };
  EXPECT_EQ(of(1, 2, 3), of(1, 2, 3));
  EXPECT_NE(of(1, 2, 3), of(1, 2, 4));
  EXPECT_NE(of(1, 2, 3), of(1, 3, 3));
  EXPECT_NE(of(1, 2, 3), of(2, 2, 3));
}

TEST(RequestQueue, ARequestWaitsForTheOneBeforeAndForALateWakeUp) {
  RequestQueue queue({.rate_per_s = 100, .process = ArrivalProcess::kFixed}, 0);
  EXPECT_EQ(queue.idle_ns(), 10 * kMs);
  EXPECT_EQ(queue.begin(12 * kMs), 2 * kMs) << "woken 2 ms late";
  queue.served(25 * kMs);
  std::vector<std::int64_t> waits;
  for (int i = 0; i < 3; ++i) {  // at 20, 30 and 40 ms; the server is free at 37 ms
    const std::int64_t idle = queue.idle_ns();
    waits.push_back(queue.begin(idle));
    queue.served(kMs);
  }
  EXPECT_THAT(waits, ElementsAre(17 * kMs, 8 * kMs, 0));
}

}  // namespace
}  // namespace stepbench::schedule
