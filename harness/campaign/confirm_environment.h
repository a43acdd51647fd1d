// SPDX-License-Identifier: Apache-2.0
// Whether something else than the program changed under a confirmation: software or machine, by
// what the nights recorded and what the workers of the campaign say now. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/value.h"
#include "harness/record/reader.h"

namespace stepbench::campaign {

struct EnvironmentChange {
  std::string field = {};
  std::string then = {};  // "none": not set
  std::string now = {};
};

// What of a launch's environment begins a new segment of its series, or another series. What only
// one side tells of is left out, but for variables (env.*): not told means not set.
[[nodiscard]] std::vector<EnvironmentChange> environment_changes(const record::LaunchRow& launch,
                                                                 const Fields& then,
                                                                 const Fields& now);

// What tonight's run recorded of its worker; an empty one is not looked at. Where the last good
// night ran does not matter: both programs run here, now, so that what differs is the program.
struct RecordedEnvironments {
  Fields tonight = {};
  // Fields that the cases set themselves: a night's differ from case to case.
  std::set<std::string, std::less<>> of_cases = {};
};

// Looks at the workers of a campaign as they come.
class EnvironmentWatch {
 public:
  explicit EnvironmentWatch(RecordedEnvironments recorded) : recorded_(std::move(recorded)) {}
  // A sentence, without a full stop: what changed under the programs; nullopt: nothing so far.
  [[nodiscard]] std::optional<std::string> operator()(const record::Results& finished);

 private:
  [[nodiscard]] std::optional<std::string> look_at(const record::LaunchRow& launch,
                                                   const Fields& now);

  RecordedEnvironments recorded_;
  std::size_t seen_ = 0;                            // launches looked at
  std::map<std::string, Fields, std::less<>> now_;  // by arm, of its first worker
};

}  // namespace stepbench::campaign
