// SPDX-License-Identifier: Apache-2.0
// Google Benchmark and the controller each want to own the main loop: the former calls its
// benchmarks, the latter asks for its next launch. They therefore run on two threads that hand over
// one launch at a time.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>

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

}  // namespace stepbench::gbench
