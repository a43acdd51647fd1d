// SPDX-License-Identifier: Apache-2.0
// The measurements and the answer of a search, and its files: bisect.json, for other programs and
// for resuming, and bisect.log, for git. One thread; throws ConfigError.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/bisect/internal/repository.h"
#include "harness/bisect/internal/search.h"
#include "harness/os/descriptor.h"
#include "harness/verdict/comparison.h"

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
  std::size_t repeated = 0;  // pairs measured again: see verdict::is_even()
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
  std::string newer_version = {};  // warning about the file from which it was read
  SearchAnswer answer = SearchAnswer::kOpen;
  std::optional<Culprit> culprit = {};
  std::optional<FoundRange> range = {};
  RelativeChange ends = {};
  std::optional<RelativeChange> elsewhere = {};  // change between the ends beyond the culprit's
  std::optional<double> layout = {};             // layout of a build, relative; nullopt: none
  std::optional<double> known_layout = {};       // from nights, when the search began
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
  verdict::Comparison comparison = {};  // culprit against parent; empty without a culprit
  std::optional<MergedBranch> branch = {};

  [[nodiscard]] bool is_counted() const;  // decided by counts, which do not vary
};

// The files in a search's folder besides launches and programs. bisect.json holds the request, the
// measurements and the answer.

inline constexpr const char* kSearchFile = "bisect.json";
inline constexpr const char* kLogFile = "bisect.log";
inline constexpr std::string_view kSearchSchema = "stepbench.bisect";
inline constexpr std::string_view kSearchVersion = "2.0.0";

// Name of a new search's folder: "20260131-120000-bisect-train".
[[nodiscard]] std::string search_id(const std::string& name);

// Includes the answer as far as known.
[[nodiscard]] std::string search_json(const BisectRun& run);
void write_search_file(const BisectRun& run);  // into the search's folder
// Throws for another major version, naming the version that can read it.
[[nodiscard]] BisectRun read_search_file(const std::filesystem::path& folder);
// While it is held, no other process may resume or delete the search. Throws if it is taken.
[[nodiscard]] os::Descriptor lock_search(const std::filesystem::path& folder);
// False if the search was killed before it wrote its file: it starts from scratch.
[[nodiscard]] bool has_begun(const std::filesystem::path& folder);
// Throws if the search of --resume differs from the requested one.
void check_same_search(const BisectRun& earlier, const BisectRun& asked);
// Input for `git bisect replay`: built commits, good or bad by the answer. Empty for versions.
[[nodiscard]] std::string bisect_log(const BisectRun& run);

}  // namespace stepbench::bisect
