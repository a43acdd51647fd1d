// SPDX-License-Identifier: Apache-2.0
// YAML file -> ordered list of cases: a plan. Selects cases by --filter, --shard and --case, and
// applies the rules of workers, also of one that is not linked in. Throws ConfigError with
// file:line:column; a file with an error is never run. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/resolved_case.h"
#include "harness/base/value.h"
#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"

namespace stepbench::plan {

struct Shard {
  std::int64_t index = 0;  // 0-based; `--shard 1/4` is index 0
  std::int64_t count = 1;
};

// Hard limit of a plan's cases, regardless of --max-cases.
inline constexpr std::int64_t kMostCases = 10'000'000;
// File name that means standard input.
inline constexpr const char* kStandardInput = "-";

// The part of a request that decides which cases there are; the requests of all commands that
// measure an experiment derive from it.
struct PlanRequest {
  std::string file = {};
  // Contents of the file; nullopt: read `file`. Set if there is no file, as for standard input.
  std::optional<std::string> text = {};
  // --set key=value, in order; overrides the file, overridden by the sweep.
  std::vector<std::string> set = {};
  // --sweep key=a,b: adds to the file's sweep or replaces its values of that option.
  std::vector<std::string> sweep = {};
  // --filter key=value: keep cases for which all hold.
  std::vector<std::string> filter = {};
  // --case: keep those whose id begins with one of these.
  std::vector<std::string> cases = {};
  Shard shard = {};
  bool smoke = false;  // launches 1, schedule warmup 1, active 2, wait 0, repeat 1
  bool quick = false;  // launches 2, schedule warmup 3, active 10, wait 0, repeat 1
  std::int64_t max_cases = 100'000;
  bool cuda_available = false;
  int cores = 1;
  // Variables for ${NAME:-default} in values.
  std::vector<std::pair<std::string, std::string>> variables = {};
};

struct PlannedCase {
  ResolvedCase resolved;
  std::optional<std::string> skip = {};  // why it cannot run here: a skipped row
  std::vector<std::string> notes = {};
};

struct Plan {
  std::string name;
  std::filesystem::path file;
  std::string config_text;
  std::string config_hash;
  std::string digest;                // ordered case ids and launches, before --shard and --filter
  std::vector<PlannedCase> cases;    // after shard and filter, in sweep order
  std::vector<std::string> swept;    // options named in the sweep, in file order
  std::vector<std::string> varying;  // those that differ between cases
  std::int64_t merged = 0;           // sweep points equal to an earlier one
  std::int64_t excluded = 0;         // sweep points removed by `exclude`
  std::int64_t total_cases = 0;      // before --shard and --filter
  // Examples of merged points: "loader.num_workers=0 is case 1a2b".
  std::vector<std::string> merged_points = {};
  std::vector<std::string> notes = {};
};

[[nodiscard]] std::vector<std::string> varying_of(const std::vector<std::string>& swept,
                                                  const std::vector<PlannedCase>& cases);

// Name of the file in messages: "sweep.yaml", or "standard input".
[[nodiscard]] std::string source_name(const std::filesystem::path& file);

[[nodiscard]] Plan make_plan(const PlanRequest& request, const Catalogue& catalogue,
                             std::span<const WorkloadRule> rules);

// Keeps cases whose id begins with one of `ids`; throws ConfigError for one without a match.
void keep_cases(Plan& plan, const std::vector<std::string>& ids);

// Rules of a worker that is not linked in: called once for all cases of a plan. Its answers are
// mapped to file:line:column like those of built-in rules.

// One answer per case, in order. Called at most once per plan, with the cases before --filter and
// --shard.
using ForeignCheck = std::function<std::vector<CheckAnswer>(std::span<const ResolvedCase> cases,
                                                            const RuleFacts& facts)>;

// make_plan() with the rules of another program, after `rules` of this one. Empty `check`: the
// worker has no `check`. It is only called if a case `concerns` it; null: every case does.
[[nodiscard]] Plan make_checked_plan(const PlanRequest& request, const Catalogue& catalogue,
                                     const ForeignCheck& check,
                                     std::span<const WorkloadRule> rules = {},
                                     bool (*concerns)(const ResolvedCase& resolved) = nullptr);

// An experiment of one case from one with a sweep: the file's own settings, or a point of the
// sweep.

// Returns `text` as YAML without its sweep and comments, with settings replaced by `set` (in the
// form of --set) and then by `values`, by full name. Throws ConfigError for invalid YAML, with
// `source` as its location, and for unknown names.
[[nodiscard]] std::string fixed_experiment(const std::string& text, const std::string& source,
                                           const Catalogue& catalogue,
                                           std::span<const std::string> set, const Fields& values);

// Torch's names in NAME=VALUE settings that a plan has accepted, translated to names of options.
[[nodiscard]] std::vector<std::string> translated_settings(const std::vector<std::string>& set,
                                                           const Catalogue& catalogue);

}  // namespace stepbench::plan
