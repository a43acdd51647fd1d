// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/internal/loop.h"

#include "harness/base/error.h"
#include "harness/catalogue/catalogue.h"
#include "tests/testing.h"
#include "tests/unit/measure/recording_instrument.h"
#include "tests/unit/worker/scripted_workload.h"

namespace stepbench::worker {
namespace {

std::vector<std::string> phase_names() {
  std::vector<std::string> names;
  for (const Phase& phase : built_in_phases()) names.push_back(phase.name);
  return names;
}

// One loop with a workload and two instruments that share one log.
struct Scene {
  explicit Scene(schedule::Schedule schedule) {
    options.schedule = schedule;
    options.stop.cycles = schedule.repeat;
    options.deadline_ns = std::numeric_limits<std::int64_t>::max();
  }

  LoopResult run() {
    InstrumentSet set(with_instruments ? measure::two_instruments(log)
                                       : std::vector<std::unique_ptr<Instrument>>());
    Loop loop(options, clock, workload, set, phase_names());
    loop.exercise();
    log.lines.emplace_back("run");
    return loop.run([&](const LoopStage& stage) { reported.push_back(stage); },
                    [&](const Series& cycle) { cycles.push_back(cycle); });
  }

  ScriptedClock clock;
  measure::InstrumentLog log;
  ScriptedWorkload workload{clock, log.lines};
  bool with_instruments = false;
  LoopOptions options;
  std::vector<LoopStage> reported;
  std::vector<Series> cycles;
};

TEST(Loop, CycleActions_ComeInOrder) {
  Scene scene({.wait = 1, .warmup = 1, .active = 2, .repeat = 1});
  scene.with_instruments = true;
  scene.log.times_the_device = true;
  (void)scene.run();
  std::string lines;
  for (const std::string& line : scene.log.lines) lines += line + "; ";
  const std::string phases =
      "A phase 3; B phase 3; B phase end 3; A phase end 3; B step end; A step end; ";
  EXPECT_EQ(lines,
            "run; synchronize; before cycle; step 0; A none>warmup; B none>warmup; "
            "A step 1; B step 1; step 1; " +
                phases +
                "A warmup>record; B warmup>record; window begin; "
                "A step 2; B step 2; step 2; " +
                phases + "A record>save; B record>save; A step 3; B step 3; step 3; " + phases +
                "synchronize; window end; stop?yes; B save>none; A save>none; ");
}

TEST(Loop, Window_NeverSynchronizes) {
  Scene scene({.wait = 1, .warmup = 1, .active = 5, .repeat = 2});
  (void)scene.run();
  const auto& log = scene.log.lines;
  int windows = 0;
  for (auto line = log.begin(); line != log.end(); ++line) {
    if (*line != "window begin") continue;
    ++windows;
    const auto sync = std::find(line, log.end(), "synchronize");
    EXPECT_EQ(sync - line, 1 + 5);
    EXPECT_EQ(*(sync + 1), "window end");
  }
  EXPECT_EQ(windows, 2);
  EXPECT_EQ(std::count(log.begin(), log.end(), "before cycle"), 2);
  for (const Series& cycle : scene.cycles) EXPECT_THAT(cycle.column("step_ns"), Each(100));
}

std::string before_the_window(const Scene& scene) {
  const auto& log = scene.log.lines;
  for (auto line = std::find(log.begin(), log.end(), "window begin"); line != log.begin(); --line) {
    const std::string& before = *(line - 1);
    if (!before.starts_with("A ") && !before.starts_with("B ")) return before;
  }
  return {};
}

TEST(Loop, ProfiledOrUntimed_BeginsOnIdleDevice) {
  for (const auto& [profiled, timed] : {std::pair(true, true), {false, false}, {false, true}}) {
    Scene scene({.wait = 0, .warmup = 1, .active = 1, .repeat = 1});
    scene.with_instruments = true;
    scene.log.times_the_device = timed;
    scene.options.idle_device = profiled;
    (void)scene.run();
    EXPECT_EQ(before_the_window(scene), profiled || !timed ? "synchronize" : "step 0");
  }
}

TEST(Loop, SyncStep_WaitsInEachPeriod) {
  Scene scene({.wait = 0, .warmup = 0, .active = 3, .repeat = 1});
  scene.options.sync_each_step = true;
  (void)scene.run();
  EXPECT_THAT(scene.cycles.front().column("step_ns"), Each(1100));
  EXPECT_THAT(scene.cycles.front().column("other_ns"), Each(1040));
}

TEST(Loop, Cycles_KeepTheirStepIndices) {
  Scene scene({.wait = 1, .warmup = 1, .active = 2, .repeat = 2, .skip_first = 3});
  const LoopResult result = scene.run();
  ASSERT_THAT(scene.cycles, SizeIs(2));
  EXPECT_THAT(scene.cycles[0].column("index"), ElementsAre(5, 6));
  EXPECT_THAT(scene.cycles[1].column("index"), ElementsAre(9, 10));
  EXPECT_EQ(result.reason, schedule::StopReason::kCount);
  EXPECT_EQ(result.cycles, 2);
  EXPECT_EQ(result.active_steps, 4);
  EXPECT_FALSE(result.truncated);
}

TEST(Loop, Stage_HasItsStepsAndKnownTime) {
  const struct {
    bool host_only, timed;
    std::int64_t after_one_step_ns, before_the_window_ns;
  } rows[] = {{false, false, 0, (2 * 100 + 1000) / 2},  // synchronised
              {true, false, 100, 0},
              {false, true, 0, 0}};  // the loop does not wait for a timed device
  for (const auto& row : rows) {
    Scene scene({.wait = 1, .warmup = 1, .active = 2, .repeat = 1});
    scene.options.host_only = row.host_only;
    scene.with_instruments = row.timed;
    scene.log.times_the_device = row.timed;
    (void)scene.run();
    EXPECT_EQ(scene.reported[0].step_ns, 0);
    EXPECT_EQ(scene.reported[1].step_ns, row.after_one_step_ns);
    EXPECT_EQ(scene.reported.back().steps, 2);
    EXPECT_TRUE(row.host_only || scene.reported.back().step_ns == row.before_the_window_ns);
  }
}

TEST(Loop, AutomaticWindow_StopsWhenPrecise) {
  Scene scene({.wait = 0, .warmup = 0, .active = 50, .repeat = 0});
  scene.options.stop = {.cycles = 1, .automatic = true};
  const LoopResult result = scene.run();
  EXPECT_EQ(result.reason, schedule::StopReason::kPrecision);
  EXPECT_EQ(result.cycles, 11);
  ASSERT_TRUE(result.within_launch.has_value());
  EXPECT_EQ(result.within_launch->low, 120) << "100 each, and 1,000 until the device is idle";
  EXPECT_EQ(result.within_launch->high, 120);
}

TEST(Loop, WallLimit_KeepsFinishedCycles) {
  Scene scene({.wait = 0, .warmup = 0, .active = 10, .repeat = 100});
  scene.options.deadline_ns = scene.clock.now_ns() + 7000;  // two synchronisations per window
  const LoopResult result = scene.run();
  EXPECT_EQ(result.reason, schedule::StopReason::kWallLimit);
  EXPECT_TRUE(result.truncated);
  EXPECT_EQ(result.cycles, 2);
  EXPECT_THAT(scene.cycles, SizeIs(2));
  const auto& log = scene.log.lines;
  EXPECT_EQ(std::count(log.begin(), log.end(), "window begin"),
            std::count(log.begin(), log.end(), "window end"));
}

TEST(Loop, WallLimitBeforeACycle_IsAnError) {
  Scene scene({.wait = 0, .warmup = 0, .active = 10, .repeat = 1});
  scene.options.deadline_ns = scene.clock.now_ns() + 1500;
  EXPECT_THAT([&] { (void)scene.run(); },
              ThrowsMessage<Error>(AllOf(HasSubstr("limits.wall_s"), HasSubstr("10 measured"))));
}

TEST(Loop, AllRanks_StopTogether) {
  Scene scene({.wait = 0, .warmup = 0, .active = 1, .repeat = 0});
  scene.options.stop.cycles = 0;
  scene.workload.stop_answer = true;  // another rank has measured enough
  EXPECT_EQ(scene.run().cycles, 1);
}

// Each instrument receives the end of every step and phase whose begin it received, and ends at
// `none`.
void expect_balanced(const std::vector<std::string>& log, const std::string& name) {
  std::map<std::string, int> open;
  std::string action = "none";
  for (const std::string& line : log) {
    if (!line.starts_with(name + " ") || line.ends_with("throws")) continue;
    if (const std::size_t to = line.find('>'); to != std::string::npos) {
      EXPECT_EQ(line.substr(2, to - 2), action);
      action = line.substr(to + 1);
    } else if (line.find(" end") != std::string::npos) {
      EXPECT_EQ(--open[line.find("phase") != std::string::npos ? "phase" : "step"], 0) << line;
    } else {
      EXPECT_EQ(++open[line.find("phase") != std::string::npos ? "phase" : "step"], 1) << line;
    }
  }
  for (const auto& [what, count] : open) EXPECT_EQ(count, 0) << name << " " << what;
  EXPECT_EQ(action, "none") << name;
}

TEST(Loop, Instrument_MayThrowAtAnyAction) {
  const schedule::Schedule schedule{.wait = 1, .warmup = 1, .active = 2, .repeat = 2};
  Scene quiet(schedule);
  quiet.with_instruments = true;
  (void)quiet.run();
  ASSERT_GT(quiet.log.throwing_actions, 30);
  for (int n = 0; n < quiet.log.throwing_actions; ++n) {
    SCOPED_TRACE("action " + std::to_string(n));
    Scene scene(schedule);
    scene.with_instruments = true;
    scene.log.throw_at = n;
    EXPECT_THAT([&] { (void)scene.run(); }, ThrowsMessage<std::runtime_error>("scripted"));
    expect_balanced(scene.log.lines, "A");
    expect_balanced(scene.log.lines, "B");
    const auto thrown = std::find_if(scene.log.lines.begin(), scene.log.lines.end(),
                                     [](const auto& line) { return line.ends_with("throws"); });
    ASSERT_NE(thrown, scene.log.lines.end());
    const auto finished = std::count(scene.log.lines.begin(), thrown, "window end");
    EXPECT_EQ(static_cast<std::ptrdiff_t>(scene.cycles.size()), finished);
  }
}

}  // namespace
}  // namespace stepbench::worker
