// SPDX-License-Identifier: Apache-2.0
// Counts the instructions of a step: resolves `profile.counts` of a case for this machine, and
// handles launches under valgrind's callgrind for processors without usable counters. Times of such
// launches are meaningless, so their pass is `wrapped`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/base/resolved_case.h"
#include "harness/machine/devices.h"
#include "harness/plan/plan.h"
#include "harness/record/rows.h"

namespace stepbench::run {

enum class CountEngine : std::uint8_t { kNone, kPerf, kValgrind };
constexpr EnumNames<3> names_of(CountEngine) { return {"none", "perf", "valgrind"}; }

struct CountTools {
  std::string no_counters = {};  // why the processor has no counters; empty: available
  std::string valgrind = {};     // path; empty: not installed
};

// Detects this machine's tools. Does nothing if no case of the plan counts instructions.
[[nodiscard]] CountTools count_tools(const plan::Plan& plan, const machine::Variables& variables);

// Throws ConfigError if the case requests valgrind and it is missing, or with a CUDA device.
[[nodiscard]] CountEngine count_engine(const ResolvedCase& resolved, const CountTools& tools);

// Note to print before the first launch: valgrind counts, or nothing can and why. Throws as above.
[[nodiscard]] std::optional<std::string> count_note(const plan::Plan& plan,
                                                    const CountTools& tools);

// Returns the case to run under valgrind: one window of three steps on one thread, with limits for
// a program that is many times slower.
[[nodiscard]] ResolvedCase counted_case(const ResolvedCase& resolved);

// Callgrind's output files for one launch; each process appends its id.
struct CountFiles {
  std::filesystem::path folder;  // the run's
  std::string stem;              // "CASE-0", "CASE-b-0"
};
inline constexpr std::string_view kCountsFolder = "counts";
[[nodiscard]] CountFiles count_files(const std::filesystem::path& run_dir,
                                     const record::LaunchKey& key);
// Command prefix for the worker.
[[nodiscard]] std::vector<std::string> callgrind_words(const std::string& valgrind,
                                                       const CountFiles& files);
// Returns all instructions that callgrind counted in the worker, and deletes the files of other
// processes. Throws Error if there is no number, or 0.
[[nodiscard]] std::int64_t take_callgrind_total(const CountFiles& files, std::int64_t worker_pid);

// Adds instructions per step and the settings used to the row of a launch under valgrind. Marks the
// launch as failed if the count cannot be read.
void add_counts(const ResolvedCase& counted, const CountFiles& files, std::int64_t worker_pid,
                record::LaunchRow& row);

}  // namespace stepbench::run
