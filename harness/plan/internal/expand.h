// SPDX-License-Identifier: Apache-2.0
// Expands settings and sweep to ordered cases. One thread.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/plan/internal/case_shape.h"
#include "harness/plan/internal/sweep.h"
#include "harness/plan/plan.h"

namespace stepbench::plan {

// Options without effect, each with the condition that would give it one.
using NoEffect = std::vector<std::pair<std::string, std::string>>;

// "loader.epochs: separate", "loader.num_workers > 0"
[[nodiscard]] std::string text_of(const Requires& need);
// "loader.drop_last and loader.persistent_workers without loader.epochs: separate; ..."
[[nodiscard]] std::string text_of(const NoEffect& no_effect);

struct ExpandRequest {
  const PlanRequest& request;
  std::span<const WorkloadRule> rules;
};

// Turns settings and sweep into the ordered cases of a plan. Call expand() once.
class Expansion {
 public:
  Expansion(const ParseContext& context, const ExpandRequest& request, const Settings& settings,
            const Sweep& sweep);

  // Fills plan.cases, merged, excluded, merged_points and notes. Appends errors to the context's
  // list.
  void expand(Plan& plan);
  // Call after another program's rules have changed options of plan.cases: recomputes ids and
  // merges cases that became equal.
  void identify_again(Plan& plan);
  // Returns file:line:column of the setting of `option` in plan.cases[index]; that of its section
  // or the file if it is not set.
  [[nodiscard]] std::string place_of(std::size_t index, std::string_view option) const;
  [[nodiscard]] RuleFacts facts() const;

 private:
  struct Point;
  [[nodiscard]] const CaseShape& shape_of(const std::vector<PointValue>& values);
  void check_scope();
  void check_setting_scope(const std::string& name, const std::string& where);
  [[nodiscard]] bool is_excluded(const std::vector<PointValue>& values);
  void assemble(const Point& point, Plan& plan, PlannedCase& planned);
  void apply_device(const Point& point, PlannedCase& planned, RuleFacts& facts);
  void report_missing(const Point& point);
  void null_meaningless(const CaseShape& shape, OptionValues& options);
  void has_no_effect(std::string_view option, std::string without);
  void note_ineffective_options(Plan& plan) const;
  void apply_rule(const Point& point, const RuleFacts& facts, Plan& plan, PlannedCase& planned);
  const CaseShape& reshape(const CaseShape& shape, PlannedCase& planned);
  void identify(const CaseShape& shape, PlannedCase& planned);
  void share_options(const CaseShape& shape, OptionValues& options);
  void add_or_merge(const Point& point, Plan& plan, PlannedCase planned);
  [[nodiscard]] std::string place_of_point(std::int64_t point, std::string_view option) const;

  const ParseContext& context_;
  const ExpandRequest& request_;
  const Settings& settings_;
  const Sweep& sweep_;
  CaseShapes shapes_;
  const CaseShape* base_shape_ = nullptr;
  std::set<std::string, std::less<>> selectors_;      // options that determine a case's shape
  std::map<const CaseShape*, OptionValues> typical_;  // the first case of each shape
  std::vector<bool> exclude_used_;
  std::vector<std::int64_t> points_;                         // per case in the plan
  std::unordered_map<std::uint64_t, std::size_t> index_of_;  // case_id -> index in the plan
  std::set<std::string, std::less<>> known_notes_;           // plan.notes
  std::set<std::string, std::less<>> given_;                 // options that the user set
  // State of the current case.
  NoEffect no_effect_;
  struct Ineffective {
    std::string without;
    std::int64_t points = 0;
  };
  std::map<std::string, Ineffective> ineffective_;
  std::int64_t assembled_ = 0;  // points
};

}  // namespace stepbench::plan
