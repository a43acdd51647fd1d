// SPDX-License-Identifier: Apache-2.0
// What a search has measured and found.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/bisect/repository.h"
#include "harness/bisect/search.h"
#include "harness/compare/comparison.h"

namespace stepbench::bisect {

// Of one program against another, relative: .03 is 3 % more. The interval is of 95 %.
struct RelativeChange {
  double change = 0;
  double low = 0;
  double high = 0;
};
[[nodiscard]] RelativeChange relative(const StepChange& change);

// One measurement as it ended.
struct JudgedStep {
  std::string base = {};
  std::string commit = {};
  bool apart = false;     // both were built for this alone
  std::size_t build = 0;  // of the commit, counted from 0
  std::size_t pairs = 0;
  std::size_t repeated = 0;  // pairs that were measured again: see compare::is_even()
  std::optional<RelativeChange> change = {};
  std::string why_not = {};  // why it could not be built or measured
  std::string folder = {};   // of its launches
};

struct Culprit {
  std::string commit = {};
  std::string title = {};
  RelativeChange change = {};
};

// Where the culprit is: one of `commits` places up to `last`.
struct FoundRange {
  std::string after = {};  // the last one that is as good
  std::string last = {};
  std::size_t commits = 0;
  std::size_t left_out = 0;  // of these
  double chance = 0;
};

struct BisectRun {
  int exit_status = 0;
  std::optional<int> signal = {};
  std::filesystem::path folder = {};
  SearchAnswer answer = SearchAnswer::kOpen;
  std::optional<Culprit> culprit = {};
  std::optional<FoundRange> range = {};
  RelativeChange ends = {};
  std::optional<RelativeChange> elsewhere = {};  // that the ends show beyond the culprit
  std::optional<double> layout = {};             // of a build, relative; nullopt: it has none
  bool drawn_anew = true;                        // copies have another layout
  double confidence = 0;
  std::string metric = {};
  std::string counted = {};  // "op_calls": it moved in the culprit; of metric `counts` it is judged
  std::optional<double> size = {};  // that was looked for; nullopt: that of the ends
  std::string build = {};           // the command
  std::size_t builds = 0;
  std::size_t launches = 0;
  double seconds = 0;  // of all that was done, also before it was cut off
  std::vector<JudgedStep> judged = {};
  std::vector<Commit> commits = {};
  std::string repeat = {};             // the command that measures culprit and its parent again
  std::vector<BisectRun> inside = {};  // the search of the culprit's branch, where it was asked for

  // Not in the file.
  std::string changes = {};             // files of the culprit
  compare::Comparison comparison = {};  // of culprit and parent; without cases unless one is named
  std::optional<MergedBranch> branch = {};  // that the culprit merged

  [[nodiscard]] bool is_counted() const;  // the answer is by counts, which do not vary
};

}  // namespace stepbench::bisect
