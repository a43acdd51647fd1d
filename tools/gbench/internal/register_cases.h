// SPDX-License-Identifier: Apache-2.0
// The cases of an experiment as registered benchmarks, and the hand-over of launches. Google
// Benchmark and the controller each want to own the main loop: the former calls its benchmarks, the
// latter asks for its next launch. They therefore run on two threads that hand over one launch at a
// time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "harness/plan/plan.h"
#include "harness/record/result_file.h"
#include "harness/run/agenda.h"

namespace stepbench::gbench {

class LaunchHandOver final : public run::Agenda {
 public:
  // Benchmark thread: requests a launch and waits for its end. nullopt: the run ended first.
  [[nodiscard]] std::optional<record::Launch> measure(const run::Job& job);
  // Benchmark thread: there are no further launches.
  void close();

  // Controller thread. Returns false if closed without a launch.
  [[nodiscard]] bool wait_for_first();
  [[nodiscard]] std::optional<run::Job> next(const record::Results& finished) override;
  [[nodiscard]] std::size_t remaining() const override { return 0; }
  // Controller thread: the run has ended; pending and later calls of measure() return nullopt.
  void end();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<run::Job> asked_;           // not yet started
  std::optional<record::Launch> measured_;  // not yet returned by measure()
  std::size_t seen_ = 0;                    // launches in `finished` at the last call of next()
  bool under_way_ = false;
  bool closed_ = false;
  bool ended_ = false;
};

// Registers each case of a plan as a benchmark whose repetition is one launch, with the counters of
// the launch.

struct RegisterOptions {
  bool in_unit = false;  // set by --benchmark_time_unit; else milliseconds
  bool repeats = false;  // set by --benchmark_repetitions; else the case's `launches`
  std::function<bool(const std::string& name)> wanted = {};
};

// Returns the names of the wanted cases. `plan` and `queue` must outlive the benchmarks.
[[nodiscard]] std::vector<std::string> register_cases(const plan::Plan& plan, LaunchHandOver& queue,
                                                      const RegisterOptions& options);

struct LaunchNumbers {
  std::optional<double> step_ns = {};  // time of the repetition; nullopt: see `reason`
  std::string reason = {};
  bool skipped = false;
  // As in exported JSON, see harness/report/exports.h.
  std::map<std::string, double> counters = {};
};

[[nodiscard]] LaunchNumbers numbers_of(const record::Launch& launch);

}  // namespace stepbench::gbench
