// SPDX-License-Identifier: Apache-2.0
// A search as an agenda: slots of the search become launches of cases, and what became of each is
// told to it again. Launches that earlier files hold are taken as they are, so that a search that
// was cut off goes on to the same end. Pure; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/compare/tested_metrics.h"
#include "harness/plan/plan.h"
#include "harness/run/agenda.h"
#include "harness/tune/search.h"

namespace stepbench::tune {

enum class Fate : std::uint8_t {  // written to disk by name
  kMeasured,
  kFailed,
  kSkipped,     // it cannot run here
  kOverMemory,  // it holds more than is allowed
  kNotTried     // a smaller one ran out of memory
};
constexpr EnumNames<5> names_of(Fate) {
  return {"measured", "failed", "skipped", "over_memory", "not_tried"};
}

// What is known of one point.
struct PointState {
  Fate fate = Fate::kMeasured;
  std::string reason = {};                          // of another fate
  std::vector<double> values = {};                  // of the objective, by launch
  std::vector<double> work_rates = {};              // samples per second, where they are known
  std::vector<double> wall_s = {};                  // of both
  double memory_bytes = 0;                          // the most of any; 0: not known
  std::optional<double> cpu_s_per_1k_samples = {};  // of its last launch
};

// What the search may cost. None: as much as it needs.
struct Allowance {
  std::optional<double> seconds = {};
  std::optional<std::size_t> launches = {};
};

class TuneAgenda final : public run::Agenda {
 public:
  struct Setup {
    const plan::Plan& plan;  // its cases are the points
    std::size_t own = 0;     // place of the file's own settings
    compare::TestedMetric objective = {};
    // Nobody named the objective: the points are judged by the work that they get done.
    std::optional<compare::TestedMetric> work_rate = {};
    std::uint64_t seed = 0;
    std::optional<double> memory_limit = {};  // bytes
    Allowance allowance = {};
    std::size_t reserved = 0;  // launches of it that the confirmation needs
    std::function<void(const std::string&)> say = [](const std::string&) {};
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
  [[nodiscard]] std::size_t thrown_away() const { return thrown_away_; }
  // The allowance was used up before the search was over.
  [[nodiscard]] bool is_stopped() const { return stopped_; }
  // What it takes to its first whole round, and the confirmation, by the launches so far.
  [[nodiscard]] double needed_s() const;

 private:
  // Tells the search what is known; the slot that wants a launch, if any.
  [[nodiscard]] std::optional<Slot> catch_up(const record::Results& finished);
  void take(const Slot& slot, const record::Launch& launch);
  void take_out(std::size_t point, Fate fate, std::string reason);
  void take_out_larger(std::size_t point);
  // Where a memory limit is given: small batches tell what larger ones will hold.
  [[nodiscard]] PointSearch::Before smaller_batches_first() const;
  [[nodiscard]] double batch_of(std::size_t point) const;
  [[nodiscard]] bool is_alike_but_for_batch(std::size_t a, std::size_t b) const;
  [[nodiscard]] bool will_hold_too_much(const Slot& slot);
  void say_rung();
  [[nodiscard]] bool is_used_up(const Slot& slot) const;
  [[nodiscard]] double usual_s() const;     // of a launch
  [[nodiscard]] double reserved_s() const;  // of the confirmation
  // A larger batch takes longer: over the smallest one.
  [[nodiscard]] double work_of(std::size_t point) const;
  [[nodiscard]] OptionValues context_of(const Slot& slot) const;

  Setup setup_;
  std::string batch_option_;  // that varies; empty: none does
  PointSearch search_;
  std::vector<PointState> points_;
  std::map<std::pair<std::string, int>, std::size_t> at_;  // places by case and launch
  double smallest_batch_ = 0;                              // 0: batches do not vary
  std::size_t seen_ = 0;
  std::size_t rungs_said_ = 1;
  // Of launches that measured something; of those that were thrown away, of the last one.
  double least_s_ = 0;
  double own_s_ = 0;
  std::vector<double> walls_s_;
  double spent_s_ = 0;
  std::size_t thrown_away_ = 0;
  std::optional<bool> rated_;  // launches tell the rate of work
  std::size_t launches_ = 0;
  bool stopped_ = false;
};

}  // namespace stepbench::tune
