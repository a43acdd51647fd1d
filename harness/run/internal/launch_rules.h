// SPDX-License-Identifier: Apache-2.0
// Checks that a worker's numbers can be a measurement: PROTOCOL.md, "What is checked". One object
// per launch, one thread; every member throws Error naming the number.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "harness/base/resolved_case.h"
#include "harness/protocol/messages.h"

namespace stepbench::run {

struct LaunchRules {
  std::string catalogue_digest = {};                // digest of the plan's catalogue; empty: any
  std::set<std::string, std::less<>> columns = {};  // columns allowed in samples; empty: any
  std::set<std::string, std::less<>> phases = {};   // host phases, which sum to step_ns
  std::optional<std::int64_t> active = {};          // steps per window, if fixed
  std::int64_t cycles = 0;                          // requested cycles; 0: not fixed
  // Limit on the numbers in samples and ops together, and so on the controller's memory.
  std::int64_t max_cells = std::numeric_limits<std::int64_t>::max();
};

// Derived from the options schedule.* and the columns that the run declares.
[[nodiscard]] LaunchRules launch_rules(const ResolvedCase& resolved, Pass pass,
                                       const record::ColumnRow& columns);

class LaunchCheck {
 public:
  explicit LaunchCheck(LaunchRules rules) : rules_(std::move(rules)) {}

  void hello(const protocol::Hello& message);
  // Returns false for a worker that was built with other options than the plan.
  [[nodiscard]] bool has_our_options(const protocol::Hello& message) const;
  void stage(const protocol::StageMessage& message) const;
  void cycle(const protocol::CycleMessage& message);
  void samples(const record::CycleSamples& message);
  void ops(const ops::OpFrame& message);
  // `age_ns`: since the worker's start.
  void launch(const record::LaunchReport& report, std::int64_t age_ns) const;

 private:
  struct Cycle {
    std::optional<std::int64_t> reported_steps;  // number of steps in its `cycle` message
    std::int64_t steps = 0;
    std::map<std::int64_t, std::int64_t> parts = {};  // first -> last index
  };
  void count_cells(std::size_t rows, std::size_t columns);
  void check_indices(const record::CycleSamples& message, Cycle& cycle) const;
  void check_windows(const record::LaunchReport& report) const;

  LaunchRules rules_;
  bool newer_ = false;     // newer protocol: may send unknown columns
  bool scripted_ = false;  // its clock is not this machine's
  std::int64_t cells_ = 0;
  std::int64_t step_ns_ = 0;  // sum over all steps
  std::map<std::int64_t, Cycle> cycles_;
};

}  // namespace stepbench::run
