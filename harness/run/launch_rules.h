// SPDX-License-Identifier: Apache-2.0
// What the numbers of a worker must satisfy to count as a measurement: PROTOCOL.md, "What is
// checked". One object for one launch, one thread; every member throws Error naming the number.
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
  std::string catalogue_digest = {};  // of the options that the plan was made with; empty: any
  std::set<std::string, std::less<>> columns = {};  // that samples may have; empty: any
  std::set<std::string, std::less<>> phases = {};   // on the host: they sum to step_ns
  std::optional<std::int64_t> active = {};          // steps of a window, where that is fixed
  std::int64_t cycles = 0;                          // that were asked for; 0: not fixed
  // Numbers in samples and ops together: what a worker may make the controller hold.
  std::int64_t max_cells = std::numeric_limits<std::int64_t>::max();
};

// From the options schedule.* and the columns that the run declares.
[[nodiscard]] LaunchRules launch_rules(const ResolvedCase& resolved, Pass pass,
                                       const record::ColumnRow& columns);

class LaunchCheck {
 public:
  explicit LaunchCheck(LaunchRules rules) : rules_(std::move(rules)) {}

  void hello(const protocol::Hello& message);
  // False for a worker that was built with other options than the plan.
  [[nodiscard]] bool has_our_options(const protocol::Hello& message) const;
  void stage(const protocol::StageMessage& message) const;
  void cycle(const protocol::CycleMessage& message);
  void samples(const record::CycleSamples& message);
  void ops(const ops::OpFrame& message);
  // `age_ns`: since the worker was started.
  void launch(const record::LaunchReport& report, std::int64_t age_ns) const;

 private:
  struct Cycle {
    std::optional<std::int64_t> said;  // steps, by its `cycle` message
    std::int64_t steps = 0;
    std::map<std::int64_t, std::int64_t> parts = {};  // first to last index
  };
  void count_cells(std::size_t rows, std::size_t columns);
  void check_indices(const record::CycleSamples& message, Cycle& cycle) const;
  void check_windows(const record::LaunchReport& report) const;

  LaunchRules rules_;
  bool newer_ = false;     // may have columns that this program does not know
  bool scripted_ = false;  // its clock is none of this machine
  std::int64_t cells_ = 0;
  std::int64_t step_ns_ = 0;  // sum of all
  std::map<std::int64_t, Cycle> cycles_;
};

}  // namespace stepbench::run
