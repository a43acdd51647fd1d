// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/loader_what_if.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string_view>

#include "harness/estimate/launch_values.h"
#include "harness/estimate/replayed.h"
#include "harness/estimate/step_columns.h"
#include "harness/stats/order.h"

namespace stepbench::estimate {
namespace {

constexpr std::int64_t kBatches = 4000;
constexpr int kMostRounds = 50;
constexpr double kCloseEnough = 0.002;
constexpr std::string_view kWorkersOption = "loader.num_workers";

// TurnTimes of a mean and a spread, as uneven as batches are: never negative.
class TurnTimes {
 public:
  TurnTimes(double mean, double cv, std::uint64_t seed)
      : mean_(mean), random_(seed), shape_(cv > 0.01 ? 1 / (cv * cv) : 0) {}
  double next() {
    if (shape_ <= 0) return mean_;
    return mean_ / shape_ * std::gamma_distribution<double>(shape_, 1)(random_);
  }

 private:
  double mean_;
  std::mt19937_64 random_;
  double shape_;
};

double dispatched_step_ns(const LoaderModel& model, std::int64_t workers) {
  if (workers <= 0) return model.own_ns + model.turn_ns;
  TurnTimes turns(model.turn_ns, model.turn_cv, 1);
  TurnTimes own(model.own_ns, model.own_cv, 2);
  const auto count = static_cast<std::size_t>(workers);
  const std::size_t ahead = count * static_cast<std::size_t>(model.prefetch_factor);
  std::vector<double> free_ns(count);
  std::vector<double> given_ns(ahead);  // when the batch that stood `ahead` before was given
  double now = 0, begun = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(kBatches); ++i) {
    double& worker = free_ns[i % count];
    worker = std::max(worker, given_ns[i % ahead]) + turns.next();
    now = std::max(now, worker);
    given_ns[i % ahead] = now;
    if (i + 1 == kBatches / 4) begun = now;  // the queue is in its steady state by then
    now += own.next();
  }
  return (given_ns[(kBatches - 1) % ahead] - begun) / (kBatches - kBatches / 4);
}

// With what computes taking so many times as long.
LoaderModel slowed(const LoaderModel& model, double slower) {
  LoaderModel made = model;
  made.turn_ns += model.turn_cpu_ns * (slower - 1);
  made.own_ns += model.own_cpu_ns * (slower - 1);
  return made;
}

std::optional<std::int64_t> workers_of_row(const CaseRow& row) {
  const Value* value = row.option(kWorkersOption);
  const auto number = value == nullptr ? std::nullopt : number_of(*value);
  return number ? std::optional(std::llround(*number)) : std::nullopt;
}

// Of a launch; not a number: not known.
struct SharedCores {
  double machine_cores = 0;
  double others_cores = 0;  // that other programs used
  double computing = 0;     // shares of the workers' time
  double waiting = 0;
  double workers_step_ns = 0;  // all workers' time in a step
};

// In place of cores that others had left: they leave more to who wants more.
void share_cores(LoaderModel& model, const SharedCores& seen) {
  const double known = seen.machine_cores + seen.others_cores + seen.computing + seen.waiting;
  if (std::isnan(known) || seen.computing <= 0) return;
  const double turns_cpu_ns = seen.computing * seen.workers_step_ns;
  model.cores = seen.machine_cores;
  model.others = seen.others_cores * (1 + seen.waiting / seen.computing);
  model.turn_cpu_ns = std::min(model.turn_ns, turns_cpu_ns);
  model.own_cpu_ns = std::clamp(model.cpu_ns - turns_cpu_ns, 0.0, model.own_ns);
}

bool is_told_of(const CaseRow& row) {
  return row.step_ns && row.pass == Pass::kTiming && !row.smoke && row.arm.empty() &&
         replayed(row) == Replayed::kNot && workers_of_row(row).value_or(0) > 0;
}

// Options that follow from the number of workers are no difference.
bool same_but_for_workers(const CaseRow& a, const CaseRow& b) {
  const auto differs = [](const CaseRow& one, const CaseRow& other) {
    for (const auto& [name, value] : one.options()) {
      if (is_null(value) || name == kWorkersOption || name.starts_with("schedule.")) continue;
      const Value* theirs = other.option(name);
      if (theirs == nullptr || *theirs != value) return true;
    }
    return false;
  };
  return a.run_id == b.run_id && a.workload == b.workload && !differs(a, b) && !differs(b, a);
}

std::optional<WorkersWhatIf> what_if(const CaseRow& base, std::int64_t workers) {
  std::vector<double> steps;
  for (const MeasuredLaunch& launch : base.measured) {
    if (const auto model = loader_model(base, launch)) {
      steps.push_back(predicted_step_ns(*model, workers));
    }
  }
  if (steps.empty()) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(steps);
  return WorkersWhatIf{.base = &base,
                       .workers = workers,
                       .step_ns = stats::median(steps),
                       .within_ns = (most - least) / 2};
}

// Of those with a model; null: none.
const CaseRow* nearest_case(const std::vector<const CaseRow*>& rows, std::int64_t workers,
                            const CaseRow* but) {
  const CaseRow* best = nullptr;
  for (const CaseRow* row : rows) {
    if (row == but || !what_if(*row, 1)) continue;
    const auto distance = [&](const CaseRow* of) {
      return std::abs(*workers_of_row(*of) - workers);
    };
    if (best == nullptr || distance(row) < distance(best)) best = row;
  }
  return best;
}

WorkersSweep told_of(const std::vector<const CaseRow*>& rows,
                     const std::vector<std::int64_t>& workers) {
  WorkersSweep sweep;
  std::vector<double> errors;
  for (const CaseRow* row : rows) {
    const CaseRow* base = nearest_case(rows, *workers_of_row(*row), row);
    if (base == nullptr) continue;
    auto found = what_if(*base, *workers_of_row(*row));
    if (!found) continue;
    found->measured = row;
    found->error = found->step_ns / *row->step_ns - 1;
    errors.push_back(std::abs(*found->error));
    sweep.held.push_back(*found);
  }
  if (!errors.empty()) sweep.median_error = stats::median(errors);
  for (const std::int64_t each : workers) {
    const auto measured = std::ranges::find_if(
        rows, [&](const CaseRow* row) { return *workers_of_row(*row) == each; });
    const CaseRow* const is_there = measured == rows.end() ? nullptr : *measured;
    const CaseRow* base = nearest_case(rows, each, is_there);
    if (base == nullptr) continue;
    auto found = what_if(*base, each);
    if (!found) continue;
    if (is_there != nullptr) {
      found->measured = is_there;
      found->error = found->step_ns / *is_there->step_ns - 1;
    }
    sweep.asked.push_back(*found);
  }
  return sweep;
}

}  // namespace

