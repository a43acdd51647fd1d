// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/controller.h"

#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/campaign/internal/complete_report.h"
#include "harness/catalogue/launchers.h"
#include "harness/estimate/case_rows.h"
#include "harness/machine/doctor.h"
#include "harness/run/launch.h"
#include "harness/run/run_header.h"
#include "harness/run/worker_program.h"
#include "harness/text/secrets.h"
#include "harness/text/time_text.h"
#include "harness/text/words.h"

namespace stepbench::campaign {
namespace {

// Step time including device work; 0 if unknown.
std::int64_t whole_step_ns(const record::Launch& launch) {
  std::int64_t sum_ns = 0;
  std::int64_t steps = 0;
  for (const record::CycleSamples& samples : launch.samples) {
    const std::vector<std::int64_t>& step_ns = samples.steps.column("step_ns");
    sum_ns = std::accumulate(step_ns.begin(), step_ns.end(), sum_ns);
    steps += std::ssize(step_ns);
  }
  if (steps == 0) return 0;
  const auto drained = launch.row.report.schedule.find("window_drained_ns");
  if (drained != launch.row.report.schedule.end()) {
    const auto* drained_ns = std::get_if<std::int64_t>(&drained->second);
    return drained_ns == nullptr ? 0 : std::max(*drained_ns, sum_ns) / steps;
  }
  return text_of(launch.row.options, "device") == "cpu" ? sum_ns / steps : 0;
}

}  // namespace

Controller::Controller(const RunSetup& setup, record::ResultWriter& writer,
                       const Launching& launching)
    : setup_(setup), writer_(writer), launching_(launching) {
  for (const RunArm& arm : setup_.arms) {
    const std::vector<std::string> values = run::secret_values(arm.plan, setup_.variables);
    secrets_.insert(secrets_.end(), values.begin(), values.end());
  }
}

const RunArm& Controller::arm_of(const run::Job& job) const {
  for (const RunArm& arm : setup_.arms) {
    if (arm.name == job.arm) return arm;
  }
  throw Error(formatted("no arm '{}' in this run", job.arm));
}

void Controller::run(run::Agenda& agenda, record::Results& finished) {
  std::map<std::string_view, std::string> builds;
  for (const record::WorkerRow& worker : finished.workers)
    builds[worker.worker_id] = worker.build_id;
  for (const record::Launch& launch : finished.launches) {
    const auto build = builds.find(launch.row.worker_id);
    if (build != builds.end()) build_ids_.try_emplace(launch.row.key.arm, build->second);
  }
  while (!launching_.interrupts.take() && !launching_.interrupts.first()) {
    const std::optional<run::Job> job = agenda.next(finished);
    if (!job || !run_job(*job, agenda, finished)) break;
  }
  launching_.progress.end();
  writer_.write(record::EndRow{.measured = counts_.measured,
                               .skipped = counts_.skipped,
                               .failed = counts_.failed,
                               .reason = launching_.interrupts.first() ? "interrupted" : "complete",
                               .ended_utc = text::utc_text(setup_.now())});
}

record::LaunchRow Controller::row_of(const run::Job& job, const plan::PlannedCase& planned) {
  const ResolvedCase& resolved = planned.resolved;
  record::LaunchRow row;
  row.key = {resolved.case_id, job.arm, job.pass, job.launch, 0};
  row.point_id = resolved.point_id;
  row.workload = resolved.workload;
  row.block = job.block;
  row.position = job.position;
  row.place = static_cast<int>(job.case_index);
  const auto attempt = setup_.attempts.find(row.key);
  row.attempt = attempt == setup_.attempts.end() ? 0 : attempt->second;
  row.smoke = setup_.smoke;
  row.options = run::without_secrets(resolved.options);
  for (const auto& [name, value] : job.context) row.options.insert_or_assign(name, value);
  row.started_utc = text::utc_text(setup_.now());
  row.repeat_command =
      formatted("{} --case {} --launches 1",
                text::mask_secrets(arm_of(job).repeat_prefix, secrets_), resolved.case_id);
  return row;
}

run::CountFiles Controller::files_of(const run::Job& job, const ResolvedCase& resolved) const {
  return run::count_files(setup_.run_dir,
                          {.case_id = resolved.case_id, .arm = job.arm, .launch = job.launch});
}

run::LaunchRequest Controller::request_of(const run::Job& job, const ResolvedCase& resolved,
                                          machine::Variables environment) const {
  std::vector<std::string> argv =
      job.counts
          ? run::callgrind_words(setup_.count_tools.valgrind, files_of(job, resolved))
          : run::fill_in(setup_.wrap,
                         run::wrap_values(setup_.run_dir.string(), resolved.case_id, job.launch),
                         "--wrap");
  const run::WorkerProgram& worker = arm_of(job).worker;
  if (worker.by_interpreter) argv.push_back(run::find_interpreter(environment));
  argv.push_back(worker.path.string());
  argv.push_back(formatted("--control-fd={}", run::kControlDescriptor));
  run::LaunchRequest request{.spawn = {std::move(argv), std::move(environment)},
                             .message = {},
                             .limits = run::limits_of(resolved, job.pass),
                             .rules = run::launch_rules(resolved, job.pass, setup_.columns)};
  if (setup_.memory_bytes)
    run::limit_memory(*setup_.memory_bytes, resolved, setup_.devices, request);
  request.rules.catalogue_digest = arm_of(job).catalogue_digest;
  const auto usual = usual_step_ns_.find({resolved.case_id, job.arm, job.pass});
  if (usual != usual_step_ns_.end()) request.limits.stall.usual_step_ns = usual->second;
  request.message.resolved = resolved;
  if (job.pass == Pass::kTiming && resolved.has("profile.counts")) {
    request.message.resolved.options["profile.counts"] =
        std::string(name_of(run::count_engine(resolved, setup_.count_tools)));
  }
  request.message.pass = job.pass;
  request.message.launch = job.launch;
  request.message.smoke = setup_.smoke;
  request.message.run_dir = setup_.run_dir.string();
  request.message.shared_memory_prefix = run::segment_prefix(::getpid());
  return request;
}

bool Controller::run_job(const run::Job& job, run::Agenda& agenda, record::Results& finished) {
  const RunArm& arm = arm_of(job);
  const plan::PlannedCase& planned = arm.plan.cases.at(job.case_index);
  record::Launch launch;
  launch.row = row_of(job, planned);
  std::string label = estimate::case_label(launch.row.options, arm.plan.varying);
  if (!job.note.empty()) label += (label.empty() ? "" : " ") + job.note;
  launching_.progress.begin_launch(job.case_index + 1, arm.plan.cases.size(), std::move(label),
                                   job.launch + 1, agenda.remaining());
  if (planned.skip) {
    launch.row.outcome = Outcome::skipped(*planned.skip);
    commit(std::move(launch), finished);
    return true;
  }
  record::StartRow start{
      launch.row.key, launch.row.place, launch.row.attempt, launch.row.started_utc, {}};
  for (const std::string& name : arm.plan.varying) {
    const Value* value = launch.row.options.get(name);
    if (value != nullptr) start.options.insert_or_assign(name, *value);
  }
  writer_.write(start);
  ResolvedCase resolved = job.counts ? run::counted_case(planned.resolved) : planned.resolved;
  for (const auto& [name, value] : job.context) resolved.options.insert_or_assign(name, value);
  if (job.counts) std::filesystem::create_directories(setup_.run_dir / run::kCountsFolder);
  const machine::LauncherEnvironment environment =
      machine::launcher_environment(setup_.variables, resolved);
  std::vector<run::LaunchResult> results = this->launch(job, resolved, environment);
  run::remove_segments(setup_.shared_memory, ::getpid());
  for (const run::LaunchResult& result : results) {
    run::remove_segments_of(setup_.shared_memory, result.processes);
  }
  if (results.front().interrupted) return false;
  std::vector<record::Launch> ranks(results.size(), launch);
  std::vector<traces::RankTrace> traces;
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    ranks[rank].row.key.rank = static_cast<int>(rank);
    ranks[rank].row.report.notes = planned.notes;
    auto trace = fill(ranks[rank], job, resolved, std::move(results[rank]), environment, finished);
    if (trace) traces.push_back(std::move(*trace));
  }
  add_group_facts(ranks, std::move(traces));
  // Rank 0 is written last: its line commits the launch.
  while (!ranks.empty()) {
    commit(std::move(ranks.back()), finished);
    ranks.pop_back();
  }
  return true;
}

