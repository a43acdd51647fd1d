// SPDX-License-Identifier: Apache-2.0
// A search as an agenda: turns its slots into launches of cases and passes their results back. Uses
// launches in earlier files, so that an interrupted search resumes to the same end. Pure; one
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/plan/plan.h"
#include "harness/run/agenda.h"
#include "harness/stats/order_statistics.h"
#include "harness/tune/internal/search.h"
#include "harness/verdict/tested_metrics.h"

namespace stepbench::tune {

enum class PointStatus : std::uint8_t {  // written to disk by name
  kMeasured,
  kFailed,
  kSkipped,     // cannot run here
  kOverMemory,  // exceeds the memory limit
  kNotTried     // a smaller batch ran out of memory
};
constexpr EnumNames<5> names_of(PointStatus) {
  return {"measured", "failed", "skipped", "over_memory", "not_tried"};
}

// Results of one point.
struct PointState {
  PointStatus status = PointStatus::kMeasured;
  std::string reason = {};                          // unless kMeasured
  std::vector<double> values = {};                  // values of the objective, by launch
  std::vector<double> work_rates = {};              // samples per second, if known
  std::vector<double> wall_s = {};                  // by launch, failed ones too
  double memory_bytes = 0;                          // maximum over launches; 0: unknown
  std::optional<double> cpu_s_per_1k_samples = {};  // its last launch's
};

// Limits on the cost of the search. nullopt: no limit.
struct Allowance {
  std::optional<double> seconds = {};
  std::optional<std::size_t> launches = {};
};

class TuneAgenda final : public run::Agenda {
 public:
  struct Setup {
    const plan::Plan& plan;  // its cases are the points
    std::size_t own = 0;     // index of the file's own settings
    verdict::TestedMetric objective = {};
    // Set if the user named no objective: points are then judged by their rate of work.
    std::optional<verdict::TestedMetric> work_rate = {};
    std::uint64_t seed = 0;
    std::optional<double> memory_limit = {};  // bytes
    Allowance allowance = {};
    std::size_t reserved = 0;  // launches of the allowance reserved for the confirmation
    std::function<void(const std::string&)> print_line = [](const std::string&) {};
  };
  TuneAgenda(Setup setup, const record::Results& earlier);

  [[nodiscard]] std::optional<run::Job> next(const record::Results& finished) override;
  [[nodiscard]] std::size_t remaining() const override {
    return stopped_ ? 0 : search_.remaining();
  }

  [[nodiscard]] const PointSearch& search() const { return search_; }
  [[nodiscard]] const std::vector<PointState>& points() const { return points_; }
  [[nodiscard]] double spent_s() const { return spent_s_; }
  [[nodiscard]] std::size_t launches() const { return launches_; }
  [[nodiscard]] std::size_t discarded() const { return discarded_; }
  // The allowance was used up before the search was over.
  [[nodiscard]] bool is_stopped() const { return stopped_; }
  // Estimated time up to the first whole round, plus the confirmation, from launches so far.
  [[nodiscard]] double needed_s() const;

 private:
  // Passes known results to the search; returns the slot that needs a launch, if any.
  [[nodiscard]] std::optional<Slot> catch_up(const record::Results& finished);
  void take(const Slot& slot, const record::Launch& launch);
  void exclude_point(std::size_t point, PointStatus status, std::string reason);
  void take_out_larger(std::size_t point);
  // Under a memory limit, small batches are used to predict the memory of larger ones.
  [[nodiscard]] PointSearch::Before smaller_batches_first() const;
  [[nodiscard]] double batch_of(std::size_t point) const;
  [[nodiscard]] bool is_alike_but_for_batch(std::size_t a, std::size_t b) const;
  [[nodiscard]] bool will_hold_too_much(const Slot& slot);
  void announce_rungs();
  [[nodiscard]] bool is_used_up(const Slot& slot) const;
  [[nodiscard]] double usual_s() const;     // usual time of a launch
  [[nodiscard]] double reserved_s() const;  // time reserved for the confirmation
  // Work of a point relative to the smallest batch, because larger batches take longer.
  [[nodiscard]] double work_of(std::size_t point) const;
  [[nodiscard]] OptionValues context_of(const Slot& slot) const;

  Setup setup_;
  std::string batch_option_;  // the varying batch option; empty: none
  PointSearch search_;
  std::vector<PointState> points_;
  std::map<std::pair<std::string, int>, std::size_t> at_;  // (case, launch) -> index
  double smallest_batch_ = 0;                              // 0: batch size does not vary
  std::size_t seen_ = 0;
  std::size_t rungs_announced_ = 1;
  // Statistics of measured launches; of warm-up launches only the last one counts.
  double least_s_ = 0;
  double own_s_ = 0;
  std::vector<double> walls_s_;
  double spent_s_ = 0;
  std::size_t discarded_ = 0;
  std::optional<bool> rated_;  // launches report the rate of work
  std::size_t launches_ = 0;
  bool stopped_ = false;
};

struct MeasuredMemory {
  double batch = 0;
  double bytes = 0;
};

struct PredictedMemory {
  double bytes = 0;
  stats::Interval interval = {};  // 95 %, for one launch, if the relation is linear
};

// nullopt with fewer than three batch sizes, because two do not show the deviation from a line.
[[nodiscard]] std::optional<PredictedMemory> predict_memory(std::span<const MeasuredMemory> smaller,
                                                            double batch);

}  // namespace stepbench::tune
