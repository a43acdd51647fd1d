// SPDX-License-Identifier: Apache-2.0
// Spans of a profile besides operations: marked steps and phases, and the activity of a loader's
// workers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/measure/phase.h"
#include "harness/ops/op_log.h"
#include "workloads/loader/batches.h"

namespace stepbench::profile {

// Begin and end of each recorded step and phase, in stamps of a collector's clock.
class StepMarks {
 public:
  void reserve(std::size_t marks) { marks_.reserve(marks); }
  void step_begin(std::int64_t index, std::uint64_t now);
  void step_end(std::uint64_t now) noexcept;
  void phase_begin(PhaseId id, std::uint64_t now);
  void phase_end(std::uint64_t now) noexcept;
  void clear();
  // Sets the measured periods of a window's steps, from one's start to the next one's, in ns, from
  // step `first` on: their marks then have these borders, without gaps.
  void measured(std::int64_t first, std::vector<std::int64_t> periods_ns);

  // `phase_name` maps a PhaseId to its name.
  void add_to(ops::OpLog& log, const std::function<std::int64_t(std::uint64_t)>& ns_of,
              const std::function<std::string(PhaseId)>& phase_name) const;

 private:
  struct Mark {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::int64_t step = 0;
    PhaseId phase = PhaseId::kOther;  // kOther: the whole step
  };
  struct Window {
    std::int64_t first = 0;
    std::vector<std::int64_t> periods_ns;
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  static void set_borders(ops::OpLog& log, std::size_t from, const Window& window);

  std::vector<Mark> marks_;
  std::vector<Window> windows_;
  std::size_t step_ = kNone;   // index of the open mark
  std::size_t phase_ = kNone;  // phases do not nest
  std::int64_t index_ = 0;
};

// Records the activity of the loader's workers, or of the step thread without workers, while
// listening: as separate tracks.
class WorkerSpans final : public loader::WorkerSpanListener {
 public:
  ~WorkerSpans() override { listen(false); }
  void listen(bool on);
  void batch(std::int64_t pid, int worker, const loader::BatchCost& cost) override {
    batches_.push_back({pid, worker, cost});
  }
  void clear() { batches_.clear(); }

  // Adds batches that ended after `from_ns`, as fetch, decode and collate in sequence: a reader
  // sums up the time of each. `offset_ns`: the log's clock minus HostClock.
  void add_to(ops::OpLog& log, std::int64_t from_ns, std::int64_t offset_ns) const;

 private:
  struct Made {
    std::int64_t pid = 0;  // 0: this process
    int worker = 0;
    loader::BatchCost cost;
  };
  std::vector<Made> batches_;
};

}  // namespace stepbench::profile
