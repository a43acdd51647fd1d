// SPDX-License-Identifier: Apache-2.0
// Counting the instructions of a step: what `profile.counts` of a case comes to on this machine,
// and launches under valgrind's callgrind, which count where the processor does not. Their times
// say nothing: the pass is `wrapped`.
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
  std::string no_counters = {};  // why the processor counts nothing; empty: it does
  std::string valgrind = {};     // its path; empty: it is not installed
};

// Of this machine. Looks at nothing where no case of the plan counts instructions.
[[nodiscard]] CountTools count_tools(const plan::Plan& plan, const machine::Variables& variables);

// Throws ConfigError where the case asks for valgrind and there is none, or for a CUDA device under
// it.
[[nodiscard]] CountEngine count_engine(const ResolvedCase& resolved, const CountTools& tools);

// What to say before the first launch: that valgrind counts, or that nothing does and why. Throws
// as above.
[[nodiscard]] std::optional<std::string> count_note(const plan::Plan& plan,
                                                    const CountTools& tools);

// What a launch under valgrind measures of the case: one window of three steps on one thread, with
// limits for a program that is many times slower.
[[nodiscard]] ResolvedCase counted_case(const ResolvedCase& resolved);

// Where callgrind writes for one launch; a process adds its id.
struct CountFiles {
  std::filesystem::path folder;  // of the run
  std::string stem;              // "CASE-0", "CASE-b-0"
};
inline constexpr std::string_view kCountsFolder = "counts";
[[nodiscard]] CountFiles count_files(const std::filesystem::path& run_dir,
                                     const record::LaunchKey& key);
// Words before the worker's command line.
[[nodiscard]] std::vector<std::string> callgrind_words(const std::string& valgrind,
                                                       const CountFiles& files);
// All instructions that callgrind counted in the worker, and leaves no file of other processes.
// Throws Error where it wrote no number, or 0.
[[nodiscard]] std::int64_t take_callgrind_total(const CountFiles& files, std::int64_t worker_pid);

// Puts the number of instructions per step, and what was in force, into the row of a launch under
// valgrind. One that cannot be read makes the launch failed.
void add_counts(const ResolvedCase& counted, const CountFiles& files, std::int64_t worker_pid,
                record::LaunchRow& row);

}  // namespace stepbench::run
