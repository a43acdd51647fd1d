// SPDX-License-Identifier: Apache-2.0
// Rules that option data cannot express: the meaning of a combination of options, or why it is
// rejected or skipped. Torch-free functions, run by the planner for built-in workloads and by
// `WORKER check` for others. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/base/resolved_case.h"
#include "harness/base/value.h"

namespace stepbench {

struct RuleFacts {
  bool cuda_available = false;
  bool device_auto = false;  // the file has `device: auto`
  // The case is one of several: impossible points are merged or skipped, not errors.
  bool swept = false;
  int cores = 1;       // in this process's affinity mask
  bool smoke = false;  // without measurement: the schedule is not extended
};

class RuleSink {
 public:
  RuleSink() = default;
  RuleSink(const RuleSink&) = delete;
  RuleSink& operator=(const RuleSink&) = delete;
  virtual ~RuleSink() = default;
  // Reports an invalid option of the file.
  virtual void error(std::string_view option, std::string reason) = 0;
  virtual void skip(std::string reason) = 0;  // cannot be measured here: a skipped row
  // Printed once under the plan, and next to the results of the case.
  virtual void note(std::string text) = 0;
  // Printed under the plan only: a result shows it by its options.
  virtual void plan_note(std::string text) = 0;
  // The option has no effect in this case, whatever its value, and the rule has removed it.
  // `without`: the setting that would give it an effect, as in "loader.epochs: separate". Reported
  // once per option that the user set.
  virtual void no_effect(std::string_view /*option*/, std::string /*without*/) {}
};

// The rules' answer to one case; `WORKER check` prints it as a line.
struct CheckAnswer {
  enum class Kind : std::uint8_t { kOk, kSkip, kError };
  Kind kind = Kind::kOk;
  std::string option = {};
  std::string reason = {};
  std::vector<std::string> notes = {};
  std::vector<std::string> plan_notes = {};  // not shown with results
  // Changed by the rules, by full name. Step counts may be apart, in `schedule`: the first
  // controllers accept only these.
  Fields schedule = {};
  Fields options = {};
};
constexpr EnumNames<3> names_of(CheckAnswer::Kind) { return {"ok", "skip", "error"}; }

// May change the case before its id is computed (in a sweep, loader.engine becomes inline at
// num_workers 0).
using Rule = void (*)(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

struct WorkloadRule {
  std::string_view workload;
  Rule rule = nullptr;
};

}  // namespace stepbench
