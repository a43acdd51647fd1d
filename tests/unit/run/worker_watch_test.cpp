// SPDX-License-Identifier: Apache-2.0
#include "harness/run/internal/worker_watch.h"

#include "tests/scripted_clock.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"
#include "tests/unit/machine/scripted_nvml.h"

namespace stepbench::run {
namespace {

// When each window began, in ms, if each of the worker's messages takes 1 ms: a(ctive), w(armup),
// t(ear down), c(ycle), or another. A message before a blank is read together with the next one.
std::vector<std::int64_t> begins_ms(std::string_view messages) {
  using protocol::Stage;
  const test::TemporaryFolder root;
  ScriptedClock clock(0);
  WorkerWatch watch(root.path(), 10, 10, "cpu", {}, nullptr, clock);
  SchedulePlace place;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const char message = messages[i];
    if (message == ' ') continue;
    if (message == 'c') place.take(protocol::CycleMessage{});
    if (message == 'a') place.take(protocol::StageMessage{Stage::kActive});
    if (message == 'w') place.take(protocol::StageMessage{Stage::kWarmup});
    if (message == 't') place.take(protocol::StageMessage{Stage::kTearDown});
    clock.pass(1'000'000);
    if (!messages.substr(i + 1).starts_with(' ')) watch.is_at(place);
  }
  std::vector<std::int64_t> ms = watch.window_begins();
  for (std::int64_t& each : ms) each /= 1'000'000;
  return ms;
}

TEST(WorkerWatch, OtherRanksOnTheDevice_AreOurs) {
  const test::TemporaryFolder root;
  root.write("proc/5/task/5/children", "10 11");  // the launcher, its ranks
  root.write("proc/12/stat", "12 (stranger) S 1");
  machine::ScriptedNvml nvml;
  nvml.processes = {10, 11, 12};
  const auto session = machine::NvmlSession::open(nvml.api());
  ScriptedClock clock(0);
  WorkerWatch watch(root.path(), 10, 5, "cuda", {}, session.get(), clock);
  clock.pass(1'000'000'000);
  watch.sample();
  EXPECT_EQ(watch.summary().at("gpu.other_processes"), Value(std::int64_t{1}));
}

TEST(WorkerWatch, EachCycle_IsAWindow) { EXPECT_THAT(begins_ms("wacwact"), ElementsAre(2, 5)); }

TEST(WorkerWatch, EndOfACycle_BeginsNoWindow) {
  EXPECT_THAT(begins_ms("ac.t"), ElementsAre(1));
  EXPECT_THAT(begins_ms("ac..wa"), ElementsAre(1, 6));
}

TEST(WorkerWatch, NoWarmup_BeginsAtTheWindowsMessage) {
  EXPECT_THAT(begins_ms("ac.ac"), ElementsAre(1, 4));
  EXPECT_THAT(begins_ms("ac ac"), ElementsAre(1, 3)) << "read together";
}

TEST(WorkerWatch, WindowReadAtItsEnd_IsCounted) { EXPECT_THAT(begins_ms("wa ct"), ElementsAre(3)); }

TEST(WorkerWatch, RestartedWindow_RestartsTheWatch) {
  EXPECT_THAT(begins_ms("waa.c"), ElementsAre(3)) << "as after an evaluation";
  EXPECT_THAT(begins_ms("acwawact"), ElementsAre(1, 6)) << "its warm-up too";
}

}  // namespace
}  // namespace stepbench::run
