// SPDX-License-Identifier: Apache-2.0
// Whether something else than the program changed under a confirmation: software or machine, by
// what the nights recorded and what the workers of the campaign say now. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/value.h"
#include "harness/record/reader.h"

namespace stepbench {

struct EnvironmentChange {
  std::string field = {};
  std::string then = {};  // "-": none
  std::string now = {};
};

// Fields that may explain a change of speed. Readings that are new every night, a kernel's patch
// level and what only one side tells of (but for env.*, where that means: not set) are left out.
// `on_gpu`: else a GPU's model and driver do not matter.
[[nodiscard]] std::vector<EnvironmentChange> environment_changes(const Fields& then,
                                                                 const Fields& now, bool on_gpu);

// "torch was 2.9.0 and is now 2.10.0; gpu.driver was 550.1 and is now 560.2"
[[nodiscard]] std::string words_of(const std::vector<EnvironmentChange>& changes);

// What the two nights recorded; an empty one is not looked at.
struct RecordedEnvironments {
  Fields good = {};     // arm A's
  Fields tonight = {};  // arm B's
  bool on_gpu = false;
  // Fields that the cases set themselves: a night's differ from case to case.
  std::set<std::string, std::less<>> of_cases = {};
};

// Looks at the workers of a campaign as they come. A sentence, without a full stop: what changed
// under the programs; nullopt: nothing so far.
class EnvironmentWatch {
 public:
  explicit EnvironmentWatch(RecordedEnvironments recorded) : recorded_(std::move(recorded)) {}
  [[nodiscard]] std::optional<std::string> operator()(const Results& finished);

 private:
  RecordedEnvironments recorded_;
  std::size_t seen_ = 0;                            // launches looked at
  std::map<std::string, Fields, std::less<>> now_;  // by arm, of its first worker
};

}  // namespace stepbench
