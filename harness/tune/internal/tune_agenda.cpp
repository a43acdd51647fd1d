// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/internal/tune_agenda.h"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "harness/base/format.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/tune/internal/launch_values.h"

namespace stepbench::tune {
namespace {

// Time limit of a launch, as a multiple of the best; the lower bound is for a busy machine.
constexpr double kTimesTheBest = 5;
constexpr double kMinLimitS = 10;
// Launches needed to estimate the time of the others.
constexpr std::size_t kMinLaunchesToForecast = 5;

// Warm-up launches that the allowance leaves besides one of every point and the confirmation.
std::size_t most_warm(const TuneAgenda::Setup& setup) {
  if (!setup.allowance.launches) return kMaxWarmLaunches;
  const auto can_run = static_cast<std::size_t>(std::ranges::count_if(
      setup.plan.cases, [](const plan::PlannedCase& each) { return !each.skip; }));
  const std::size_t taken = can_run + setup.reserved;
  return std::clamp(*setup.allowance.launches - std::min(taken, *setup.allowance.launches),
                    kMinWarmLaunches, kMaxWarmLaunches);
}

std::string batch_option_of(const plan::Plan& plan) {
  for (const std::string& name : plan.varying) {
    if (name.ends_with("batch_size")) return name;
  }
  return {};
}

}  // namespace

TuneAgenda::TuneAgenda(Setup setup, const record::Results& earlier)
    : setup_(std::move(setup)),
      batch_option_(batch_option_of(setup_.plan)),
      search_(setup_.plan.cases.size(), setup_.own, setup_.seed, most_warm(setup_),
              smaller_batches_first()),
      points_(setup_.plan.cases.size()) {
  for (std::size_t point = 0; !batch_option_.empty() && point < points_.size(); ++point) {
    const double batch = batch_of(point);
    smallest_batch_ = point == 0 ? batch : std::min(smallest_batch_, batch);
  }
  (void)catch_up(earlier);
}

std::optional<Slot> TuneAgenda::catch_up(const record::Results& finished) {
  for (; seen_ < finished.launches.size(); ++seen_) {
    const record::LaunchKey& key = finished.launches[seen_].row.key;
    if (key.pass == Pass::kTiming && key.rank == 0) at_[{key.case_id, key.launch}] = seen_;
  }
  while (const std::optional<Slot> slot = search_.next()) {
    announce_rungs();
    const std::string& id = setup_.plan.cases[slot->point].resolved.case_id;
    const auto found = at_.find({id, static_cast<int>(slot->launch)});
    if (found == at_.end()) {
      if (will_hold_too_much(*slot)) continue;
      return slot;
    }
    take(*slot, finished.launches[found->second]);
  }
  announce_rungs();
  return std::nullopt;
}

void TuneAgenda::take(const Slot& slot, const record::Launch& launch) {
  PointState& point = points_[slot.point];
  const Outcome& outcome = launch.row.outcome;
  if (outcome.kind == Outcome::Kind::kSkipped) {
    return exclude_point(slot.point, PointStatus::kSkipped, outcome.reason);
  }
  const double wall_s = wall_s_of(launch);
  spent_s_ += wall_s;
  ++launches_;
  if (slot.warm) ++discarded_;
  if (!slot.warm) point.wall_s.push_back(wall_s);
  if (outcome.kind == Outcome::Kind::kFailed) {
    if (!ran_out_of_memory(outcome.reason)) {
      return exclude_point(slot.point, PointStatus::kFailed, outcome.reason);
    }
    // With a memory limit, running out of memory is not a failure.
    exclude_point(slot.point, setup_.memory_limit ? PointStatus::kOverMemory : PointStatus::kFailed,
                  outcome.reason);
    return take_out_larger(slot.point);
  }
  const double memory_bytes = memory_bytes_of(launch).value_or(0);
  point.memory_bytes = std::max(point.memory_bytes, memory_bytes);
  point.cpu_s_per_1k_samples = cpu_s_per_1k_samples_of(launch);
  const std::optional<double> value = value_of(launch, setup_.objective);
  const std::optional<double> rate =
      setup_.work_rate ? value_of(launch, *setup_.work_rate) : std::nullopt;
  if (!rated_) rated_ = rate.has_value();
  if (!value || (*rated_ && !rate)) {
    return exclude_point(
        slot.point, PointStatus::kFailed,
        "gives no number for " + (value ? *setup_.work_rate : setup_.objective).name);
  }
  least_s_ = walls_s_.empty() ? wall_s : std::min(least_s_, wall_s);
  if (slot.warm) walls_s_.clear();
  walls_s_.push_back(wall_s);
  if (slot.point == setup_.own) own_s_ = wall_s;
  if (!slot.warm) point.values.push_back(*value);
  if (!slot.warm && *rated_) point.work_rates.push_back(*rate);
  if (setup_.memory_limit && memory_bytes > *setup_.memory_limit) {
    return exclude_point(slot.point, PointStatus::kOverMemory,
                         formatted("held {}, more than {}", text::byte_text(memory_bytes),
                                   text::byte_text(*setup_.memory_limit)));
  }
  search_.take(*rated_ ? log_cost(*rate, setup_.work_rate->direction)
                       : log_cost(*value, setup_.objective.direction));
}

void TuneAgenda::exclude_point(std::size_t point, PointStatus status, std::string reason) {
  points_[point].status = status;
  points_[point].reason = std::move(reason);
  search_.exclude_point(point);
}

PointSearch::Before TuneAgenda::smaller_batches_first() const {
  if (!setup_.memory_limit || batch_option_.empty()) return {};
  return [this](std::size_t a, std::size_t b) { return batch_of(a) < batch_of(b); };
}

double TuneAgenda::batch_of(std::size_t point) const {
  return number_of(setup_.plan.cases[point].resolved.options, batch_option_).value_or(0);
}

bool TuneAgenda::is_alike_but_for_batch(std::size_t a, std::size_t b) const {
  const OptionValues& ours = setup_.plan.cases[a].resolved.options;
  const OptionValues& theirs = setup_.plan.cases[b].resolved.options;
  return std::ranges::all_of(setup_.plan.varying, [&](const std::string& name) {
    return name == batch_option_ || text_of(ours, name) == text_of(theirs, name);
  });
}

void TuneAgenda::take_out_larger(std::size_t point) {
  if (batch_option_.empty()) return;
  for (std::size_t other = 0; other < points_.size(); ++other) {
    if (search_.is_out(other) || batch_of(other) <= batch_of(point)) continue;
    if (is_alike_but_for_batch(point, other)) {
      exclude_point(other, PointStatus::kNotTried, "a smaller batch ran out of memory");
    }
  }
}

bool TuneAgenda::will_hold_too_much(const Slot& slot) {
  const bool is_known = points_[slot.point].memory_bytes > 0;
  if (!setup_.memory_limit || batch_option_.empty() || is_known) return false;
  std::vector<MeasuredMemory> smaller;
  for (std::size_t other = 0; other < points_.size(); ++other) {
    const double bytes = points_[other].memory_bytes;
    if (bytes <= 0 || batch_of(other) >= batch_of(slot.point)) continue;
    if (is_alike_but_for_batch(slot.point, other)) smaller.push_back({batch_of(other), bytes});
  }
  const auto predicted = predict_memory(smaller, batch_of(slot.point));
  if (!predicted || predicted->bytes <= *setup_.memory_limit) return false;
  exclude_point(
      slot.point, PointStatus::kNotTried,
      formatted("would hold {} [{}, {}] by smaller batches, more than {}",
                text::byte_text(predicted->bytes), text::byte_text(predicted->interval.low),
                text::byte_text(predicted->interval.high), text::byte_text(*setup_.memory_limit)));
  return true;
}

void TuneAgenda::announce_rungs() {
  const std::vector<Rung>& rungs = search_.rungs();
  for (; rungs_announced_ < rungs.size(); ++rungs_announced_) {
    if (rungs[rungs_announced_].points.empty() || rungs[rungs_announced_ - 1].rounds == 0) continue;
    setup_.print_line(formatted("rung {}: {} left of {}", rungs_announced_,
                                text::counted(std::ssize(rungs[rungs_announced_].points), "point"),
                                rungs[rungs_announced_ - 1].points.size()));
  }
}

double TuneAgenda::usual_s() const {
  const auto of_all = static_cast<double>(std::max(launches_, std::size_t{1}));
  if (walls_s_.empty()) return spent_s_ / of_all;
  return std::accumulate(walls_s_.begin(), walls_s_.end(), 0.0) /
         static_cast<double>(walls_s_.size());
}

double TuneAgenda::reserved_s() const {
  return static_cast<double>(setup_.reserved) / 2 * (std::max(own_s_, usual_s()) + usual_s());
}

double TuneAgenda::needed_s() const {
  double launches = 0;
  for (std::size_t point = 0; point < points_.size(); ++point) {
    const bool waits = !search_.is_out(point) && points_[point].wall_s.empty();
    launches += waits && !setup_.plan.cases[point].skip ? 1 : 0;
  }
  return spent_s_ + launches * usual_s() + reserved_s();
}

bool TuneAgenda::is_used_up(const Slot& slot) const {
  if (setup_.plan.cases[slot.point].skip) return false;  // reported without a launch
  const Allowance& allowance = setup_.allowance;
  if (allowance.launches && launches_ + 1 + setup_.reserved > *allowance.launches) return true;
  if (!allowance.seconds) return false;
  if (!search_.has_whole_round() && launches_ >= kMinLaunchesToForecast &&
      needed_s() > *allowance.seconds) {
    return true;
  }
  const std::vector<double>& own = points_[slot.point].wall_s;
  const double expected_s = own.empty() ? usual_s() : std::max(usual_s(), own.back());
  return spent_s_ + expected_s + reserved_s() > *allowance.seconds;
}

double TuneAgenda::work_of(std::size_t point) const {
  return smallest_batch_ > 0 ? batch_of(point) / smallest_batch_ : 1;
}

OptionValues TuneAgenda::context_of(const Slot& slot) const {
  if (walls_s_.empty()) return {};
  const ResolvedCase& resolved = setup_.plan.cases[slot.point].resolved;
  const double limit_s = std::max(kTimesTheBest * least_s_, kMinLimitS) * work_of(slot.point);
  if (limit_s >= resolved.number_or("limits.wall_s", limit_s)) return {};
  return {{"limits.wall_s", std::ceil(limit_s)}};
}

std::optional<run::Job> TuneAgenda::next(const record::Results& finished) {
  const std::optional<Slot> slot = catch_up(finished);
  if (!slot || stopped_) return std::nullopt;
  if (is_used_up(*slot)) {
    stopped_ = true;
    search_.stop();
    return std::nullopt;
  }
  return run::Job{.case_index = slot->point,
                  .launch = static_cast<int>(slot->launch),
                  .block = static_cast<int>(slot->rung),
                  .position = static_cast<int>(slot->position),
                  .note = slot->warm ? "thrown away" : formatted("rung {}", slot->rung),
                  .context = context_of(*slot)};
}

// Least squares; the interval is a prediction interval for one further value.
std::optional<PredictedMemory> predict_memory(std::span<const MeasuredMemory> smaller,
                                              double batch) {
  constexpr std::size_t kMinSizes = 3;
  constexpr double kOneSided = 0.025;
  std::set<double> sizes;
  for (const MeasuredMemory& each : smaller) sizes.insert(each.batch);
  if (sizes.size() < kMinSizes) return std::nullopt;
  const auto count = static_cast<double>(smaller.size());
  double mean_batch = 0;
  double mean_bytes = 0;
  for (const MeasuredMemory& each : smaller) {
    mean_batch += each.batch / count;
    mean_bytes += each.bytes / count;
  }
  double spread = 0;
  double slope = 0;
  for (const MeasuredMemory& each : smaller) {
    spread += (each.batch - mean_batch) * (each.batch - mean_batch);
    slope += (each.batch - mean_batch) * (each.bytes - mean_bytes);
  }
  slope /= spread;
  double squares = 0;
  for (const MeasuredMemory& each : smaller) {
    const double left = each.bytes - mean_bytes - slope * (each.batch - mean_batch);
    squares += left * left;
  }
  const double freedom = count - 2;
  const double away = batch - mean_batch;
  const double sd = std::sqrt(squares / freedom * (1 + 1 / count + away * away / spread));
  const double reach = sd * boost::math::quantile(boost::math::complement(
                                boost::math::students_t(freedom), kOneSided));
  const double bytes = mean_bytes + slope * away;
  return PredictedMemory{bytes, {bytes - reach, bytes + reach}};
}

}  // namespace stepbench::tune
