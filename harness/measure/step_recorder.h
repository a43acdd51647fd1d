// SPDX-License-Identifier: Apache-2.0
// Receives a workload's phase marks and holds the times of a step, in nanoseconds of the given
// clock. Main thread only.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/base/clock.h"
#include "harness/base/step_flags.h"
#include "harness/measure/phase.h"

namespace stepbench {

class Instrument;

enum class Count : std::uint8_t { kSamples, kTokens, kBytes };
inline constexpr std::size_t kCounts = 3;

// Marks the phases of one step. Main thread only; valid during one step(); no allocation, no lock.
class StepRecorder {
 public:
  // Ends its phase at the end of its scope, also by an exception.
  class [[nodiscard]] PhaseScope {
   public:
    PhaseScope(const PhaseScope&) = delete;  // assign it to a name; a phase has one owner
    PhaseScope& operator=(const PhaseScope&) = delete;
    ~PhaseScope() { recorder_.end(id_, stream_); }

   private:
    friend class StepRecorder;
    PhaseScope(StepRecorder& recorder, PhaseId id, DeviceStream stream)
        : recorder_(recorder), id_(id), stream_(stream) {
      recorder_.begin(id_, stream_);
    }
    StepRecorder& recorder_;
    PhaseId id_;
    DeviceStream stream_;
  };

  // Measurements of one step. Times in nanoseconds of the recorder's clock.
  struct Step {
    std::int64_t index = 0;  // since set_up, including warm-up
    std::int64_t start_ns = 0;
    std::array<std::int64_t, kMaxPhases> phase_ns{};
    std::array<std::int64_t, kCounts> counts{};
    std::int64_t flags = 0;
    std::int64_t epoch_wait_ns = 0;  // part of data_wait after first_of_epoch()
    // For steps that answer a request; 0: not marked.
    std::int64_t first_token_ns = 0;  // arrival of its first token
    std::int64_t later_tokens = 0;    // per sequence, after the first
    std::int64_t answered_ns = 0;     // completion of its answer
    std::uint32_t occurred = 0;       // bit per PhaseId
    std::int32_t ties = 0;            // phases of zero duration on this clock
    bool nested = false;              // a phase began inside another: a bug of the workload
  };

  explicit StepRecorder(const Clock& clock) : clock_(clock) {}

  PhaseScope phase(PhaseId id) { return {*this, id, {}}; }  // repeated phases are summed
  PhaseScope phase(PhaseId id, DeviceStream on) { return {*this, id, on}; }
  void add(Count what, std::int64_t n) { step_.counts[static_cast<std::size_t>(what)] += n; }
  void first_of_epoch() { step_.flags |= kEpochBorder; }  // its data_wait is an epoch gap
  void partial_batch() { step_.flags |= kPartialBatch; }
  void first_batch() { step_.flags |= kFirstBatch; }  // its data_wait includes the loader's start
  // Call when the first token of each sequence has reached the host. `later_tokens`: the number per
  // sequence still to come.
  void first_token(std::int64_t later_tokens);
  [[nodiscard]] std::int64_t index() const {
    return step_.index;
  }  // since set_up, including warm-up

  // For the worker loop.
  void listeners(std::span<Instrument* const> instruments) { instruments_ = instruments; }
  void start_step(std::int64_t index);                      // reads the clock
  void answered() { step_.answered_ns = clock_.now_ns(); }  // the device has finished
  [[nodiscard]] const Step& finish_step();                  // phases must be closed
  [[nodiscard]] const Step& current() const { return step_; }

 private:
  void begin(PhaseId id, DeviceStream on);
  void end(PhaseId id, DeviceStream on) noexcept;
  void notify_step_begin();
  void tell_phase_begin(PhaseId id, DeviceStream on);
  void tell_phase_end(PhaseId id, DeviceStream on, std::size_t told) noexcept;

  const Clock& clock_;
  std::span<Instrument* const> instruments_;
  Step step_;
  std::int64_t began_ns_ = 0;
  std::size_t hearing_step_ = 0;  // instruments notified of this step's begin
  bool open_ = false;
};

}  // namespace stepbench
