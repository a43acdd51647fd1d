// SPDX-License-Identifier: Apache-2.0
// What a search is asked for.
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
  std::vector<std::string> versions = {};  // in place of commits, in their order
  // The experiment, and what both sides have; a value may hold {worktree}, {commit}, {version}.
  campaign::ArmsRequest arms = {};
  std::string script = {};  // of --python: relative to the repository's top, that of each commit
  std::string build = {};
  std::string worker = {};      // see BuildRequest
  std::string metric = "step";  // or kCounts
  double confidence = 0.95;
  std::optional<double> size = {};    // of the step looked for, 0.03; nullopt: that of the ends
  std::optional<double> layout = {};  // of a build, as nights learnt it: a log ratio's sd
  std::size_t jobs = 1;               // builds beside each other
  bool merges = false;                // a merge that is the culprit is searched too
  std::optional<std::uint64_t> seed = {};
  std::string results = "results";
  std::string resume = {};  // the folder of a search to go on with
  campaign::LockPolicy lock = campaign::LockPolicy::kRefuse;
};

// A side that has to be measured cannot be.
class NothingMeasured : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

}  // namespace stepbench::bisect
