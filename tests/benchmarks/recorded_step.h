// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/catalogue/catalogue.h"
#include "harness/worker/internal/window_samples.h"

namespace stepbench {

inline constexpr std::size_t kRecordedPhases = 8;

// The harness's bookkeeping of one step of eight phases, without any work.
class RecordedStep {
 public:
  explicit RecordedStep(std::size_t window) : window_(window), samples_(names()) {
    samples_.prepare(window);
  }
  void run() {
    if (samples_.size() == window_) samples_.clear();
    recorder_.start_step(index_++);
    for (std::size_t id = 0; id < kRecordedPhases; ++id) {
      const auto phase = recorder_.phase(static_cast<PhaseId>(id));
    }
    recorder_.add(Count::kSamples, 64);
    samples_.append(recorder_.finish_step());
  }

 private:
  static std::vector<std::string> names() {
    std::vector<std::string> out;
    for (const Phase& phase : built_in_phases()) out.push_back(phase.name);
    return out;
  }
  HostClock clock_;
  StepRecorder recorder_{clock_};
  std::size_t window_;
  worker::WindowSamples samples_;
  std::int64_t index_ = 0;
};

}  // namespace stepbench
