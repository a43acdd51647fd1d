// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/count_instruments.h"
#include "harness/findings/finding.h"

#include <cerrno>
#include <cstring>

#include "harness/base/series.h"
#include "harness/workload.h"
#include "tests/testing.h"

namespace stepbench::worker {
namespace {

// A processor that has executed 100 more instructions at each reading.
struct CountingProcessor {
  std::uint64_t count = 0;
  std::uint64_t running_ns = 50;
  int open_error = 0;
  int reads = 0;

  measure::PerfCalls calls() {
    return {.open = [this](pid_t, bool) { return open_error == 0 ? 3 : -open_error; },
            .read = [this](int, void* into, std::size_t bytes) -> ssize_t {
              ++reads;
              const std::array<std::uint64_t, 3> value = {count += 100, 50, running_ns};
              std::memcpy(into, value.data(), bytes);
              return static_cast<ssize_t>(bytes);
            },
            .close = [](int) {},
            .threads = [] { return std::vector<pid_t>{1}; }};
  }
};

struct CountSink final : ReportSink {
  std::map<std::string, double, std::less<>> metrics;
  std::vector<std::string> notes;
  void metric(std::string_view name, double value) override { metrics.emplace(name, value); }
  void effective(std::string_view, Value) override {}
  void note(std::string text) override { notes.push_back(std::move(text)); }
  void finding(Finding) override {}
};

Series cycle_of_steps(std::size_t count) {
  return {.names = {"index"}, .columns = {std::vector<std::int64_t>(count)}};
}

void two_windows(CountingProcessor& processor, CountSink& sink) {
  const auto instrument = make_perf_counts(processor.calls());
  EXPECT_EQ(instrument->exercise(), std::nullopt);
  instrument->change(Action::kNone, Action::kWarmup);
  instrument->change(Action::kWarmup, Action::kRecord);
  const int before = processor.reads;
  for (int step = 0; step < 4; ++step) {
    instrument->step_begin(step);
    instrument->phase_begin(PhaseId{}, {});
    instrument->phase_end(PhaseId{}, {});
    instrument->step_end();
  }
  EXPECT_EQ(processor.reads, before) << "nothing is read inside a window";
  instrument->change(Action::kRecord, Action::kRecordAndSave);
  instrument->window_ends();
  Series cycle = cycle_of_steps(4);
  instrument->add_columns(cycle);
  instrument->change(Action::kRecordAndSave, Action::kRecordAndSave);
  instrument->window_ends();
  cycle = cycle_of_steps(1);
  instrument->add_columns(cycle);
  instrument->report(sink);
}

TEST(CountInstruments, Instructions_ArePerStep) {
  CountingProcessor processor;
  CountSink sink;
  two_windows(processor, sink);
  EXPECT_DOUBLE_EQ(sink.metrics.at("instructions_per_step"), 200.0 / 5);
}

TEST(CountInstruments, SharedCounter_IsANote) {
  CountingProcessor processor;
  processor.running_ns = 20;
  CountSink sink;
  two_windows(processor, sink);
  EXPECT_TRUE(sink.metrics.empty());
  EXPECT_THAT(sink.notes, Contains(HasSubstr("incomplete instruction count")));
}

TEST(CountInstruments, NoCounters_GiveAReason) {
  CountingProcessor processor;
  processor.open_error = EACCES;
  const auto reason = make_perf_counts(processor.calls())->exercise();
  ASSERT_TRUE(reason);
  EXPECT_THAT(*reason, AllOf(HasSubstr("nothing was counted"), HasSubstr("perf_event_paranoid")));
}

TEST(CountInstruments, Callgrind_NeedsValgrind) {
  ResolvedCase resolved;
  resolved.options["profile.counts"] = std::string("valgrind");
  struct NoClock final : Clock {
    std::int64_t now_ns() const noexcept override { return 0; }
  } clock;
  WorkerContext context{clock, {}, {}, 0, 1, {}, 0, {}, nullptr};
  const auto instrument = valgrind_counts_type().make(resolved, context);
  ASSERT_NE(instrument, nullptr);
  EXPECT_THAT(instrument->exercise().value_or(""), HasSubstr("valgrind"));
  EXPECT_EQ(perf_counts_type().make(resolved, context), nullptr);
}

}  // namespace
}  // namespace stepbench::worker
