// SPDX-License-Identifier: Apache-2.0
// What a search has measured and found.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/bisect/bisection.h"
#include "harness/bisect/repository.h"
#include "harness/compare/comparison.h"

namespace stepbench::bisect {

// One comparison as it ended.
struct JudgedStep {
  SearchStep step = {};
  Side side = Side::kOpen;  // of kCommit; of kCulprit whether fresh pairs say the same
  std::size_t pairs = 0;
  Ends change = {};                   // its log ratio
  std::string why_not = {};           // why it could not be built or measured
  std::filesystem::path folder = {};  // of its launches
  // The count that told the side, where times are looked for: `change` is its log ratio then.
  std::string counted = {};
};

struct BisectRun {
  int exit_status = 0;
  std::optional<int> signal = {};
  std::filesystem::path folder = {};
  std::vector<Commit> commits = {};
  std::vector<JudgedStep> judged = {};
  SearchAnswer answer = SearchAnswer::kOpen;
  std::size_t good = 0;  // places in `commits`
  std::size_t bad = 0;
  Ends ends = {};
  Ends culprit = {};
  std::optional<Ends> rest = {};
  double confidence = 0;
  std::string metric = {};
  std::string counted = {};         // of `counts`: the one that moved, "op_calls"
  std::optional<double> size = {};  // log ratio that was looked for; nullopt: that of the ends
  std::string build = {};           // the command
  std::string changes = {};         // files of the culprit
  std::string repeat = {};  // the command that measures culprit and the commit before it again
  compare::Comparison comparison = {};  // of these two; without cases unless one was named
  std::size_t builds = 0;
  std::size_t launches = 0;
  double seconds = 0;                       // of all that was done, also before it was cut off
  std::optional<MergedBranch> branch = {};  // that the culprit merged
  std::vector<BisectRun> inside = {};       // the search of that branch, where it was asked for
};

}  // namespace stepbench::bisect
