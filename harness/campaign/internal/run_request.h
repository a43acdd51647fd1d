// SPDX-License-Identifier: Apache-2.0
// The requests of the commands that measure, and a request as a run's folder records it, for
// `stepbench run --resume DIR` without the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/value.h"
#include "harness/campaign/internal/device_locks.h"
#include "harness/machine/environment.h"
#include "harness/plan/plan.h"
#include "harness/record/result_file.h"
#include "harness/record/rows.h"
#include "harness/run/agenda.h"
#include "harness/verdict/ab_campaign.h"

namespace stepbench::campaign {

// The request of every command that measures: the cases and the run. `file` is empty for that of
// the resumed run; rows of `quick` are marked as those of a smoke run.
struct RunRequest : plan::PlanRequest {
  std::string results = "results";  // parent of the run's folder
  std::string resume = {};          // folder of the run to resume; empty: a new run
  bool retry_failed = false;
  std::vector<std::string> labels = {};  // KEY=VALUE
  std::string wrap = {};                 // a command line that wraps the worker's
  std::string profile = {};              // native or kineto; empty: from the file
  std::string worker = {};               // empty: the one next to this program
  std::int64_t launches = 0;             // 0: from the file
  LockPolicy lock = LockPolicy::kRefuse;
  std::string purpose = {};  // suffix of the run folder's name: "tune"
  Fields context = {};       // recorded with the run
  // Replaces the plan's list of launches.
  std::function<std::shared_ptr<run::Agenda>(const record::Results& finished)> agenda = {};
  std::optional<std::int64_t> memory_bytes = {};  // memory limit of a launch; see run/launch.h
  bool stores_results = true;                     // false: for a probe, whose folder is removed
  // Called before each launch with all finished ones; returning true ends the run. Empty: never.
  std::function<bool(const record::Results&)> is_enough = {};

  // Its rows must not be compared.
  [[nodiscard]] bool is_short() const { return smoke || quick; }
};

// How results of two programs are judged.
struct VerdictRequest {
  std::vector<std::string> metrics = {};  // tested metrics; empty: step and peak memory
  std::vector<std::string> margins = {};  // "counts=0.1%" sets that of counts
  std::vector<std::string> allow = {};
  bool allow_inconclusive = false;
  std::optional<bool> gate_counts = {};  // only counts decide; nullopt: as the experiment says
};

// A program, options and environment beside the other's.
struct ArmRequest {
  std::string worker = {};  // empty: the one next to this program
  std::vector<std::string> set = {};
  std::vector<std::string> env = {};  // NAME=VALUE
};

// An experiment with two workers or two sets of options. `worker`, `launches` and `profile` have no
// meaning: each arm has a worker, and pairs are launched.
struct AbRequest : RunRequest, VerdictRequest {
  ArmRequest a = {};
  ArmRequest b = {};
  std::int64_t profiled = 0;  // profiled launches per arm of a changed case; 0: from the file
  std::int64_t pairs = 0;     // per case; 0: looks decide
  // With `pairs`: numbers of pairs after which `is_over` decides whether a case is complete.
  std::vector<std::size_t> looks = {};
  std::optional<std::uint64_t> seed = {};
  std::function<bool(const record::Results&, const verdict::AbPoint&, std::size_t pairs)> is_over =
      {};

  // Every case is profiled.
  [[nodiscard]] bool counts_decide() const { return gate_counts.value_or(false); }
};

// "2/4"; empty: everything. Throws ConfigError.
[[nodiscard]] plan::Shard parse_shard(const std::string& text);
// `given`, else the value of STEPBENCH_SHARD. Throws ConfigError in a task of a job array if both
// are missing, because each task would measure the whole plan.
[[nodiscard]] plan::Shard shard_here(const std::string& given, const machine::Variables& variables);

// Amounts with a unit. Throw ConfigError at `where`.
// "90s", "20m", "1.5h"
[[nodiscard]] double seconds_of(const std::string& where, const std::string& text);
// "512MiB", "20GiB"
[[nodiscard]] double bytes_of(const std::string& where, const std::string& text);

// How a command starts ranks itself, and its shard of a plan.
struct OneStart {
  std::string ranks = "run --ranks ";  // followed by their number
  // Value of --shard, or empty; nullopt: the command has no --shard and measures the whole plan.
  std::optional<std::string> shard = {};
};

// Throws ConfigError if a launcher started several copies of this process without a shard (from
// --shard or STEPBENCH_SHARD): each would measure the whole plan at the same time. Variables that
// may be stale in a shell count only if some case of the plan is not a group of ranks, because its
// script would wait for the others.
void refuse_copies(const plan::Plan& plan, const OneStart& start,
                   const machine::Variables& variables);

// The command line that repeats the run, without --resume, --shard, --case and --launches.
[[nodiscard]] std::string repeat_prefix(const RunRequest& request);

// The recorded form. `set` is what the plan is made with, including --launches and --profile.
[[nodiscard]] record::CommandLine asked_for(const RunRequest& request,
                                            std::vector<std::string> set);

struct RecordedRequest {
  RunRequest request;
  std::filesystem::path folder;  // base of the experiment's relative paths
};

// Returns the request of the run in `given.resume`. Values in `given` override it; its --set is
// appended. Throws ConfigError if the folder does not contain the request.
[[nodiscard]] RecordedRequest recorded_request(const RunRequest& given);

// Returns a file from which the experiment can be read again: `file`, or, for standard input, a
// copy in the run's folder, which is written if missing.
[[nodiscard]] std::string readable_again(const std::string& file, const std::string& config_text,
                                         const std::filesystem::path& run_folder);

// `argv` as a command line that resumes the run in `run_folder`; once that has ended it only
// judges.
[[nodiscard]] std::string resuming_command(std::span<const std::string> argv,
                                           const RunRequest& request,
                                           const std::filesystem::path& run_folder);

// Labels by which users find a run: a branch, a pull request. Pure; any thread.

// Parses `key=value` texts; the last value of a key wins; values are text. Throws ConfigError for a
// text without a key or "=", and for a key with other characters than letters, digits and "._-/".
[[nodiscard]] Fields parse_labels(std::span<const std::string> labels);

// Labels of the resumed run, overridden by `given`.
[[nodiscard]] Fields labels_with(const record::Results& earlier, const Fields& given);

}  // namespace stepbench::campaign
