// SPDX-License-Identifier: Apache-2.0
// Drives an agenda: one launch at a time, its rows on disk before the next one begins.
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

#include "harness/analyze/ranks.h"
#include "harness/machine/launcher_environment.h"
#include "harness/plan/plan.h"
#include "harness/record/reader.h"
#include "harness/record/writer.h"
#include "harness/run/agenda.h"
#include "harness/run/count_launch.h"
#include "harness/run/group_launch.h"
#include "harness/run/launch.h"
#include "harness/run/progress.h"
#include "harness/run/worker_program.h"

namespace stepbench::run {

// What is measured by one worker program: the whole of `run`, or one side of `ab` with its own
// overrides of the options.
struct RunArm {
  std::string name = {};  // as a job names it: "" outside `ab`
  const plan::Plan& plan;
  WorkerProgram worker;
  std::string catalogue_digest = {};  // the plan was made with; empty: not compared
  std::string repeat_prefix = {};     // "stepbench run FILE --set ..."; " --case ID" is added
};

// What stays the same over a run.
struct RunSetup {
  std::vector<RunArm> arms;  // at least one
  // Words before the worker's command line, with {run_dir}, {case_id}, {launch}.
  std::vector<std::string> wrap = {};
  std::filesystem::path run_dir;
  std::filesystem::path program = {};  // `stepbench`, which launchers start on each rank
  record::ColumnRow columns = {};      // that samples may have; none: any
  bool smoke = false;
  CountTools count_tools = {};                     // of this machine
  machine::Variables variables = {};               // what workers inherit, before the deny-list
  Fields host = {};                                // host_environment()
  std::map<record::LaunchKey, int> attempts = {};  // numbers of attempts of a resumed run
  std::filesystem::path shared_memory = "/dev/shm";
  const machine::NvmlSession* devices = nullptr;  // watched while workers use them; null: none
  std::optional<std::int64_t> memory_bytes = {};  // that a launch may hold; see memory_limit.h
  std::function<std::chrono::system_clock::time_point()> now = std::chrono::system_clock::now;
};

struct RunCounts {
  std::int64_t measured = 0;
  std::int64_t skipped = 0;
  std::int64_t failed = 0;
};

class Controller {
 public:
  // All outlive the controller. The writer has its run and columns lines already.
  Controller(const RunSetup& setup, record::ResultWriter& writer, Progress& progress,
             Interrupts& interrupts, const Clock& clock);

  // Runs until the agenda is done or an interrupt comes, adds finished launches and
  // their workers to `finished` and
  // ends the file. Throws Error when a row cannot be written: what was written is whole.
  void run(Agenda& agenda, record::Results& finished);

  [[nodiscard]] const RunCounts& counts() const { return counts_; }  // of this file

 private:
  bool run_job(const Job& job, Agenda& agenda, record::Results& finished);  // false: interrupted
  [[nodiscard]] const RunArm& arm_of(const Job& job) const;
  [[nodiscard]] record::LaunchRow row_of(const Job& job, const plan::PlannedCase& planned);
  [[nodiscard]] CountFiles files_of(const Job& job, const ResolvedCase& resolved) const;
  [[nodiscard]] LaunchRequest request_of(const Job& job, const ResolvedCase& resolved,
                                         machine::Variables environment) const;
  // By rank; one where the group has failed.
  [[nodiscard]] std::vector<LaunchResult> launch(const Job& job, const ResolvedCase& resolved,
                                                 const machine::LauncherEnvironment& environment);
  [[nodiscard]] GroupRequest group_of(LaunchRequest worker, const ResolvedCase& resolved,
                                      const std::vector<std::string>& removed) const;
  // What is kept of one process; `launch` has its row, with the notes of its plan. Returns its
  // trace, where that names a rank.
  [[nodiscard]] std::optional<analyze::RankTrace> fill(
      record::Launch& launch, const Job& job, const ResolvedCase& resolved, LaunchResult result,
      const machine::LauncherEnvironment& environment, record::Results& finished);
  [[nodiscard]] std::string write_worker(const RunArm& arm, const LaunchResult& result,
                                         const machine::Variables& environment,
                                         const std::vector<std::string>& removed,
                                         record::Results& finished);
  void commit(record::Launch launch, record::Results& finished);
  void count(const record::Launch& launch);

  const RunSetup& setup_;
  record::ResultWriter& writer_;
  Progress& progress_;
  Interrupts& interrupts_;
  const Clock& clock_;
  RunCounts counts_;
  std::vector<std::string> secrets_;  // values that are not recorded
  // By case, arm and pass, of their last launch: what the next one is expected to take.
  std::map<std::tuple<std::string, std::string, Pass>, std::int64_t> usual_step_ns_;
  std::set<std::string> workers_written_;
  std::map<std::string, std::string> build_ids_;  // by arm, as its first worker said
};

}  // namespace stepbench::run
