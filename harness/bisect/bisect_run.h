// SPDX-License-Identifier: Apache-2.0
// Measurements and result of a search.
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

// Relative change of one program against another: .03 is 3 % more, with a 95 % interval.
struct RelativeChange {
  double change = 0;
  double low = 0;
  double high = 0;
};
[[nodiscard]] RelativeChange relative(const StepChange& change);

// One finished measurement.
struct JudgedStep {
  std::string base = {};
  std::string commit = {};
  bool built_separately = false;  // both were built only for this measurement
  std::size_t build = 0;          // build number of the commit, from 0
  std::size_t pairs = 0;
  std::size_t repeated = 0;  // pairs measured again: see compare::is_even()
  std::optional<RelativeChange> change = {};
  std::string why_not = {};  // why it could not be built or measured
  std::string folder = {};   // folder of its launches
};

struct Culprit {
  std::string commit = {};
  std::string title = {};
  RelativeChange change = {};
};

// Range that contains the culprit: one of `commits` places up to `last`.
struct FoundRange {
  std::string after = {};  // the last commit known to be good
  std::string last = {};
  std::size_t commits = 0;
  std::size_t skipped = 0;  // number of these that could not be built or measured
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
  std::optional<RelativeChange> elsewhere = {};  // change between the ends beyond the culprit's
  std::optional<double> layout = {};             // layout of a build, relative; nullopt: none
  bool layout_redrawn = true;                    // copies have another layout
  double confidence = 0;
  std::string metric = {};
  std::string counted = {};         // "op_calls": changed in the culprit; decides for `counts`
  std::optional<double> size = {};  // size looked for; nullopt: that of the ends
  std::string build = {};           // the command
  std::size_t builds = 0;
  std::size_t launches = 0;
  double seconds = 0;  // total, including before a resume
  std::vector<JudgedStep> judged = {};
  std::vector<Commit> commits = {};
  std::string repeat = {};             // command that measures the culprit and its parent again
  std::vector<BisectRun> inside = {};  // search of the culprit's branch, if requested

  // Not written to the file.
  std::string changes = {};             // files that the culprit changed
  compare::Comparison comparison = {};  // culprit against parent; empty without a culprit
  std::optional<MergedBranch> branch = {};

  [[nodiscard]] bool is_counted() const;  // decided by counts, which do not vary
};

}  // namespace stepbench::bisect
