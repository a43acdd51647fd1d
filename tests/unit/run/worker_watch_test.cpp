// SPDX-License-Identifier: Apache-2.0
#include "harness/run/internal/worker_watch.h"

#include <gmock/gmock.h>

#include "tests/scripted_clock.h"
#include "tests/temporary_folder.h"

namespace stepbench::run {
namespace {

using protocol::Stage;
using ::testing::SizeIs;

// What the worker reported before each look at it, and the number of windows begun by then.
struct Look {
  std::size_t cycles;
  Stage stage;
  std::size_t begun;
};

void expect_windows(const std::vector<Look>& looks) {
  const test::TemporaryFolder root;
  ScriptedClock clock(0);
  WorkerWatch watch(root.path(), 10, "cpu", {}, nullptr, clock);
  for (const Look& look : looks) {
    clock.pass(1'000'000);
    watch.is_at(look.cycles, look.stage);
    EXPECT_THAT(watch.window_begins(), SizeIs(look.begun))
        << look.cycles << " cycles, " << name_of(look.stage);
  }
}

TEST(WorkerWatch, EachCycle_IsAWindow) {
  expect_windows({{0, Stage::kWarmup, 0},
                  {0, Stage::kActive, 1},
                  {0, Stage::kActive, 1},
                  {1, Stage::kWarmup, 1},
                  {1, Stage::kActive, 2},
                  {2, Stage::kTearDown, 2}});
}

// A cycle's message is read before that of the next stage.
TEST(WorkerWatch, EndOfACycle_BeginsNoWindow) {
  expect_windows({{0, Stage::kActive, 1}, {1, Stage::kActive, 1}, {1, Stage::kTearDown, 1}});
}

TEST(WorkerWatch, WindowReadAtItsEnd_IsCounted) {
  expect_windows({{0, Stage::kWarmup, 0}, {1, Stage::kTearDown, 1}});
}

}  // namespace
}  // namespace stepbench::run
