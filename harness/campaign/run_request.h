// SPDX-License-Identifier: Apache-2.0
// What the user asks of `stepbench run`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/campaign/device_locks.h"
#include "harness/machine/devices.h"
#include "harness/plan/plan.h"
#include "harness/record/reader.h"
#include "harness/run/agenda.h"

namespace stepbench::campaign {

struct RunRequest {
  std::string file;                      // empty: that of the run to go on with
  std::optional<std::string> text = {};  // what `file` holds; nullopt: it is read
  std::string results = "results";       // the run's folder is made here
  std::string resume = {};               // the folder of a run to go on with; empty: a new run
  bool retry_failed = false;
  std::vector<std::string> filter = {};
  std::vector<std::string> set = {};
  std::vector<std::string> sweep = {};
  std::vector<std::string> cases = {};   // ids, or their beginnings
  std::vector<std::string> labels = {};  // KEY=VALUE
  plan::Shard shard = {};
  bool smoke = false;
  bool quick = false;        // a first look, whose rows are marked as those of a smoke run
  std::string wrap = {};     // a command line put before the worker's
  std::string profile = {};  // native or kineto; empty: as the file says
  std::string worker = {};   // empty: the one beside this program
  std::int64_t max_cases = 100'000;
  std::int64_t launches = 0;  // 0: as the file says
  LockPolicy lock = LockPolicy::kRefuse;
  std::string purpose = {};  // ends the name of the run's folder: "tune"
  Fields context = {};       // recorded with the run
  // In place of the plan's list of launches.
  std::function<std::shared_ptr<run::Agenda>(const record::Results& finished)> agenda = {};
  std::optional<std::int64_t> memory_bytes = {};  // that a launch may hold; see memory_limit.h
  bool keeps_results = true;                      // false: for a probe, whose folder is soon gone
  // Asked before each launch, with all that has finished: true ends the run. Empty: nothing does.
  std::function<bool(const record::Results&)> is_enough = {};

  // Its rows are for no comparison.
  [[nodiscard]] bool is_short() const { return smoke || quick; }
};

// "2/4"; empty: everything. Throws ConfigError.
[[nodiscard]] plan::Shard parse_shard(const std::string& text);
// `given`, else what STEPBENCH_SHARD says. Throws ConfigError in a task of an array of jobs where
// neither says anything: each task would measure the whole plan.
[[nodiscard]] plan::Shard shard_here(const std::string& given, const machine::Variables& variables);

// How a command starts ranks itself, and which part of a plan it was told to measure.
struct OneStart {
  std::string ranks = "run --ranks ";  // before their number
  // What --shard says, or empty; nullopt: the command has no --shard, and measures all of it.
  std::optional<std::string> shard = {};
};

// Where a launcher started this process and others like it, each would measure the whole plan, one
// beside the other: throws ConfigError, unless a shard is said, by STEPBENCH_SHARD too. Variables
// that may be forgotten ones of a shell count where a case of the plan is no group of ranks, whose
// script would wait for the others.
void refuse_copies(const plan::Plan& plan, const OneStart& start,
                   const machine::Variables& variables);

// Keeps the cases whose id begins with one of `ids`; throws ConfigError for one that fits none.
void keep_cases(plan::Plan& plan, const std::vector<std::string>& ids);

// The command line that does the same again, without --resume, --shard, --case and --launches.
[[nodiscard]] std::string repeat_prefix(const RunRequest& request);

}  // namespace stepbench::campaign
