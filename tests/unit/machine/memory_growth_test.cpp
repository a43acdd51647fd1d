// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/internal/memory_growth.h"

#include <random>

#include "tests/testing.h"

namespace stepbench::machine {
namespace {

constexpr std::int64_t kMs = 1'000'000;
using BytesAt = std::function<std::vector<std::int64_t>(double)>;  // of the window, 0 to 1

std::optional<std::int64_t> growth_of(std::int64_t window_ns, const BytesAt& bytes,
                                      std::int64_t reading_ns = 30'000) {
  constexpr std::int64_t kBegin = 5'000 * kMs;
  MemoryGrowth growth(kBegin);
  while (growth.next_ns() < kBegin + window_ns) {
    const std::int64_t now = growth.next_ns();
    growth.add(now, bytes(static_cast<double>(now - kBegin) / static_cast<double>(window_ns)),
               now + reading_ns);
  }
  const auto rise = growth.lasting(kBegin + window_ns);
  return rise ? std::optional(rise->all) : std::nullopt;
}

// A worker that collects the samples of a batch, and gives them back.
double held(double batches) { return batches - std::floor(batches); }

TEST(MemoryGrowth, SteadyRise_IsItsSize) {
  for (const std::int64_t window_ms : {80, 300, 1'000, 5'000, 100'000}) {
    const auto found = growth_of(window_ms * kMs, [](double at) -> std::vector<std::int64_t> {
      return {7'000'000, 50'000'000 + std::llround(30e6 * at)};
    });
    ASSERT_TRUE(found) << window_ms;
    EXPECT_NEAR(static_cast<double>(*found), 30e6, 4e6) << window_ms;
  }
}

TEST(MemoryGrowth, FirstProcess_IsTheWorker) {
  MemoryGrowth growth(0);
  for (std::int64_t i = 0; i < 60; ++i) growth.add(growth.next_ns(), {i, 3 * i}, growth.next_ns());
  const auto rise = growth.lasting(600 * kMs);
  ASSERT_TRUE(rise);
  EXPECT_EQ(rise->first, 60);
  EXPECT_EQ(rise->all, 240);
}

TEST(MemoryGrowth, RiseWithBusyWorkers_IsFound) {
  const auto found = growth_of(2'000 * kMs, [](double at) -> std::vector<std::int64_t> {
    return {std::llround(30e6 * at), std::llround(20e6 * held(7.3 * at)),
            std::llround(20e6 * held(9.1 * at + .4))};
  });
  ASSERT_TRUE(found);
  EXPECT_NEAR(static_cast<double>(*found), 30e6, 6e6);
}

TEST(MemoryGrowth, BusyWorkers_AreNotGrowth) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> any(0, 1);
  int large = 0;
  for (int launch = 0; launch < 1'000; ++launch) {
    const double batches = 5 + 20 * any(random);
    const double first = any(random);
    const double second = any(random);
    const auto found = growth_of(2'000 * kMs, [&](double at) -> std::vector<std::int64_t> {
      return {std::llround(20e6 * held(batches * at + first)),
              std::llround(20e6 * held(1.1 * batches * at + second))};
    });
    ASSERT_TRUE(found);
    large += *found > 5'000'000 ? 1 : 0;
  }
  EXPECT_EQ(large, 0);
}

TEST(MemoryGrowth, FillingQueue_IsNotGrowth) {
  EXPECT_EQ(growth_of(1'000 * kMs,
                      [](double at) -> std::vector<std::int64_t> {
                        return {std::llround(30e6 * std::min(1.0, 2.5 * at))};
                      }),
            0);
}

TEST(MemoryGrowth, ExtraBatchAtTheEnd_IsNotGrowth) {
  EXPECT_EQ(growth_of(1'000 * kMs,
                      [](double at) -> std::vector<std::int64_t> {
                        return {at < .7 ? 10'000'000 : 90'000'000};
                      }),
            0);
}

TEST(MemoryGrowth, FallingMemory_IsNotGrowth) {
  EXPECT_EQ(growth_of(1'000 * kMs,
                      [](double at) -> std::vector<std::int64_t> {
                        return {std::llround(30e6 * (1 - at))};
                      }),
            0);
}

TEST(MemoryGrowth, FewReadings_AreUnknown) {
  const auto rising = [](double at) -> std::vector<std::int64_t> {
    return {std::llround(30e6 * at)};
  };
  EXPECT_FALSE(growth_of(30 * kMs, rising));
  EXPECT_FALSE(growth_of(1'000 * kMs, rising, 2 * kMs)) << "each 250 ms: a reading is dear";
  EXPECT_TRUE(growth_of(5'000 * kMs, rising, 2 * kMs));
  EXPECT_TRUE(growth_of(5'000 * kMs, rising, 90 * kMs)) << "a busy machine interrupts readings";
}

}  // namespace
}  // namespace stepbench::machine
