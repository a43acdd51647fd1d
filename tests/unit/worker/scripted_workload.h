// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/workload.h"
#include "tests/scripted_clock.h"
#include "tests/testing.h"

namespace stepbench::worker {

// Logs each call; each step takes 100 ns, 60 of them in `forward`.
class ScriptedWorkload : public Workload {
 public:
  ScriptedWorkload(ScriptedClock& clock, std::vector<std::string>& log)
      : clock_(clock), log_(log) {}

  std::optional<std::string> set_up() override {
    log_.emplace_back("set_up");
    return std::nullopt;
  }
  void step(StepRecorder& step) override {
    log_.push_back("step " + std::to_string(step.index()));
    if (step.index() == throw_at_step) throw std::runtime_error("step failed");
    {
      const auto forward = step.phase(PhaseId::kForward);
      clock_.pass(60);
    }
    clock_.pass(40);
  }
  void before_cycle() override { log_.emplace_back("before cycle"); }
  void window(Edge edge) override {
    log_.emplace_back(edge == Edge::kBegin ? "window begin" : "window end");
  }
  void synchronize() override {
    log_.emplace_back("synchronize");
    clock_.pass(1000);
  }
  bool all_ranks_stop(bool mine) override {
    log_.push_back(mine ? "stop?yes" : "stop?no");
    return stop_answer.value_or(mine);
  }
  void tear_down() override { log_.emplace_back("tear_down"); }
  Fingerprint fingerprint() override {
    log_.emplace_back("fingerprint");
    return {0.25, 2.0};
  }

  std::int64_t throw_at_step = -1;
  std::optional<bool> stop_answer;

 private:
  ScriptedClock& clock_;
  std::vector<std::string>& log_;
};

}  // namespace stepbench::worker
