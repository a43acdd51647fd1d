// SPDX-License-Identifier: Apache-2.0
// Implements what `stepbench doctor` launches: --measure finds the smallest change that this
// machine can show, and a launcher is tested for whether its ranks reach each other. Main thread
// only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/campaign/internal/context.h"
#include "harness/campaign/run_experiment.h"
#include "harness/findings/finding.h"
#include "harness/machine/environment.h"
#include "harness/run/terminal.h"
#include "harness/verdict/comparison.h"
#include "harness/verdict/detectable_change.h"

namespace stepbench::campaign {

// An experiment whose cases are launched in alternation; `names` are those of its cases, in order.
struct MachineCases {
  std::string yaml;
  std::vector<std::string> names;
};
// Three cases: arithmetic in the cache, weights read and written in each step, waits for workers.
[[nodiscard]] MachineCases machine_cases();

struct MachineRun {
  verdict::MachineNoise noise = {};  // `machine` is not set
  std::optional<int> signal = {};    // signal that interrupted it
  std::string failed = {};           // reason of a failed launch; empty: none failed
};

// Starts no launch after `seconds`, or if the first one failed. Throws Error for user errors, such
// as a missing worker. Main thread only.
[[nodiscard]] MachineRun measure_machine(const MachineCases& cases, double seconds,
                                         RunRequest request, const Launching& launching);

// One file per user and host, since home folders are shared, in $XDG_STATE_HOME/stepbench or
// ~/.local/state/stepbench.

inline constexpr std::string_view kMachineSchema = "stepbench.machine";
inline constexpr std::string_view kMachineVersion = "1.1.0";

// Facts that identify the machine of a measurement: host, cpu.model, cores.
[[nodiscard]] Fields machine_identity(const std::filesystem::path& root);

struct StoredMachine {
  std::filesystem::path file = {};  // empty: neither XDG_STATE_HOME nor HOME is set
  std::optional<verdict::MachineNoise> noise = {};
  // Why `noise` is absent although there is a file: it is of another machine, or unreadable.
  std::string problem = {};
};
[[nodiscard]] StoredMachine stored_machine(const machine::Variables& variables,
                                           const Fields& identity);

// One line with the stored result, or why its file cannot be used; empty if nothing is stored.
[[nodiscard]] std::string stored_machine_text(const machine::Variables& variables);
// Adds that line to each comparison with an undecided metric, if all its launches were measured on
// this host.
void quote_machine(const machine::Variables& variables, std::span<verdict::Comparison> comparisons);

// Returns the file's path and creates its folder. Throws ConfigError with a remedy.
[[nodiscard]] std::filesystem::path place_for_machine(const machine::Variables& variables,
                                                      const Fields& identity);
// Throws ConfigError; the old file then remains.
void store_machine(const std::filesystem::path& file, const verdict::MachineNoise& noise);

// Content of the file: one object on one line.
[[nodiscard]] std::string machine_json(const verdict::MachineNoise& noise);

// Tests a launcher and whether its ranks reach each other: starts a group of small Python programs
// that meet at a barrier and all-reduce a tensor. Main thread.

struct RanksRequest {
  int ranks = 2;
  std::string launcher = "local";
  std::string launcher_args = {};
  std::string interpreter = {};  // empty: the one used for scripts
  double join_s = 60;
};

struct RankSeen {
  int rank = 0;
  std::string host = {};
  std::string local_rank = {};
  std::string cpus = {};         // CPUs that it may use: "0-3,8"
  std::string omp_threads = {};  // empty: not set
  std::optional<std::int64_t> torch_threads = {};
  std::int64_t devices = 0;  // of its machine, as seen by the torch of all its ranks
};

struct RanksSeen {
  std::string failed = {};  // why there is no group; if set, only `output` may be set, too
  std::string output = {};  // output of what failed
  bool interrupted = false;
  std::string address = {};  // rendezvous address of rank 0: "10.0.0.1:29500"
  std::string backend = {};  // empty: torch is missing
  std::string missing = {};  // why nothing was exchanged
  double start_ns = 0;       // lifetime of the whole group
  std::optional<double> barrier_ns = {};
  std::optional<double> all_reduce_ns = {};  // 1 MiB; both times are the slowest rank's
  std::vector<RankSeen> ranks = {};
};

[[nodiscard]] RanksSeen examine_ranks(const RanksRequest& request, const CampaignContext& context,
                                      run::Interrupts& interrupts, const Clock& clock);

// Finds causes that make such a group slow. Pure.
[[nodiscard]] std::vector<Finding> diagnose_ranks(const RanksSeen& seen);

}  // namespace stepbench::campaign
