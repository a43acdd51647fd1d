// SPDX-License-Identifier: Apache-2.0
// The lines of a result file as values. Schema "stepbench.result" 1.x; see results/SCHEMA.md. A
// minor version may add fields, columns and kinds, but never changes a meaning or a unit.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/launch_outcome.h"
#include "harness/base/named_values.h"
#include "harness/base/option_values.h"
#include "harness/base/pass.h"
#include "harness/base/series.h"
#include "harness/base/value.h"
#include "harness/catalogue/catalogue.h"
#include "harness/ops/op_table.h"
#include "harness/record/internal/finding_list.h"

namespace stepbench::record {

inline constexpr std::string_view kResultSchema = "stepbench.result";
inline constexpr int kResultMajor = 1;
inline constexpr int kResultMinor = 9;
inline constexpr std::string_view kResultVersion = "1.9.0";

// The arm of launches of a night's reference program: not a side of a comparison, and not a point.
inline constexpr std::string_view kReferenceArm = "reference";

// Unique key of a launch within a run, used by resume and readers.
struct LaunchKey {
  std::string case_id = {};
  std::string arm = {};  // "" outside `ab`, except kReferenceArm
  Pass pass = Pass::kTiming;
  int launch = 0;
  int rank = 0;
  auto operator<=>(const LaunchKey&) const = default;
};

// Request of the command line, so that a run can be continued from its folder alone.
struct CommandLine {
  std::string folder = {};  // base of the experiment's relative paths
  std::vector<std::string> set = {};
  std::vector<std::string> sweep = {};
  std::vector<std::string> filter = {};
  std::vector<std::string> cases = {};  // prefixes of ids
  std::string worker = {};              // as given; empty: the built-in one
};

// Kind "run": one per file, first line. Controller facts.
struct RunRow {
  std::string run_id = {};
  std::string name = {};  // experiment's name
  std::string stepbench_version = {};
  std::string started_utc = {};  // 2026-01-31T12:00:00Z
  std::vector<std::string> argv = {};
  std::string config_path = {};
  std::string config_text = {};
  std::string config_hash = {};
  std::string plan_digest = {};  // ordered case ids and launches; checked by --resume
  std::int64_t cases = 0;
  // Full names of the swept options, as written.
  std::vector<std::string> swept = {};
  bool smoke = false;
  CommandLine asked = {};
  Fields labels = {};               // --label key=value; since 1.6
  Fields context = {};              // host, git, shard, seed, ...
  int schema_minor = kResultMinor;  // schema of its file
};

// True for `run --quick`: a smoke run whose numbers are shown.
[[nodiscard]] bool is_first_look(const RunRow& run);
// The command line of the run, without --quick.
[[nodiscard]] std::vector<std::string> command_of_measurement(const RunRow& run);

// Kind "columns": every metric of this file, declared once; readers need no catalogue.
struct ColumnRow {
  std::vector<Metric> columns = {};
  // For files of a later minor version: unreadable parts, in sentences.
  std::vector<std::string> skipped_columns = {};
};

// Kind "worker": the software and device environment that launches refer to by worker_id.
struct WorkerRow {
  std::string worker_id = {};  // hash of the rest
  std::string path = {};
  std::string build_id = {};
  // CPU, GPU, driver, torch, kernel, governor, cgroup limits, threads, allocator
  Fields environment = {};
};

// Kind "start": a launch has begun. Without a launch line, its process died.
struct StartRow {
  LaunchKey key = {};
  int place = 0;  // index of the case in its plan; the order of table rows
  int attempt = 0;
  std::string started_utc = {};
  OptionValues options = {};  // swept options
  std::size_t run = 0;        // read from a file: index in Results::runs
  bool running = false;       // the program that wrote it is still running
};

// Consecutive active steps of one cycle, at most 16,384. Columns named *_ns are in nanoseconds.
struct CycleSamples {
  std::int64_t cycle = 0;
  Series steps = {};
};
inline constexpr std::size_t kMaxStepsPerSamplesRow = 16384;

// Kind "samples". Valid only if the launch line follows.
struct SamplesRow {
  LaunchKey key = {};
  CycleSamples samples = {};
};

// Kind "ops": part of the operations recorded by a profiled launch. Valid only if the launch line
// follows.
struct OpsRow {
  LaunchKey key = {};
  ops::OpFrame frame = {};
};

// The worker's report of a finished launch.
struct LaunchReport {
  using Metrics = NamedValues<std::optional<double>>;
  Fields effective = {};  // options actually in force, by full name
  // stop_reason count|precision|wall_limit|error, cycles, active, warmup, warmup_verdict
  Fields schedule = {};
  Metrics metrics = {};                 // by Metric name; nullopt: not finite
  Fields fingerprint = {};              // loss, gradient_norm
  std::vector<std::string> flags = {};  // integrity: truncated, warmup_too_short, clock_ties, ...
  std::vector<std::string> notes = {};  // for people
  FindingList findings = {};
};

// Kind "launch": commits the samples of its key.
struct LaunchRow {
  LaunchKey key = {};
  std::string point_id = {};
  std::string workload = {};
  std::string worker_id = {};
  int world = 1;
  int block = 0;
  int position = 0;  // in order of execution
  int place = 0;     // index of the case in its plan
  int attempt = 0;
  bool smoke = false;
  Outcome outcome = {};
  std::string stage = {};     // if it failed: set_up, warmup, active, ...
  OptionValues options = {};  // as requested, by full name
  LaunchReport report = {};
  Fields machine = {};  // observed from outside by the controller
  std::string started_utc = {};
  std::int64_t wall_ns = 0;  // spawn to reaped
  // First and last 32 KiB of the worker's stdout and stderr; kept if it failed.
  std::string output = {};
  std::string repeat_command = {};
};

// Kind "end": the run ended normally or was interrupted; absent if it was killed.
struct EndRow {
  std::int64_t measured = 0;
  std::int64_t skipped = 0;
  std::int64_t failed = 0;
  std::string reason = {};  // complete | interrupted
  std::string ended_utc = {};
};

}  // namespace stepbench::record
