// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/count_instruments.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define STEPBENCH_KNOWS_VALGRIND true
#else
#define STEPBENCH_KNOWS_VALGRIND false
#define CALLGRIND_START_INSTRUMENTATION static_cast<void>(0)
#define CALLGRIND_STOP_INSTRUMENTATION static_cast<void>(0)
#define RUNNING_ON_VALGRIND 0
#endif

#include <utility>

#include "harness/base/error.h"
#include "harness/base/series.h"
#include "harness/schedule/schedule.h"
#include "harness/workload.h"

namespace stepbench::worker {
namespace {

bool begins_window(Action from, Action to) {
  return schedule::is_active(to) && (!schedule::is_active(from) || from == Action::kRecordAndSave);
}

class CountInstrument : public Instrument {
 public:
  void step_begin(std::int64_t) override {}
  void step_end() noexcept override {}
  void phase_begin(PhaseId, DeviceStream) override {}
  void phase_end(PhaseId, DeviceStream) noexcept override {}
};

class PerfCounts final : public CountInstrument {
 public:
  explicit PerfCounts(measure::PerfCalls calls) : calls_(std::move(calls)) {}

  std::string_view name() const override { return "profile.counts: perf"; }

  std::optional<std::string> exercise() override {
    try {
      counter_ = std::make_unique<measure::InstructionCounter>(calls_);
      begin_ = counter_->read();
    } catch (const Error& error) {
      return std::string("nothing was counted: ") + error.what();
    }
    return std::nullopt;
  }

  void change(Action from, Action to) override {
    if (begins_window(from, to)) begin_ = counter_->read();
  }

  void window_ends() override {
    const measure::InstructionCounter::Reading end = counter_->read();
    instructions_ += end.instructions - begin_.instructions;
    shared_ = shared_ || end.shared;
  }

  void add_columns(Series& cycle) override { steps_ += static_cast<std::int64_t>(cycle.steps()); }

  void report(ReportSink& sink) const override {
    sink.effective("profile.counts", std::string("perf"));
    if (steps_ == 0) return;
    if (shared_) {
      sink.note(
          "incomplete instruction count: another program used the processor's counters, or the "
          "watchdog of the kernel (kernel.nmi_watchdog=0 frees one)");
      return;
    }
    sink.metric("instructions_per_step",
                static_cast<double>(instructions_) / static_cast<double>(steps_));
  }

 private:
  measure::PerfCalls calls_;
  std::unique_ptr<measure::InstructionCounter> counter_;
  measure::InstructionCounter::Reading begin_;
  std::int64_t instructions_ = 0;
  std::int64_t steps_ = 0;
  bool shared_ = false;
};

class ValgrindCounts final : public CountInstrument {
 public:
  std::string_view name() const override { return "profile.counts: valgrind"; }

  std::optional<std::string> exercise() override {
    if (!STEPBENCH_KNOWS_VALGRIND) {
      return "this worker was built without valgrind/callgrind.h (Debian's package valgrind)";
    }
    if (RUNNING_ON_VALGRIND == 0) return "the worker does not run under valgrind";
    return std::nullopt;
  }

  void change(Action from, Action to) override {
    if (begins_window(from, to)) {
      CALLGRIND_START_INSTRUMENTATION;
    }
  }
  void window_ends() override { CALLGRIND_STOP_INSTRUMENTATION; }
  void report(ReportSink& sink) const override {
    sink.effective("profile.counts", std::string("valgrind"));
  }
};

}  // namespace

std::unique_ptr<Instrument> make_perf_counts(measure::PerfCalls calls) {
  return std::make_unique<PerfCounts>(std::move(calls));
}

InstrumentType perf_counts_type() {
  return {.name = "perf_counts",
          .passes = {Pass::kTiming},
          .make = [](const ResolvedCase& resolved, WorkerContext&) -> std::unique_ptr<Instrument> {
            if (resolved.text_or("profile.counts", "") != "perf") return nullptr;
            return make_perf_counts(measure::host_perf_calls());
          }};
}

InstrumentType valgrind_counts_type() {
  return {.name = "valgrind_counts",
          .passes = {Pass::kWrapped},
          .make = [](const ResolvedCase& resolved, WorkerContext&) -> std::unique_ptr<Instrument> {
            if (resolved.text_or("profile.counts", "") != "valgrind") return nullptr;
            return std::make_unique<ValgrindCounts>();
          }};
}

}  // namespace stepbench::worker
