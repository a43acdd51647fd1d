// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/nights/lives.h"

namespace stepbench::testing_nights {
namespace {

constexpr std::size_t kFirstNights = 10;
constexpr std::size_t kWatchedForFixed = 60;

double sum_until(const std::vector<Script::Change>& changes, std::size_t night) {
  double sum = 0;
  for (const Script::Change& change : changes) {
    if (change.night <= night) sum += std::log1p(change.by);
  }
  return sum;
}

class LivedSeries {
 public:
  LivedSeries(const Script& script, const World& world, std::uint64_t seed)
      : script_(script),
        machine_(world, seed),
        states_(script.metrics),
        was_green_(script.metrics, true) {
    machine_.begin();
  }

  Life live() {
    for (std::size_t night = 0; night < script_.nights; ++night) {
      build(night);
      if (script_.weekends && night % 7 >= 5) continue;
      if (machine_.unit() < script_.missing) continue;
      life_.nights += script_.metrics;
      ran_.push_back(night);
      if (night >= kFirstNights) ++life_.late_nights;
      if (night == 0 || night == script_.new_reference) reference_ = night;
      if (builds_[night] == builds_[reference_]) {
        for (std::size_t i = 0; i < script_.metrics; ++i)
          end_of(i, states_[i].open ? nights::NightState::kRegression : nights::NightState::kOk);
      } else {
        judge(night);
      }
      if (script_.accept > 0 && night >= script_.accept && states_[0].open && !accepted_) {
        nights::accept(states_[0]);
        accepted_ = true;
      }
    }
    return life_;
  }

 private:
  // Called for every night, including unmeasured ones.
  void build(std::size_t night) {
    const double creep =
        script_.creep != 0 && night >= script_.creep_from
            ? std::log1p(script_.creep) * static_cast<double>(night - script_.creep_from + 1)
            : 0;
    true_.push_back(sum_until(script_.program, night) + creep);
    const bool same =
        night > 0 && true_[night] == true_[night - 1] && machine_.unit() < script_.unchanged;
    builds_.push_back(same ? builds_[night - 1] : night);
    if (same) {
      programs_.push_back(programs_[night - 1]);
      return;
    }
    std::vector<double>& metrics = programs_.emplace_back();
    for (const std::vector<double>& layout :
         of_metrics([&] { return std::vector{machine_.offset_of_a_build()}; }))
      metrics.push_back(true_[night] + layout.front());
  }

  // Draws values for each metric: they share a part.
  template <typename Draw>
  std::vector<std::vector<double>> of_metrics(const Draw& draw) {
    const std::vector<double> common = draw();
    std::vector<std::vector<double>> all = {common};
    if (script_.metrics == 1) return all;
    all.assign(script_.metrics, {});
    for (std::vector<double>& one : all) {
      one = draw();
      for (std::size_t i = 0; i < one.size(); ++i)
        one[i] = std::sqrt(script_.alike) * common[i] + std::sqrt(1 - script_.alike) * one[i];
    }
    return all;
  }

