// SPDX-License-Identifier: Apache-2.0
// The user's request for a search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/campaign/run_ab.h"

namespace stepbench::bisect {

// The experiment and common settings, whose values may contain {worktree}, {commit}, {version};
// `worker` is in the tree of a commit, see BuildRequest.
struct BisectRequest : campaign::AbRequest {
  std::string good = {};
  std::string bad = {};
  std::vector<std::string> versions = {};  // instead of commits, in order
  std::string script = {};  // --python: relative to the repository's top; each commit's own
  std::string build = {};
  std::string metric = "step";  // or kCounts
  double confidence = 0.95;
  std::optional<double> size = {};    // step looked for, 0.03; nullopt: that of the ends
  std::optional<double> layout = {};  // layout of a build, from nights: sd of a log ratio
  std::size_t jobs = 1;               // number of concurrent builds
  bool merges = false;                // if the culprit is a merge, search its branch, too
};

// One of the ends cannot be measured.
class NothingMeasured : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

}  // namespace stepbench::bisect
