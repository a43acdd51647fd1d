// SPDX-License-Identifier: Apache-2.0
// The agenda of a search on scripted launches: no process is started.
#include "harness/tune/internal/tune_agenda.h"

#include "harness/estimate/launch_values.h"
#include "tests/testing.h"
#include "tests/unit/verdict/result_maker.h"

namespace stepbench::tune {
namespace {

constexpr std::int64_t kMs = 1'000'000;

struct Made {
  double step_ms = 10;
  Outcome outcome = {};
  double memory_bytes = 1e9;
  std::int64_t wall_ns = 1'000 * kMs;
  std::int64_t samples = 0;  // per step; 0: not reported
};
using Script = std::function<Made(std::size_t point, int launch)>;

record::Launch launch_of(const run::Job& job, const std::string& case_id, const Made& made) {
  record::Results results =
      make({.cases = {{.case_id = case_id,
                       .step_ns = [&](int) { return std::llround(made.step_ms * kMs); },
                       .peak_bytes = [&](int) { return made.memory_bytes; }}},
            .launches = 1});
  record::Launch launch = std::move(results.launches.front());
  launch.row.key.launch = job.launch;
  launch.row.outcome = made.outcome;
  launch.row.wall_ns = made.wall_ns;
  if (made.samples > 0) {
    Series& steps = launch.samples.front().steps;
    steps.names.emplace_back("samples");
    steps.columns.emplace_back(steps.steps(), made.samples);
  }
  if (made.outcome.kind != Outcome::Kind::kMeasured) launch.samples.clear();
  return launch;
}

const verdict::TestedMetric kRate = {
    .name = "samples_per_s", .metric = "samples_per_s", .direction = Direction::kHigherIsBetter};

// A search over batch sizes 1, 2, 3, ...
class Scripted {
 public:
  explicit Scripted(std::size_t points, Script script) : script_(std::move(script)) {
    plan_.varying = {"loader.batch_size"};
    for (std::size_t i = 0; i < points; ++i) {
      plan::PlannedCase planned;
      planned.resolved.case_id = "p" + std::to_string(i);
      planned.resolved.options.emplace("loader.batch_size", static_cast<std::int64_t>(i + 1));
      planned.resolved.options.emplace("limits.wall_s", 600.0);
      plan_.cases.push_back(std::move(planned));
    }
  }

  [[nodiscard]] std::unique_ptr<TuneAgenda> agenda() {
    return std::make_unique<TuneAgenda>(
        TuneAgenda::Setup{.plan = plan_,
                          .own = own,
                          .objective = verdict::default_metrics().metrics.front(),
                          .work_rate = by_work ? std::optional(kRate) : std::nullopt,
                          .seed = 3,
                          .memory_limit = memory_limit,
                          .allowance = allowance,
                          .reserved = reserved},
        finished);
  }

  void cannot_run(std::size_t from) {
    for (std::size_t i = from; i < plan_.cases.size(); ++i) plan_.cases[i].skip = "no GPU";
  }

  // Runs to the end, or for `most` launches.
  std::unique_ptr<TuneAgenda> run(std::size_t most = 10'000) {
    auto agenda = this->agenda();
    while (jobs.size() < most) {
      const auto job = agenda->next(finished);
      if (!job) break;
      jobs.push_back(*job);
      finished.launches.push_back(launch_of(*job, plan_.cases[job->case_index].resolved.case_id,
                                            script_(job->case_index, job->launch)));
    }
    return agenda;
  }

  record::Results finished;
  std::vector<run::Job> jobs;
  std::optional<double> memory_limit;
  Allowance allowance;
  std::size_t own = 4;
  std::size_t reserved = 0;
  bool by_work = false;

