// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/tune_agenda.h"

#include <algorithm>
#include <cmath>

#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/tune/launched.h"
#include "harness/tune/memory_fit.h"

namespace stepbench::tune {
namespace {

// A launch that takes so many times as long as the best one is ended. The least is for machines
// that are busy with something else.
constexpr double kTimesTheBest = 5;
constexpr double kLeastLimitS = 10;
// So many launches say what the others will take.
constexpr std::size_t kEnoughToTell = 5;

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
      halving_(setup_.plan.cases.size(), setup_.seed, std::log1p(setup_.margin),
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
  while (const std::optional<Slot> slot = halving_.next()) {
    say_rung();
    const std::string& id = setup_.plan.cases[slot->point].resolved.case_id;
    const auto found = at_.find({id, static_cast<int>(slot->launch)});
    if (found == at_.end()) {
      if (will_hold_too_much(*slot)) continue;
      return slot;
    }
    take(*slot, finished.launches[found->second]);
  }
  say_rung();
  return std::nullopt;
}

void TuneAgenda::take(const Slot& slot, const record::Launch& launch) {
  PointState& point = points_[slot.point];
  const double wall_s = wall_s_of(launch);
  spent_s_ += wall_s;
  ++launches_;
  point.wall_s.push_back(wall_s);
  const Outcome& outcome = launch.row.outcome;
  if (outcome.kind == Outcome::Kind::kSkipped) {
    return take_out(slot.point, Fate::kSkipped, outcome.reason);
  }
  if (outcome.kind == Outcome::Kind::kFailed) {
    if (!ran_out_of_memory(outcome.reason)) {
      return take_out(slot.point, Fate::kFailed, outcome.reason);
    }
    // Where it may hold so much and no more, that is no failure.
    take_out(slot.point, setup_.memory_limit ? Fate::kOverMemory : Fate::kFailed, outcome.reason);
    return take_out_larger(slot.point);
  }
  const double memory_bytes = memory_bytes_of(launch).value_or(0);
  point.memory_bytes = std::max(point.memory_bytes, memory_bytes);
  point.cpu_s_per_1k_samples = cpu_s_per_1k_samples_of(launch);
  const std::optional<double> value = value_of(launch, setup_.objective);
  if (!value) {
    return take_out(slot.point, Fate::kFailed, "gives no number for " + setup_.objective.name);
  }
  Walls& walls = slot.rung == 0 ? brief_walls_ : full_walls_;
  walls.least_s = walls.launches == 0 ? wall_s : std::min(walls.least_s, wall_s);
  walls.sum_s += wall_s;
  walls.launches += 1;
  (slot.rung == 0 ? point.brief : point.full).push_back(*value);
  if (setup_.memory_limit && memory_bytes > *setup_.memory_limit) {
    return take_out(slot.point, Fate::kOverMemory,
                    "held " + text::byte_text(memory_bytes) + ", more than " +
                        text::byte_text(*setup_.memory_limit));
  }
  halving_.take(log_cost(*value, setup_.objective.direction));
}

void TuneAgenda::take_out(std::size_t point, Fate fate, std::string reason) {
  points_[point].fate = fate;
  points_[point].reason = std::move(reason);
  halving_.take_out(point);
}

Halving::Before TuneAgenda::smaller_batches_first() const {
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
    if (halving_.is_out(other) || batch_of(other) <= batch_of(point)) continue;
    if (is_alike_but_for_batch(point, other)) {
      take_out(other, Fate::kNotTried, "a smaller batch ran out of memory");
    }
  }
}

bool TuneAgenda::will_hold_too_much(const Slot& slot) {
  if (!setup_.memory_limit || batch_option_.empty() || !points_[slot.point].wall_s.empty()) {
    return false;
  }
  std::vector<HeldMemory> smaller;
  for (std::size_t other = 0; other < points_.size(); ++other) {
    const double bytes = points_[other].memory_bytes;
    if (bytes <= 0 || batch_of(other) >= batch_of(slot.point)) continue;
    if (is_alike_but_for_batch(slot.point, other)) smaller.push_back({batch_of(other), bytes});
  }
  const auto predicted = predict_memory(smaller, batch_of(slot.point));
  if (!predicted || predicted->bytes <= *setup_.memory_limit) return false;
  take_out(slot.point, Fate::kNotTried,
           "would hold " + text::byte_text(predicted->bytes) + " [" +
               text::byte_text(predicted->interval.low) + ", " +
               text::byte_text(predicted->interval.high) + "] by smaller batches, more than " +
               text::byte_text(*setup_.memory_limit));
  return true;
}

void TuneAgenda::say_rung() {
  const std::vector<Rung>& rungs = halving_.rungs();
  for (; rungs_said_ < rungs.size(); ++rungs_said_) {
    if (rungs[rungs_said_].points.empty() || rungs[rungs_said_ - 1].rounds == 0) continue;
    setup_.say("rung " + std::to_string(rungs_said_) + ": " +
               text::counted(std::ssize(rungs[rungs_said_].points), "point") + " left of " +
               std::to_string(rungs[rungs_said_ - 1].points.size()));
  }
}

double TuneAgenda::first_round_s() const {
  const Walls& walls = brief_walls_.launches > 0 ? brief_walls_ : full_walls_;
  const bool measured = walls.launches > 0;
  const double launches = measured ? walls.launches : static_cast<double>(launches_);
  if (launches == 0) return 0;
  return (measured ? walls.sum_s : spent_s_) / launches * static_cast<double>(points_.size());
}

double TuneAgenda::expected_s(const Slot& slot) const {
  const Walls& walls = full_walls_.launches == 0 ? brief_walls_ : full_walls_;
  const std::vector<double>& own = points_[slot.point].wall_s;
  const double all = spent_s_ / std::max(static_cast<double>(launches_), 1.0);
  const double usual = walls.launches == 0 ? all : walls.sum_s / walls.launches;
  return own.empty() ? usual : std::max(usual, own.back());
}

bool TuneAgenda::is_used_up(const Slot& slot) const {
  const Allowance& allowance = setup_.allowance;
  if (allowance.launches && launches_ + 1 > *allowance.launches) return true;
  if (!allowance.seconds) return false;
  const bool tells = halving_.rounds().empty() && launches_ >= kEnoughToTell;
  return spent_s_ + expected_s(slot) > *allowance.seconds ||
         (tells && first_round_s() > *allowance.seconds);
}

double TuneAgenda::work_of(std::size_t point) const {
  return smallest_batch_ > 0 ? batch_of(point) / smallest_batch_ : 1;
}

OptionValues TuneAgenda::context_of(const Slot& slot) const {
  OptionValues context;
  if (slot.rung == 0 && !setup_.brief.empty()) context = setup_.brief[slot.point];
  const Walls& walls = slot.rung == 0 ? brief_walls_ : full_walls_;
  if (walls.launches == 0) return context;
  const ResolvedCase& resolved = setup_.plan.cases[slot.point].resolved;
  const double limit_s =
      std::max(kTimesTheBest * walls.least_s, kLeastLimitS) * work_of(slot.point);
  if (limit_s < resolved.number_or("limits.wall_s", limit_s)) {
    context.insert_or_assign("limits.wall_s", std::ceil(limit_s));
  }
  return context;
}

std::optional<run::Job> TuneAgenda::next(const record::Results& finished) {
  const std::optional<Slot> slot = catch_up(finished);
  if (!slot || stopped_) return std::nullopt;
  if (is_used_up(*slot)) {
    stopped_ = true;
    halving_.stop();
    return std::nullopt;
  }
  return run::Job{.case_index = slot->point,
                  .launch = static_cast<int>(slot->launch),
                  .block = static_cast<int>(slot->rung),
                  .position = static_cast<int>(slot->position),
                  .note = "rung " + std::to_string(slot->rung),
                  .context = context_of(*slot)};
}

}  // namespace stepbench::tune