double predicted_step_ns(const LoaderModel& model, std::int64_t workers) {
  const double cores = std::max(0.25, model.cores);
  const auto step_ns = [&](double slower) {
    return std::max(dispatched_step_ns(slowed(model, slower), workers), model.cpu_ns / cores);
  };
  if (model.others <= 0) return step_ns(1);
  // What computes is so many times slower as there are threads for each core; the slower it is the
  // more of our own want one.
  double slower = 1;
  for (int i = 0; i < kMostRounds; ++i) {
    const double threads = model.cpu_ns * slower / step_ns(slower) + model.others;
    const double now = std::max(1.0, threads / cores);
    if (std::abs(now - slower) < kCloseEnough) break;
    slower += (now - slower) / 2;
  }
  return step_ns(slower);
}

std::optional<LoaderModel> loader_model(const CaseRow& row, const MeasuredLaunch& launch) {
  const auto metric = [&](std::string_view name) { return reported(*launch.launch, name); };
  LoaderModel model{.turn_ns = metric("loader_turn_ns"),
                    .turn_cv = metric("loader_turn_cv"),
                    .own_ns = metric("loader_own_ns"),
                    .cpu_ns = metric("loader_cpu_ns"),
                    .cores = metric("loader_cores")};
  if (std::isnan(model.turn_ns) || std::isnan(model.own_ns) || std::isnan(model.cpu_ns) ||
      std::isnan(model.cores) || launch.estimate.borders) {
    return std::nullopt;
  }
  if (std::isnan(model.turn_cv)) model.turn_cv = 0;
  const double host_step_ns = static_cast<double>(launch.estimate.host_ns) /
                              static_cast<double>(std::max<std::int64_t>(1, launch.estimate.steps));
  share_cores(model, {.machine_cores = metric("loader_machine_cores"),
                      .others_cores = metric("loader_other_cores"),
                      .computing = metric("loader_worker_cpu"),
                      .waiting = metric("loader_worker_cpu_wait"),
                      .workers_step_ns =
                          static_cast<double>(workers_of_row(row).value_or(0)) * host_step_ns});
  const Value* prefetch = row.option("loader.prefetch_factor");
  if (prefetch != nullptr) model.prefetch_factor = std::llround(number_of(*prefetch).value_or(2));
  const StepColumns steps(*launch.launch);
  const std::vector<std::int64_t> step_ns = steps.filled("step_ns");
  const std::vector<std::int64_t> wait_ns = steps.filled("data_wait_ns");
  std::vector<double> own;
  for (std::size_t i = 0; i < step_ns.size(); ++i) {
    own.push_back(static_cast<double>(step_ns[i] - wait_ns[i]));
  }
  if (own.size() > 1 && model.own_ns > 0) {
    model.own_cv = std::min(2.0, stats::standard_deviation(own) / model.own_ns);
  }
  return model;
}

std::vector<WorkersSweep> workers_what_if(const std::vector<CaseRow>& rows,
                                          const std::vector<std::int64_t>& workers) {
  std::vector<std::vector<const CaseRow*>> sweeps;
  for (const CaseRow& row : rows) {
    if (!is_told_of(row)) continue;
    const auto sweep = std::ranges::find_if(
        sweeps, [&](const auto& each) { return same_but_for_workers(*each.front(), row); });
    if (sweep == sweeps.end()) {
      sweeps.push_back({&row});
    } else {
      sweep->push_back(&row);
    }
  }
  std::vector<WorkersSweep> told;
  for (const auto& sweep : sweeps) {
    WorkersSweep found = told_of(sweep, workers);
    if (!found.asked.empty()) told.push_back(std::move(found));
  }
  return told;
}

}  // namespace stepbench::estimate