 private:
  plan::Plan plan_;
  Script script_;
};

// The best is point 7; launches have a ripple.
Made valley(std::size_t point, int launch) {
  const double away = std::abs(static_cast<double>(point) - 7);
  const double ripple =
      static_cast<double>((static_cast<int>(point) * 31 + launch * 17) % 11) / 500;
  return {.step_ms = 10 + away * 0.3 + ripple * 10};
}

TEST(TuneAgenda, CutOffSearch_ContinuesTheSame) {
  Scripted whole(24, valley);
  const auto end = whole.run();
  ASSERT_FALSE(end->search().standing().empty());
  std::set<std::pair<std::size_t, int>> seen;
  for (const run::Job& job : whole.jobs) {
    EXPECT_TRUE(seen.emplace(job.case_index, job.launch).second) << "asked for twice";
  }
  for (std::size_t cut = 0; cut <= whole.jobs.size(); ++cut) {
    Scripted again(24, valley);
    (void)again.run(cut);
    const auto resumed = again.run();
    ASSERT_EQ(again.jobs.size(), whole.jobs.size()) << cut;
    for (std::size_t i = 0; i < whole.jobs.size(); ++i) {
      ASSERT_EQ(again.jobs[i].case_index, whole.jobs[i].case_index) << cut << ' ' << i;
      ASSERT_EQ(again.jobs[i].launch, whole.jobs[i].launch);
    }
    ASSERT_EQ(resumed->search().standing().front().point, end->search().standing().front().point);
  }
}

TEST(TuneAgenda, FailedPoint_IsOut) {
  Scripted search(12, [](std::size_t point, int launch) {
    Made made = valley(point, launch);
    if (point >= 8) made.outcome = Outcome::failed("CUDA out of memory");
    if (point == 2) made.outcome = Outcome::failed("exited with status 3");
    return made;
  });
  const auto end = search.run();
  EXPECT_EQ(end->points()[2].status, PointStatus::kFailed);
  EXPECT_EQ(end->points()[2].reason, "exited with status 3");
  EXPECT_EQ(end->points()[3].status, PointStatus::kMeasured);
  std::size_t failed = 0;
  std::size_t not_tried = 0;
  for (std::size_t i = 8; i < 12; ++i) {
    failed += end->points()[i].status == PointStatus::kFailed ? 1U : 0U;
    not_tried += end->points()[i].status == PointStatus::kNotTried ? 1U : 0U;
  }
  EXPECT_GE(failed, 1U);
  EXPECT_EQ(failed + not_tried, 4U);
  EXPECT_EQ(end->search().standing().front().point, 7U);
}

TEST(TuneAgenda, OverTheMemoryLimit_CannotWin) {
  Scripted search(12, [](std::size_t point, int launch) {
    Made made = valley(point, launch);
    if (point == 7) made.memory_bytes = 3e9;
    return made;
  });
  search.memory_limit = 2e9;
  const auto end = search.run();
  EXPECT_EQ(end->points()[7].status, PointStatus::kOverMemory);
  EXPECT_NE(end->search().standing().front().point, 7U);
}

TEST(TuneAgenda, EndedAtMemoryLimit_IsNoFailure) {
  for (const bool limited : {false, true}) {
    Scripted search(12, [](std::size_t point, int launch) {
      Made made = valley(point, launch);
      if (point >= 9) {
        made.outcome = Outcome::failed("DefaultCPUAllocator: can't allocate memory: you tried");
      }
      return made;
    });
    if (limited) search.memory_limit = 2e9;
    const auto end = search.run();
    const PointStatus status = limited ? PointStatus::kOverMemory : PointStatus::kFailed;
    std::size_t ended = 0;
    for (std::size_t i = 9; i < 12; ++i) {
      if (end->points()[i].status == PointStatus::kNotTried) continue;
      EXPECT_EQ(end->points()[i].status, status);
      ++ended;
    }
    EXPECT_GE(ended, 1U);
    EXPECT_EQ(end->search().standing().front().point, 7U);
  }
}

TEST(TuneAgenda, PredictedTooLargeBatch_IsSkipped) {
  // 100 MB plus 10 MB per sample.
  Scripted search(24, [](std::size_t point, int launch) {
    Made made = valley(point, launch);
    made.memory_bytes = 1e8 + 1e7 * static_cast<double>(point + 1);
    EXPECT_LT(made.memory_bytes, 2.01e8);
    return made;
  });
  search.memory_limit = 2e8;
  const auto end = search.run();
  EXPECT_EQ(end->points()[9].status, PointStatus::kMeasured);
  for (std::size_t i = 10; i < 24; ++i) {
    EXPECT_EQ(end->points()[i].status, PointStatus::kNotTried);
    EXPECT_TRUE(end->points()[i].reason.starts_with("would hold ")) << end->points()[i].reason;
  }
  EXPECT_EQ(end->search().standing().front().point, 7U);
}

TEST(TuneAgenda, Launch_MayTakeFiveTimesTheBest) {
  Scripted search(12, [](std::size_t point, int launch) {
    Made made = valley(point, launch);
    made.wall_ns = 20'000 * kMs;
    return made;
  });
  (void)search.run();
  EXPECT_FALSE(search.jobs.front().context.contains("limits.wall_s"));
  for (const run::Job& job : search.jobs) {
    if (&job == &search.jobs.front()) continue;
    // A larger batch may take longer.
    const auto batch = static_cast<double>(job.case_index + 1);
    const auto limit = number_of(job.context, "limits.wall_s");
    EXPECT_EQ(limit, batch * 100 < 600 ? std::optional(batch * 100) : std::nullopt);
  }
}

TEST(TuneAgenda, UsedUpTime_EndsTheSearch) {
  Scripted search(24, valley);
  search.allowance.seconds = 30;  // launches take a second each
  const auto end = search.run();
  EXPECT_TRUE(end->is_stopped());
  EXPECT_EQ(search.jobs.size(), 30U);
  EXPECT_FALSE(end->search().standing().empty());
  // With more time it continues.
  search.allowance.seconds = 1000;
  EXPECT_FALSE(search.run()->is_stopped());
}

TEST(TuneAgenda, TooShortTime_StatesTheNeed) {
  struct Row {
    std::size_t points;
    double seconds;
    std::size_t reserved;
    bool fails;
    double needed;  // two that are dropped, one of each, and the confirmation
  };
  for (const auto& [points, seconds, reserved, fails, needed] :
       std::vector<Row>{{48, 40, 0, false, 50},
                        {48, 60, 20, false, 70},
                        {5, 2, 0, false, 7},
                        {5, 2, 0, true, 5}}) {
    Scripted search(points, [fails = fails](std::size_t point, int launch) {
      Made made = valley(point, launch);
      if (fails) made.outcome = Outcome::failed("exited with status 3");
      return made;
    });
    search.allowance.seconds = seconds;
    search.reserved = reserved;
    const auto end = search.run();
    EXPECT_TRUE(end->is_stopped());
    EXPECT_LT(search.jobs.size(), 10U);
    EXPECT_FALSE(end->search().has_whole_round());
    EXPECT_DOUBLE_EQ(end->needed_s(), needed) << points;
  }
}

TEST(TuneAgenda, UnrunnablePoints_UseNoBudget) {
  Scripted search(24, [](std::size_t point, int launch) {
    Made made = valley(point, launch);
    if (point >= 12) made.outcome = Outcome::skipped("no GPU");
    return made;
  });
  search.cannot_run(12);
  search.allowance.seconds = 14;  // two that are dropped, and one of each runnable point
  const auto end = search.run();
  EXPECT_TRUE(end->search().has_whole_round());
  EXPECT_EQ(end->launches(), 14U);
}

TEST(TuneAgenda, Confirmation_IsReserved) {
  Scripted search(12, valley);
  search.reserved = 20;
  search.allowance.seconds = 38;  // two, one of each, four more, and the confirmation
  EXPECT_TRUE(search.run()->is_stopped());
  EXPECT_EQ(search.jobs.size(), 18U);
  search.allowance = {.launches = 100};
  EXPECT_FALSE(search.run()->is_stopped());
}

TEST(TuneAgenda, DroppedLaunches_AreNoValues) {
  Scripted search(12, [](std::size_t point, int launch) {
    Made made = valley(point, launch);
    if (point == 4 && launch < 2) made.step_ms *= launch == 0 ? 3 : 1.5;
    return made;
  });
  const auto end = search.run();
  EXPECT_EQ(end->discarded(), 4U) << "three times, half as much again, and two that agree";
  EXPECT_EQ(end->launches(), search.jobs.size());
  for (const double value : end->points()[4].values) EXPECT_LT(value, 13e6);
  EXPECT_EQ(search.jobs[3].note, "thrown away");
}

// Steps take as long as they have samples: all points do the same work.
TEST(TuneAgenda, NoNamedObjective_UsesTheWork) {
  for (const bool named : {false, true}) {
    Scripted search(12, [](std::size_t point, int launch) {
      Made made = valley(7, launch);
      made.step_ms *= static_cast<double>(point + 1);
      made.samples = static_cast<std::int64_t>(point == 9 ? 30 : point + 1);
      return made;
    });
    search.by_work = !named;
    EXPECT_EQ(search.run()->search().standing().front().point, named ? 0U : 9U);
  }
}

TEST(TuneAgenda, MissingNumber_ExcludesThePoint) {
  Scripted search(9, [](std::size_t, int) { return Made{.outcome = Outcome::skipped("no GPU")}; });
  const auto end = search.run();
  EXPECT_TRUE(end->search().standing().empty());
  EXPECT_EQ(end->points().front().status, PointStatus::kSkipped);
  EXPECT_EQ(search.jobs.size(), 9U) << "nothing is thrown away";
}

}  // namespace
}  // namespace stepbench::tune