std::vector<run::LaunchResult> Controller::launch(const run::Job& job, const ResolvedCase& resolved,
                                                  const machine::LauncherEnvironment& environment) {
  // A load would only prolong a launch that counts instructions.
  const run::BackgroundLoad background{
      job.counts ? 0 : resolved.number_or("background.busy_cpus", 0), launching_.clock};
  const run::LaunchContext context{
      .clock = launching_.clock,
      .interrupts = launching_.interrupts,
      .root = "/",
      .devices = setup_.devices,
      .background = &background,
      .progress = [this](const std::string& stage, std::int64_t step_ns) {
        launching_.progress.update(stage, step_ns);
      }};
  run::LaunchRequest request = request_of(job, resolved, environment.variables);
  if (resolved.integer_or("distributed.ranks", 1) > 1) {
    return run::run_group(group_of(std::move(request), resolved, environment.removed), context)
        .ranks;
  }
  std::vector<run::LaunchResult> results;
  results.push_back(run::run_launch(request, context));
  return results;
}

run::GroupRequest Controller::group_of(run::LaunchRequest worker, const ResolvedCase& resolved,
                                       const std::vector<std::string>& removed) const {
  const catalogue::Launcher& launcher =
      catalogue::launcher_named(resolved.text_or("distributed.launcher", "local"));
  const bool by_python = std::ranges::count(launcher.words, catalogue::Launcher::kPython) > 0;
  run::GroupRequest group{.worker = std::move(worker),
                          .launcher = launcher,
                          .ranks = static_cast<int>(resolved.integer_or("distributed.ranks", 1)),
                          .bind = resolved.text_or("distributed.bind", "auto"),
                          .build = run::program_build_id(setup_.program),
                          .unset = removed};
  const machine::Variables& variables = group.worker.spawn.environment;
  group.launcher_words = run::launch_words(
      launcher, group.ranks,
      run::split_command(resolved.text_or("distributed.launcher_args", ""),
                         "distributed.launcher_args"),
      setup_.program.string(), by_python ? run::find_interpreter(variables) : std::string());
  // Ranks on other machines have a different environment, so pass the changed variables.
  for (const auto& [name, value] : variables) {
    if (machine::find_variable(setup_.variables, name) != value)
      group.set.emplace_back(name, value);
  }
  return group;
}

