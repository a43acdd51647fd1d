// SPDX-License-Identifier: Apache-2.0
// Rules that option data cannot express: what a combination of options means, forbids or skips.
// Torch-free functions, run by the planner for built-in workloads and by `WORKER check` for others.
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/resolved_case.h"

namespace stepbench {

struct RuleFacts {
  bool cuda_available = false;
  bool device_auto = false;  // the file says `device: auto`
  // The case is one of several: impossible points are merged or skipped, not errors.
  bool swept = false;
  int cores = 1;       // in this process's affinity mask
  bool smoke = false;  // nothing is measured: the schedule stays as short as it is
};

class RuleSink {
 public:
  RuleSink() = default;
  RuleSink(const RuleSink&) = delete;
  RuleSink& operator=(const RuleSink&) = delete;
  virtual ~RuleSink() = default;
  // The file is wrong at this option.
  virtual void error(std::string_view option, std::string reason) = 0;
  virtual void skip(std::string reason) = 0;  // cannot be honoured here: a skipped row
  // Said once under the plan, and beside the results of the case.
  virtual void note(std::string text) = 0;
  // Said under the plan alone: the options of a result show it.
  virtual void plan_note(std::string text) = 0;
  // Whatever its value, the option changes nothing in this case, and the rule has taken it out.
  // `without`: what would make it matter, as in "loader.epochs: separate". Said once of an option
  // that the user gave.
  virtual void no_effect(std::string_view /*option*/, std::string /*without*/) {}
};

// May amend the case (loader.engine becomes inline at num_workers 0 in a sweep) before its id is
// computed.
using Rule = void (*)(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

struct WorkloadRule {
  std::string_view workload;
  Rule rule = nullptr;
};

}  // namespace stepbench
