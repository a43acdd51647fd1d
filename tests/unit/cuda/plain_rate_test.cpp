// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/internal/plain_rate.h"

#include "tests/scripted_clock.h"
#include "tests/testing.h"

namespace stepbench::step {
namespace {

constexpr std::int64_t kMs = 1'000'000;

// A link that takes 4 ms per copy until it has worked for 150 ms, and 1 ms afterwards.
struct ColdLink {
  void copy() { queued_ns += worked_ns + queued_ns < 150 * kMs ? 4 * kMs : kMs; }
  void wait() {
    clock.pass(queued_ns);
    worked_ns += queued_ns;
    queued_ns = 0;
  }
  double rate() {
    return plain_rate(
        clock, [this] { copy(); }, [this] { wait(); });
  }
  ScriptedClock clock;
  std::int64_t worked_ns = 0;
  std::int64_t queued_ns = 0;
};

TEST(PlainRate, ColdLink_IsWarmedFirst) {
  ColdLink link;
  EXPECT_DOUBLE_EQ(link.rate(), 1000);
  EXPECT_LT(link.worked_ns, 600 * kMs);
}

TEST(PlainRate, Copies_AreBounded) {
  ScriptedClock clock;
  std::int64_t copies = 0;
  EXPECT_DOUBLE_EQ(plain_rate(
                       clock, [&] { ++copies; }, [&] { clock.pass(500 * kMs); }),
                   8);
  EXPECT_EQ(copies, 1 + 4);
  copies = 0;
  std::int64_t queued = 0;
  EXPECT_DOUBLE_EQ(
      plain_rate(
          clock, [&] { ++copies, ++queued; }, [&] { clock.pass(1000 * std::exchange(queued, 0)); }),
      1e6);
  EXPECT_LE(copies, 210'000);
}

}  // namespace
}  // namespace stepbench::step
