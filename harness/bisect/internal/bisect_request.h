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

struct BisectRequest {
  std::string good;
  std::string bad;
  std::vector<std::string> versions = {};  // instead of commits, in order
  // The experiment and common settings; values may contain {worktree}, {commit}, {version}.
  campaign::ArmsRequest arms = {};
  std::string script = {};  // --python: relative to the repository's top; each commit's own
  std::string build = {};
  std::string worker = {};      // see BuildRequest
  std::string metric = "step";  // or kCounts
  double confidence = 0.95;
  std::optional<double> size = {};    // step looked for, 0.03; nullopt: that of the ends
  std::optional<double> layout = {};  // layout of a build, from nights: sd of a log ratio
  std::size_t jobs = 1;               // number of concurrent builds
  bool merges = false;                // if the culprit is a merge, search its branch, too
  std::optional<std::uint64_t> seed = {};
  std::string results = "results";
  std::string resume = {};  // folder of a search to resume
  campaign::LockPolicy lock = campaign::LockPolicy::kRefuse;
};

// One of the ends cannot be measured.
class NothingMeasured : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

}  // namespace stepbench::bisect