std::optional<traces::RankTrace> Controller::fill(record::Launch& launch, const run::Job& job,
                                                  const ResolvedCase& resolved,
                                                  run::LaunchResult result,
                                                  const machine::LauncherEnvironment& environment,
                                                  record::Results& finished) {
  launch.row.world = static_cast<int>(resolved.integer_or("distributed.ranks", 1));
  launch.row.worker_id =
      write_worker(arm_of(job), result, environment.variables, environment.removed, finished);
  launch.row.outcome = std::move(result.outcome);
  launch.row.stage = launch.row.outcome.kind == Outcome::Kind::kMeasured ? "" : result.stage;
  std::vector<std::string> of_plan = std::move(launch.row.report.notes);
  launch.row.report = std::move(result.report);
  std::vector<std::string>& notes = launch.row.report.notes;
  notes.insert(notes.end(), of_plan.begin(), of_plan.end());
  launch.row.machine = std::move(result.machine);
  launch.row.wall_ns = result.wall_ns;
  if (job.counts) {
    run::add_counts(resolved, files_of(job, resolved), result.hello ? result.hello->pid : 0,
                    launch.row);
  }
  launch.row.outcome.reason = text::mask_secrets(
      machine::with_known_cause(std::move(launch.row.outcome.reason), setup_.shared_memory),
      secrets_);
  for (std::string& note : notes) note = text::mask_secrets(note, secrets_);
  if (launch.row.outcome.kind == Outcome::Kind::kFailed)
    launch.row.output = text::mask_secrets(result.output, secrets_);
  if (launch.row.outcome.kind == Outcome::Kind::kMeasured) {
    launch.samples = std::move(result.samples);
    launch.ops = std::move(result.ops);
  }
  add_warmup_verdict(launch);
  auto trace = add_traced_ops(launch, setup_.run_dir);
  check_profile(launch, finished);
  return trace;
}

std::string Controller::write_worker(const RunArm& arm, const run::LaunchResult& result,
                                     const machine::Variables& environment,
                                     const std::vector<std::string>& removed,
                                     record::Results& finished) {
  if (!result.hello) return {};
  const std::string& build = build_ids_.try_emplace(arm.name, result.hello->build_id).first->second;
  if (build != result.hello->build_id) {
    throw ConfigError(
        arm.worker.path.string(),
        formatted("the worker changed while the run lasted: its build was {} and is now {}", build,
                  result.hello->build_id));
  }
  record::WorkerRow row{.worker_id = {},
                        .path = arm.worker.path.string(),
                        .build_id = result.hello->build_id,
                        .environment = setup_.host};
  for (const auto& [name, value] : result.hello->software)
    row.environment.insert_or_assign(name, value);
  row.environment.merge(machine::relevant_variables(environment));
  if (!removed.empty()) row.environment.emplace("env_removed", text::join(removed, " "));
  std::string text = row.path + '\n' + row.build_id;
  for (const auto& [name, value] : row.environment)
    text += formatted("\n{}={}", name, to_text(value));
  row.worker_id = digest(text);
  std::string id = row.worker_id;
  if (workers_written_.insert(id).second) {
    writer_.write(row);
    finished.workers.push_back(std::move(row));
  }
  return id;
}

void Controller::commit(record::Launch launch, record::Results& finished) {
  for (const record::CycleSamples& samples : launch.samples)
    writer_.write({launch.row.key, samples});
  for (const ops::OpFrame& frame : launch.ops) writer_.write(record::OpsRow{launch.row.key, frame});
  writer_.write(launch.row);
  if (launch.row.key.rank == 0) count(launch);
  finished.launches.push_back(std::move(launch));
}

// A group counts as one launch.
void Controller::count(const record::Launch& launch) {
  switch (launch.row.outcome.kind) {
    case Outcome::Kind::kMeasured:
      ++counts_.measured;
      break;
    case Outcome::Kind::kSkipped:
      ++counts_.skipped;
      break;
    case Outcome::Kind::kFailed:
      ++counts_.failed;
      break;
  }
  if (const std::int64_t step_ns = whole_step_ns(launch); step_ns > 0) {
    const record::LaunchKey& key = launch.row.key;
    usual_step_ns_[{key.case_id, key.arm, key.pass}] = step_ns;
  }
  const auto estimate = estimate::estimate_of(launch);
  launching_.progress.end_launch(
      launch.row,
      estimate ? std::optional{estimate::headline_ns(*estimate, estimate::clock_of(*estimate))}
               : std::nullopt);
}

}  // namespace stepbench::campaign
