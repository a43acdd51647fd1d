// SPDX-License-Identifier: Apache-2.0
// Agenda of an A/B campaign: turns slots into jobs of the arms; skips launches in earlier files.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/campaign/internal/planning.h"
#include "harness/run/agenda.h"
#include "harness/verdict/ab_campaign.h"
#include "harness/verdict/tested_metrics.h"

namespace stepbench::campaign {

// A case that cannot be measured here according to the plan: one row, no worker.
struct AbSkip {
  run::Job job = {};
  std::string case_id = {};
};

class AbAgenda final : public run::Agenda {
 public:
  struct Setup {
    verdict::AbDesign design = {};
    std::vector<verdict::AbPoint> points = {};
    std::vector<std::string> labels = {};  // labels of the points, for progress
    std::vector<AbSkip> skips = {};        // emitted first
    std::vector<Metric> columns = {};
    verdict::TestedMetrics tested = verdict::default_metrics();
    std::optional<ProfileRequest> profile = {};  // for each arm of a case whose step changed
    bool profile_all = false;                    // for every measured case
    std::vector<int> counted = {};               // by point: launches of each arm under valgrind
    std::function<void(const std::string&)> print_line = [](const std::string&) {};
    // Replaces the design's rule: decides at a look whether a point has enough pairs.
    std::function<bool(const record::Results&, const verdict::AbPoint&, std::size_t pairs)>
        is_over = {};
  };
  // `earlier`: results of an interrupted campaign. A pair with only one measured half is repeated
  // as a whole, because its halves must be adjacent in time.
  AbAgenda(Setup setup, const record::Results& earlier);

  // Throws ConfigError if the first launches of a case lack a tested metric.
  [[nodiscard]] std::optional<run::Job> next(const record::Results& finished) override;
  [[nodiscard]] std::size_t remaining() const override;

  [[nodiscard]] const verdict::AbCampaign& campaign() const { return campaign_; }
  [[nodiscard]] const std::vector<verdict::AbPoint>& points() const { return setup_.points; }

 private:
  [[nodiscard]] verdict::AbDesign design_of_setup() const;
  [[nodiscard]] record::LaunchKey key_of(const verdict::AbSlot& slot) const;
  // Pairs among the first `most` of a point. They point into `finished`.
  [[nodiscard]] verdict::AbPairs pairs_of(const record::Results& finished, std::size_t index,
                                          std::size_t most) const;
  [[nodiscard]] std::string so_far(const verdict::AbPairs& pairs) const;
  void note_ends(const record::Results& finished);
  void announce_ended_points();
  void check_metrics(std::size_t index, const verdict::AbPairs& pairs);
  [[nodiscard]] std::optional<run::Job> next_profile();
  [[nodiscard]] std::optional<run::Job> next_count();
  // nullopt if the job is done already.
  [[nodiscard]] std::optional<run::Job> job_of_arm(bool b, std::size_t index, run::Job job) const;

  Setup setup_;
  const record::Results* finished_ = nullptr;  // argument of the current call of next()
  verdict::AbCampaign campaign_;
  std::set<record::LaunchKey> done_;
  std::size_t next_skip_ = 0;
  std::size_t seen_ = 0;  // number of launches of `finished` already examined
  std::map<std::string, std::vector<std::size_t>> by_case_;  // indices of launches
  std::map<record::LaunchKey, int>
      not_measured_;  // by case and arm: number of consecutive launches from the first
  std::set<record::LaunchKey> measured_;  // by case and arm
  std::size_t next_profile_ = 0;          // arm by arm, pair by pair, point by point
  std::size_t next_counted_point_ = 0;
  int next_count_ = 0;  // within next_counted_point_, arm by arm
  std::vector<bool> given_up_;
  std::vector<bool> end_announced_;
  std::vector<bool> has_metrics_;  // verified in the first launches of the point
};

}  // namespace stepbench::campaign
