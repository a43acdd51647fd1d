// SPDX-License-Identifier: Apache-2.0
// Work of a loader's workers while the step waited for data, in stepbench's own traces.
#include "harness/traces/internal/host_work.h"

#include <random>

#include "harness/findings/finding.h"
#include "harness/traces/rules.h"
#include "harness/traces/trace_files.h"
#include "tests/testing.h"
#include "tests/unit/ops/log_maker.h"

namespace stepbench::traces {
namespace {

constexpr std::int64_t kLoaderMs = 1'000'000;

struct MadeSpan {
  int worker = 0;
  std::int64_t begin_ms = 0;  // since the begin of the step
  std::int64_t fetch_ms = 0;
  std::int64_t decode_ms = 0;
  std::int64_t collate_ms = 0;
};

class LoaderLog {
 public:
  static constexpr std::int64_t kSteps = 6;

  // A step of 100 ms that waits for data in its first `wait_ms`.
  explicit LoaderLog(std::int64_t wait_ms) {
    for (std::int64_t i = 0; i < kSteps; ++i) {
      maker.step(i, at(i, 0), at(i, 100));
      maker.phase("data_wait", i, at(i, 0), at(i, wait_ms));
      maker.op("aten::addmm", at(i, wait_ms), at(i, 100));
    }
  }
  // In every step.
  LoaderLog& made(const MadeSpan& span, std::int64_t every = 1) {
    for (std::int64_t i = 0; i < kSteps; i += every) {
      std::int64_t from_ns = at(i, span.begin_ms);
      const std::array<std::int64_t, 3> parts = {span.fetch_ms, span.decode_ms, span.collate_ms};
      for (std::size_t part = 0; part < parts.size(); ++part) {
        if (parts[part] == 0) continue;
        const bool in_step = span.worker < 0;
        maker.log.foreign.push_back(
            {from_ns, from_ns + parts[part] * kLoaderMs,
             in_step ? maker.log.process : 500 + span.worker,
             index_of(maker.log.names, std::string(ops::kLoaderParts[part])),
             in_step ? ops::kStepLoaderTrack : 0});
        from_ns += parts[part] * kLoaderMs;
      }
    }
    return *this;
  }
  [[nodiscard]] static std::int64_t at(std::int64_t step, std::int64_t ms) {
    return (1000 + 100 * step + ms) * kLoaderMs;
  }

  LogMaker maker;
};

// Per step, over the four steps that count.
std::array<std::int64_t, 4> exposed_ms(const LoaderWork& work) {
  std::array<std::int64_t, 4> ms = {};
  for (std::size_t i = 0; i < ms.size(); ++i) ms[i] = work.exposed_ns[i] / (4 * kLoaderMs);
  return ms;
}

const Finding& finding_of(const std::vector<Finding>& findings, std::string_view id) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [&](const Finding& each) { return each.id == id; });
  EXPECT_NE(found, findings.end()) << id;
  static const Finding kNone;
  return found == findings.end() ? kNone : *found;
}

TEST(LoaderWork, Wait_IsSplitByConcurrentWork) {
  // During 30 of the 40 ms of waiting two workers make batches: one of 3 : 1 : 0, one of 0 : 1 : 1.
  LoaderLog log(40);
  log.made({.worker = 0, .begin_ms = 0, .fetch_ms = 30, .decode_ms = 10});
  log.made({.worker = 1, .begin_ms = 10, .decode_ms = 10, .collate_ms = 10});
  const traces::Trace trace = traces::trace_of(log.maker.log);
  const Analysis analysis = analyse(trace);
  ASSERT_TRUE(analysis.loader_work);
  const LoaderWork& work = *analysis.loader_work;
  EXPECT_EQ(work.workers, 2);
  EXPECT_FALSE(work.in_step_thread);
  // Alone for 20 ms: 15 and 5. Together for 20: 7.5 and 2.5, 5 and 5.
  EXPECT_EQ(work.exposed_ns[0], 4 * 22'500'000);
  EXPECT_EQ(work.exposed_ns[1], 4 * 12'500'000);
  EXPECT_EQ(work.exposed_ns[2], 4 * 5'000'000);
  EXPECT_EQ(work.exposed_ns[3], 0);
  EXPECT_EQ(work.exposed_total_ns(), analysis.idle.front().counted.data_exposed_ns());
  EXPECT_EQ(work.batch.n, 8);
  EXPECT_NEAR(work.busy_share_waiting, 60.0 / 80, 1e-9);
  EXPECT_NEAR(work.busy_share, 60.0 / 200, 1e-9);
}

// The analysis and the findings of a log.
struct Found {
  explicit Found(LoaderLog& log, const Fields& options = {})
      : trace(traces::trace_of(log.maker.log)),
        analysis(analyse(trace)),
        findings(find_causes(trace, analysis, {.options = options})) {}
  traces::Trace trace;
  Analysis analysis;
  std::vector<Finding> findings;
};

TEST(LoaderWork, NoBusyWorker_IsHandover) {
  LoaderLog log(50);
  const Found found(log.made({.worker = 0, .fetch_ms = 10, .collate_ms = 10}));
  EXPECT_THAT(exposed_ms(*found.analysis.loader_work), ElementsAre(10, 0, 10, 30));
  EXPECT_THAT(finding_of(found.findings, "trace.loader_workers").text,
              HasSubstr("no worker makes a batch for most of the wait"));
  EXPECT_THAT(finding_of(found.findings, "trace.data_exposed").text,
              HasSubstr("fetching 20.0 %, collating 20.0 %, no worker busy 60.0 %"));
}

