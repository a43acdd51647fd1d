// SPDX-License-Identifier: Apache-2.0
// Options shared by several commands, each declared once. The name of a value is shown in help and
// tells completion what to offer: EXPERIMENT, FILE, PATH, DIR, RUN, ID, NAME (of `list`), METRIC,
// COLUMN, KEY, KEY=VALUE, or the values as a|b|c.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/campaign/run_experiment.h"
#include "harness/report/result_tables.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

// Headings of the option groups in help, in this order; kGeneralOptions comes last.
inline constexpr const char* kOptions = "Options";
inline constexpr const char* kArmOptions = "The two arms";
inline constexpr const char* kCaseOptions = "Which cases";
inline constexpr const char* kMeasureOptions = "How to measure";
inline constexpr const char* kVerdictOptions = "The verdict";
inline constexpr const char* kRunOptions = "The run";
inline constexpr const char* kHistoryOptions = "The history";
inline constexpr const char* kOpsOptions = "Table of operations";

// Which cases.
CommandOption& add_experiment(Command& command, std::string& file);
// --set, --sweep, --filter, --case, --shard (for a given `shard`) and --max-cases.
inline constexpr const char* kSetDoc = "Use this value instead of the file's";
void add_which_cases(Command& command, plan::PlanRequest& request, std::string* shard = nullptr,
                     const std::string& set_doc = kSetDoc);
void add_set(Command& command, std::vector<std::string>& set, const std::string& doc = kSetDoc);
void add_sweep(Command& command, std::vector<std::string>& sweep);
void add_filter(Command& command, std::vector<std::string>& filter);
void add_cases(Command& command, std::vector<std::string>& ids);

// How to measure.
void add_launches(Command& command, std::int64_t& launches);
void add_worker(Command& command, std::string& path);
// Passes the interpreter to the workers in an environment variable. Call after add_set(), which
// replaces the list.
void add_interpreter(Command& command, std::vector<std::string>& set);
// --ranks, --launcher and --launcher-args. Call after add_set(), too.
void add_ranks(Command& command, std::vector<std::string>& set);
void add_lock_flags(Command& command, campaign::LockPolicy& lock);
// `default_seed`: how it is chosen otherwise.
void add_seed(Command& command, std::optional<std::uint64_t>& seed,
              const std::string& default_seed);

// The verdict of `ab` and `compare`.
// Returns the option `allow`, which turns some gates into warnings.
CommandOption& add_verdict_rule(Command& command, campaign::VerdictRequest& request,
                                const std::string& allow, const std::string& doc);

// The run and its output.
void add_results(Command& command, std::string& folder, const std::string& doc);
CommandOption& add_resume(Command& command, std::string& folder);
void add_labels(Command& command, std::vector<std::string>& labels);
void add_quiet(Command& command, bool& quiet);
CommandOption& add_format(Command& command, std::string& format,
                          const std::vector<std::string>& formats);
// Format of a table of cases or runs; kTable for any other name.
[[nodiscard]] report::Format format_of(const std::string& name);

}  // namespace stepbench::cli
