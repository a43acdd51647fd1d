// SPDX-License-Identifier: Apache-2.0
// Google Benchmark calls its benchmarks, and the controller asks for its next launch: each wants to
// be the loop. So they run on two threads, and one launch at a time is handed from one to the
// other.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>

#include "harness/run/agenda.h"

namespace stepbench::gbench {

class LaunchHandOver final : public run::Agenda {
 public:
  // The benchmarks' thread: waits until the launch is over. Nothing: the run has ended before.
  [[nodiscard]] std::optional<record::Launch> measure(const run::Job& job);
  // The benchmarks' thread: there will be no other launch.
  void close();

  // The controller's thread. False: closed without a launch.
  [[nodiscard]] bool wait_for_first();
  [[nodiscard]] std::optional<run::Job> next(const record::Results& finished) override;
  [[nodiscard]] std::size_t remaining() const override { return 0; }
  // The controller's thread: it has ended; who waits, or comes later, gets nothing.
  void end();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<run::Job> asked_;           // not yet begun
  std::optional<record::Launch> measured_;  // not yet taken
  std::size_t seen_ = 0;                    // launches of `finished` that were handed back
  bool under_way_ = false;
  bool closed_ = false;
  bool ended_ = false;
};

}  // namespace stepbench::gbench