TEST(LoaderWork, BusyWorkers_SuggestMoreWorkers) {
  LoaderLog log(60);
  log.made({.worker = 0, .decode_ms = 100}).made({.worker = 1, .decode_ms = 100});
  const Found found(log, {{"loader.num_workers", std::int64_t{2}}});
  const Finding& finding = finding_of(found.findings, "trace.loader_workers");
  EXPECT_THAT(finding.text, HasSubstr("2 workers, 100 % busy while the step waits"));
  EXPECT_THAT(finding.text, HasSubstr("mostly decoding"));
  ASSERT_EQ(finding.set.size(), 1U);
  EXPECT_EQ(finding.set.front().value, "3") << "a batch of 100 ms for 40 ms of the step's own";
}

TEST(LoaderWork, OneLateBatch_SuggestsAnyOrder) {
  LoaderLog log(60);
  log.made({.worker = 0, .fetch_ms = 60});
  for (int worker = 1; worker < 4; ++worker) log.made({.worker = worker, .fetch_ms = 5});
  const Found found(log, {{"loader.in_order", true}});
  const Finding& finding = finding_of(found.findings, "trace.loader_workers");
  ASSERT_EQ(finding.set.size(), 1U);
  EXPECT_EQ(finding.set.front().option, "loader.in_order");
}

TEST(LoaderWork, StepThreadLoading_SuggestsWorkers) {
  LoaderLog log(40);
  const Found found(log.made({.worker = -1, .fetch_ms = 10, .decode_ms = 28, .collate_ms = 1}));
  EXPECT_TRUE(found.analysis.loader_work->in_step_thread);
  EXPECT_THAT(exposed_ms(*found.analysis.loader_work), ElementsAre(10, 28, 1, 1));
  EXPECT_THAT(finding_of(found.findings, "trace.data_exposed").remedy,
              HasSubstr("Read batches in workers"));
  EXPECT_TRUE(std::none_of(found.findings.begin(), found.findings.end(),
                           [](const Finding& each) { return each.id == "trace.loader_workers"; }));
}

// For any work of the workers, the shares of a wait sum to it.
TEST(LoaderWork, Shares_SumToTheWait) {
  std::mt19937 random(7);
  const auto below = [&](std::int64_t limit) {
    return std::int64_t(random() % std::uint32_t(limit));
  };
  for (int round = 0; round < 50; ++round) {
    LoaderLog log(1 + below(99));
    for (int worker = 0; worker < 1 + below(5); ++worker) {
      log.made({.worker = worker,
                .begin_ms = below(90) - 45,
                .fetch_ms = below(40),
                .decode_ms = below(40),
                .collate_ms = 1 + below(5)},
               1 + below(2));
    }
    for (ops::ForeignSpan& span : log.maker.log.foreign) span.end_ns += below(5);
    const traces::Trace trace = traces::trace_of(log.maker.log);
    const Analysis analysis = analyse(trace);
    ASSERT_TRUE(analysis.loader_work);
    EXPECT_EQ(analysis.loader_work->exposed_total_ns(),
              analysis.idle.front().counted.data_exposed_ns());
    for (const std::int64_t ns : analysis.loader_work->exposed_ns) EXPECT_GE(ns, 0);
    EXPECT_LE(analysis.loader_work->busy_share, 1);
  }
}

// Twelve steps, each with its own wait and its own work.
std::vector<Finding> waited(std::int64_t (*wait_ns)(std::int64_t),
                            std::int64_t (*work_ns)(std::int64_t)) {
  LogMaker maker;
  std::int64_t at_ns = 1'000 * kLoaderMs;
  for (std::int64_t i = 0; i < 12; ++i) {
    const std::int64_t ready_ns = at_ns + wait_ns(i);
    const std::int64_t end_ns = ready_ns + work_ns(i);
    maker.step(i, at_ns, end_ns);
    maker.phase("data_wait", i, at_ns, ready_ns);
    maker.op("aten::addmm", ready_ns, end_ns);
    at_ns = end_ns;
  }
  const traces::Trace trace = traces::trace_of(maker.log);
  return find_causes(trace, analyse(trace));
}

// Batches come in bursts of two: the varying steps are not a separate cause.
TEST(LoaderWork, VaryingWait_IsNoUnstableStepsFinding) {
  const auto findings =
      waited([](std::int64_t i) { return i % 2 == 0 ? 80 * kLoaderMs : kLoaderMs; },
             [](std::int64_t) { return 20 * kLoaderMs; });
  EXPECT_EQ(findings.front().id, "trace.data_exposed");
  const Finding& unstable = finding_of(findings, "trace.unstable_steps");
  EXPECT_EQ(unstable.severity, Severity::kInfo);
  EXPECT_FALSE(unstable.gain_ns);
}

// Work of 2 to 5 us in a step of 17 ms may vary freely.
TEST(LoaderWork, TinyRest_HasNoFinding) {
  const auto findings = waited([](std::int64_t) { return 17 * kLoaderMs; },
                               [](std::int64_t i) { return 2'000 + 1'000 * (i % 4); });
  EXPECT_EQ(findings.front().id, "trace.data_exposed");
  for (const Finding& finding : findings) {
    EXPECT_TRUE(finding.id != "trace.unstable_steps" || !finding.undecided.empty());
  }
}

}  // namespace
}  // namespace stepbench::traces
