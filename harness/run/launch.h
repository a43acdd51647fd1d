// SPDX-License-Identifier: Apache-2.0
// Launches: of one worker (internal/worker_launch.h), of a group of ranks, and under another
// program such as a profiler or valgrind. A launcher starts the ranks of a group, each of which
// measures the case in a fresh worker process. They connect over TCP with a shared secret token. If
// a rank fails, is killed, hangs or never joins, all ranks are ended and the first cause is
// reported. On return, no local process started here is left, and ranks on other machines have been
// asked to end. Main thread only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/base/resolved_case.h"
#include "harness/catalogue/launchers.h"
#include "harness/machine/environment.h"
#include "harness/plan/plan.h"
#include "harness/record/rows.h"
#include "harness/run/internal/group_result.h"
#include "harness/run/internal/launchers.h"
#include "harness/run/internal/worker_launch.h"

namespace stepbench::run {

struct GroupRequest {
  LaunchRequest worker;  // run by each rank; `spawn.environment` is also the launcher's
  const catalogue::Launcher& launcher;
  int ranks = 2;
  std::vector<std::string> launcher_words = {};  // the launcher's command line
  std::string bind = "auto";                     // see run::listen_for_ranks()
  std::string build = {};                        // build id of the program that the launcher starts
  machine::Variables set = {};                   // added to the launcher's environment by options
  std::vector<std::string> unset = {};           // variables that a worker must not inherit
};

// Throws ConfigError if the launcher cannot be run at all.
[[nodiscard]] GroupResult run_group(const GroupRequest& request, const LaunchContext& context);

// The process that a launcher starts on each rank of a group. It connects to the controller, starts
// the requested worker, relays lines between the two, and ends all that the worker started when the
// worker ends, the connection closes or a signal arrives. No process of a group outlives its
// controller on any machine. Main thread only, no other threads.

// `words`: those behind kRankCommand, a launcher and, for one that starts no processes itself, the
// number of ranks to start as children of this process, which end with it. `build`: of this
// program; the controller rejects a different one. Returns the exit status. Throws Error if the
// environment names no controller, or it does not answer.
[[nodiscard]] int run_rank(std::span<const std::string> words, const machine::Variables& variables,
                           const std::string& build);

// A command line that wraps the worker's, such as a profiler. Throws ConfigError.

// Splits a command line as a shell would: at blanks; '...', "..." and backslashes quote. Throws
// ConfigError with `where` for an unterminated quote.
[[nodiscard]] std::vector<std::string> split_command(std::string_view line,
                                                     const std::string& where);

// Replaces {name} by its value; throws ConfigError for an unknown name, listing the known ones.
[[nodiscard]] std::vector<std::string> fill_in(
    const std::vector<std::string>& words,
    const std::vector<std::pair<std::string, std::string>>& values, const std::string& where);

// Names allowed in braces in --wrap, with their values for a launch.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> wrap_values(
    const std::string& run_dir, const std::string& case_id, int launch);

// Throws ConfigError before the first launch for an unknown name in braces or a missing program.
void check_wrap(const std::vector<std::string>& words, const machine::Variables& variables);

// Returns what a wrapper lacks to see the measured steps without ending the worker; nullopt if
// nothing.
[[nodiscard]] std::optional<std::string> wrap_warning(const std::vector<std::string>& words);

// Counts the instructions of a step: resolves `profile.counts` of a case for this machine, and
// handles launches under valgrind's callgrind for processors without usable counters. Times of such
// launches are meaningless, so their pass is `wrapped`.

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
