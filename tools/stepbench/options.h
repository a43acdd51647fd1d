// SPDX-License-Identifier: Apache-2.0
// Options that several commands share, each declared once, and checks of values that say what was
// expected. The name of a value is what help shows, and tells completion what to offer: EXPERIMENT,
// FILE, PATH, DIR, RUN, ID, NAME (of `list`), METRIC, COLUMN, KEY, KEY=VALUE, or the values as
// a|b|c.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/report/table.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace stepbench::cli {

// Headings of the groups in which help shows options, in this order.
inline constexpr const char* kArmOptions = "The two arms";
inline constexpr const char* kCaseOptions = "Which cases";
inline constexpr const char* kMeasureOptions = "How to measure";
inline constexpr const char* kVerdictOptions = "The verdict";
inline constexpr const char* kRunOptions = "The run";
inline constexpr const char* kHistoryOptions = "The history";
inline constexpr const char* kOpsOptions = "Table of operations";
inline constexpr const char* kOutputOptions = "Output";
inline constexpr const char* kGeneralOptions = "General";

// What values an option takes; anything else is a usage error that names them.
void expect_one_of(CLI::Option& option, const std::vector<std::string>& names);
void expect_whole_number(CLI::Option& option, std::int64_t min, std::int64_t max);
void expect_number(CLI::Option& option, double min, double max, const std::string& unit);
void expect_folder(CLI::Option& option);

// Of an option that may be given several times, with one value each time.
CLI::Option& add_repeated(CLI::App& command, const std::string& flag,
                          std::vector<std::string>& values, const std::string& doc,
                          const std::string& value_name);

// Which cases. The option of the file is required unless the command changes that.
CLI::Option& add_experiment(CLI::App& command, std::string& file);
void add_set(CLI::App& command, std::vector<std::string>& set,
             const std::string& doc = "Use this value instead of the file's");
void add_sweep(CLI::App& command, std::vector<std::string>& sweep);
void add_filter(CLI::App& command, std::vector<std::string>& filter);
void add_cases(CLI::App& command, std::vector<std::string>& ids);
void add_shard(CLI::App& command, std::string& shard);
void add_max_cases(CLI::App& command, std::int64_t& max_cases);

// How to measure.
void add_launches(CLI::App& command, std::int64_t& launches);
void add_worker(CLI::App& command, std::string& path);
// Sets the variable that names it, for the workers.
void add_interpreter(CLI::App& command, std::vector<std::string>& set);
struct LockFlags {
  bool wait = false;
  bool none = false;
};
void add_lock_flags(CLI::App& command, LockFlags& flags);

// The verdict of `ab` and `compare`.
void add_metric(CLI::App& command, std::vector<std::string>& metrics);
void add_margin(CLI::App& command, std::vector<std::string>& margins);
void add_gate(CLI::App& command, std::optional<bool>& counts);
void add_verdict_flags(CLI::App& command, bool& bootstrap, bool& allow_inconclusive);

// The run and its output.
void add_results(CLI::App& command, std::string& folder, const std::string& doc);
CLI::Option& add_resume(CLI::App& command, std::string& folder);
void add_labels(CLI::App& command, std::vector<std::string>& labels);
void add_quiet(CLI::App& command, bool& quiet);
CLI::Option& add_format(CLI::App& command, std::string& format,
                        const std::vector<std::string>& formats);
// Of a table of cases or runs; the table itself for any other name.
[[nodiscard]] report::Format format_of(const std::string& name);

}  // namespace stepbench::cli
