// SPDX-License-Identifier: Apache-2.0
// Executes an agenda one launch at a time; writes its rows to disk before the next one.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "harness/campaign/internal/context.h"
#include "harness/machine/environment.h"
#include "harness/plan/plan.h"
#include "harness/record/result_file.h"
#include "harness/run/agenda.h"
#include "harness/run/launch.h"
#include "harness/run/worker_program.h"
#include "harness/traces/compare_traces.h"

namespace stepbench::campaign {

// A worker program and its plan: all of `run`, or one side of `ab` with its own option overrides.
struct RunArm {
  std::string name = {};  // as in run::Job::arm; "" outside `ab`
  const plan::Plan& plan;
  run::WorkerProgram worker;
  std::string catalogue_digest = {};  // digest of the plan's catalogue; empty: not compared
  std::string repeat_prefix = {};     // "stepbench run FILE --set ..."; " --case ID" is appended
};

// Settings that are constant during a run.
struct RunSetup {
  std::vector<RunArm> arms;  // at least one
  // Command prefix for the worker, with {run_dir}, {case_id}, {launch}.
  std::vector<std::string> wrap = {};
  std::filesystem::path run_dir;
  std::filesystem::path program = {};  // path of `stepbench`, which launchers start on each rank
  record::ColumnRow columns = {};      // columns allowed in samples; empty: any
  bool smoke = false;
  run::CountTools count_tools = {};   // available on this machine
  machine::Variables variables = {};  // inherited by workers, before the deny-list is applied
  Fields host = {};                   // host_environment()
  std::map<record::LaunchKey, int> attempts = {};  // for a resumed run: number of the next attempt
  std::filesystem::path shared_memory = "/dev/shm";
  const machine::NvmlSession* devices = nullptr;  // watched while workers use them; null: none
  std::optional<std::int64_t> memory_bytes = {};  // memory limit of a launch; see worker_launch.h
  std::function<std::chrono::system_clock::time_point()> now = std::chrono::system_clock::now;
};

struct RunCounts {
  std::int64_t measured = 0;
  std::int64_t skipped = 0;
  std::int64_t failed = 0;
};

class Controller {
 public:
  // All must outlive the controller. The writer must have written its run and columns lines.
  Controller(const RunSetup& setup, record::ResultWriter& writer, const Launching& launching);

  // Runs until the agenda is done or an interrupt arrives. Appends finished launches and their
  // workers to `finished` and closes the file. Throws Error if a row cannot be written; rows
  // written before remain intact.
  void run(run::Agenda& agenda, record::Results& finished);

  [[nodiscard]] const RunCounts& counts() const { return counts_; }  // counts for this file

 private:
  bool run_job(const run::Job& job, run::Agenda& agenda,
               record::Results& finished);  // false: interrupted
  [[nodiscard]] const RunArm& arm_of(const run::Job& job) const;
  [[nodiscard]] record::LaunchRow row_of(const run::Job& job, const plan::PlannedCase& planned);
  [[nodiscard]] run::CountFiles files_of(const run::Job& job, const ResolvedCase& resolved) const;
  [[nodiscard]] run::LaunchRequest request_of(const run::Job& job, const ResolvedCase& resolved,
                                              machine::Variables environment) const;
  // One result per rank; a single one if the group failed.
  [[nodiscard]] std::vector<run::LaunchResult> launch(
      const run::Job& job, const ResolvedCase& resolved,
      const machine::LauncherEnvironment& environment);
  [[nodiscard]] run::GroupRequest group_of(run::LaunchRequest worker, const ResolvedCase& resolved,
                                           const std::vector<std::string>& removed) const;
  // Completes `launch`, which has its row with the notes of its plan, from one process's result.
  // Returns its trace if that names a rank.
  [[nodiscard]] std::optional<traces::RankTrace> fill(
      record::Launch& launch, const run::Job& job, const ResolvedCase& resolved,
      run::LaunchResult result, const machine::LauncherEnvironment& environment,
      record::Results& finished);
  [[nodiscard]] std::string write_worker(const RunArm& arm, const run::LaunchResult& result,
                                         const machine::Variables& environment,
                                         const std::vector<std::string>& removed,
                                         record::Results& finished);
  void commit(record::Launch launch, record::Results& finished);
  void count(const record::Launch& launch);

  const RunSetup& setup_;
  record::ResultWriter& writer_;
  const Launching& launching_;
  RunCounts counts_;
  std::vector<std::string> secrets_;  // values that must not be recorded
  // Step time of the last launch by case, arm and pass: the estimate for the next one.
  std::map<std::tuple<std::string, std::string, Pass>, std::int64_t> usual_step_ns_;
  std::set<std::string> workers_written_;
  std::map<std::string, std::string> build_ids_;  // by arm, as reported by its first worker
};

}  // namespace stepbench::campaign