  void judge(std::size_t night) {
    const nights::Tonight tonight{.run = std::to_string(night),
                                  .build = std::to_string(builds_[night]),
                                  .reference = std::to_string(builds_[reference_]),
                                  .reference_run = std::to_string(reference_)};
    const double offset = machine_.offset_of_a_night();
    double spike = 0;
    for (const Script::Change& one : script_.spikes) {
      if (one.night == night) spike = std::log1p(one.by);
    }
    std::vector<nights::SeriesPairs> pairs(script_.metrics, {.first = script_.pairs});
    const auto measure = [&](std::size_t count, double more) {
      const auto noise = of_metrics([&] { return machine_.pairs(0, 0, count); });
      for (std::size_t i = 0; i < script_.metrics; ++i) {
        const double change = programs_[night][i] + offset + more - programs_[reference_][i];
        for (const double each : noise[i]) pairs[i].pairs.push_back(change + each);
      }
    };
    const auto is_suspect = [&] {
      for (std::size_t i = 0; i < script_.metrics; ++i) {
        if (nights::deviation(states_[i], tonight, pairs[i], script_.rule) != 0) return true;
      }
      return false;
    };
    measure(script_.pairs, spike);
    std::size_t fresh = 0;
    while (fresh < nights::kMaxPairs && is_suspect()) {
      const bool owed = fresh == 0 && left_;
      left_ = false;
      if (script_.affords < 1 && !owed && machine_.unit() >= script_.affords) {
        left_ = fresh == 0;
        break;
      }
      measure(nights::kMorePairs, 0);
      fresh += nights::kMorePairs;
    }
    if (night >= kFirstNights) life_.more_pairs += fresh;
    for (std::size_t i = 0; i < script_.metrics; ++i) {
      const nights::SeriesVerdict judged =
          nights::judge(states_[i], tonight, pairs[i], script_.rule);
      if (i == 0) {
        look_for_it(judged, night);
      } else {
        life_.reported += judged.reported && judged.reported->size > 0 ? 1 : 0;
      }
      end_of(i, judged.state);
    }
  }

  void end_of(std::size_t metric, nights::NightState state) {
    const bool red = state == nights::NightState::kRegression;
    if (red) ++life_.red;
    if (red && was_green_[metric]) ++life_.newly_not_green;
    was_green_[metric] = !red;
  }

  void look_for_it(const nights::SeriesVerdict& judged, std::size_t night) {
    if (judged.fixed) {
      const std::vector<Script::Change>& all = script_.program;
      if (found_ && night < found_night_ + kWatchedForFixed) {
        const bool there = true_[night] - true_[found_night_ - 1] > std::log1p(.004);
        if (there) life_.wrongly_fixed = true;
      }
      if (script_.wanted + 1 < all.size() && night >= all[script_.wanted + 1].night &&
          life_.closed_after == 0)
        life_.closed_after = ran_since(all[script_.wanted + 1].night);
    }
    if (!judged.reported || judged.reported->size < 0) return;
    ++life_.reported;
    if (life_.found_after > 0) return;
    const std::size_t from = std::stoul(judged.reported->good);
    const std::size_t to = std::stoul(judged.reported->bad);
    if (script_.creep != 0) {
      life_.found_after = night + 1 - script_.creep_from;
      life_.found_at = std::expm1(true_[night] - true_[script_.creep_from - 1]);
      life_.right_range = true_[to] - true_[from] > std::log1p(.004);
      return;
    }
    if (script_.wanted >= script_.program.size()) return;
    const std::size_t change = script_.program[script_.wanted].night;
    if (night < change) return;
    life_.found_after = ran_since(change);
    life_.right_range = from < change && change <= to;
    life_.size_error = judged.reported->size - std::log1p(script_.program[script_.wanted].by);
    found_ = true;
    found_night_ = change;
  }

  // Number of nights with a run since the change, whose own is 1; nights without a run do not
  // count.
  [[nodiscard]] std::size_t ran_since(std::size_t night) const {
    std::size_t count = 0;
    for (const std::size_t each : ran_) count += each >= night ? 1 : 0;
    return count;
  }

  const Script& script_;
  SimulatedMachine machine_;
  std::vector<nights::SeriesState> states_;         // of each metric
  std::vector<double> true_ = {};                   // by night: without layout
  std::vector<std::size_t> builds_ = {};            // by night: the night of its build
  std::vector<std::vector<double>> programs_ = {};  // by night, of each metric: level and layout
  std::vector<std::size_t> ran_ = {};
  std::size_t reference_ = 0;
  bool found_ = false;
  std::size_t found_night_ = 0;
  bool accepted_ = false;
  bool left_ = false;  // the budget left out fresh pairs last night
  std::vector<bool> was_green_;
  Life life_ = {};
};

}  // namespace

Life live(const Script& script, const World& world, std::uint64_t seed) {
  return LivedSeries(script, world, seed).live();
}

}  // namespace stepbench::testing_nights
