// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/run_experiment.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/base/format.h"
#include "harness/campaign/internal/plan_forecast.h"
#include "harness/campaign/internal/run_request.h"
#include "harness/campaign/run_folder.h"
#include "harness/campaign/session.h"
#include "harness/catalogue/json.h"
#include "harness/estimate/columns.h"
#include "harness/nights/history.h"
#include "harness/run/agenda.h"
#include "harness/run/launch.h"
#include "harness/run/run_header.h"
#include "harness/run/worker_program.h"
#include "harness/text/secrets.h"
#include "harness/text/words.h"

namespace stepbench::campaign {
namespace {

plan::PlanRequest plan_request(const RunRequest& request) {
  plan::PlanRequest plan = request;
  if (!request.profile.empty()) plan.set.push_back("profile.ops=" + request.profile);
  if (request.launches > 0) plan.set.push_back(formatted("launches={}", request.launches));
  return plan;
}

// A wrapped run is profiled already. Without `tools` nothing is counted under valgrind.
std::vector<run::ListedCase> list_cases(const plan::Plan& plan, const run::CountTools* tools,
                                        bool wrapped) {
  std::vector<run::ListedCase> cases;
  for (const plan::PlannedCase& planned : plan.cases) {
    const ResolvedCase& resolved = planned.resolved;
    const int launches = static_cast<int>(resolved.integer_or("launches", 1));
    run::ListedCase listed{resolved.case_id, launches, planned.skip.has_value()};
    if (const auto profile = wrapped ? std::nullopt : profile_of(resolved)) {
      listed.profile = profile->engine;
      listed.profile_launches = profile->launches;
    }
    if (tools && !listed.skipped &&
        run::count_engine(resolved, *tools) == run::CountEngine::kValgrind) {
      listed.count_launches = static_cast<int>(resolved.integer_or("profile.launches", 1));
    }
    cases.push_back(std::move(listed));
  }
  return cases;
}

// Ends the agenda early when `is_enough` returns true.
class LimitedAgenda final : public run::Agenda {
 public:
  LimitedAgenda(run::Agenda& agenda, const std::function<bool(const record::Results&)>& is_enough)
      : agenda_(agenda), is_enough_(is_enough) {}
  [[nodiscard]] std::optional<run::Job> next(const record::Results& finished) override {
    if (is_enough_ && is_enough_(finished)) return std::nullopt;
    return agenda_.next(finished);
  }
  [[nodiscard]] std::size_t remaining() const override { return agenda_.remaining(); }

 private:
  run::Agenda& agenda_;
  const std::function<bool(const record::Results&)>& is_enough_;
};

// Rejects before hours of measuring what would have no history or an unintended margin.
void check_tracked(const Planned& planned, const std::string& file) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const plan::PlannedCase& one : planned.plan.cases) {
    try {
      (void)nights::margins_of(one.resolved.options);
    } catch (const ConfigError& error) {
      throw ConfigError(file, error.what());
    }
    const std::string names = one.resolved.text_or("track.metrics", "");
    if (names.empty() || !seen.emplace(one.resolved.workload, names).second) continue;
    std::vector<Metric> columns = estimate::harness_metrics();
    if (const WorkloadSpec* workload = planned.catalogue.find_workload(one.resolved.workload)) {
      columns.insert(columns.end(), workload->metrics.begin(), workload->metrics.end());
    }
    try {
      (void)nights::tracked_metrics(names, columns);
    } catch (const ConfigError& error) {
      throw ConfigError(file, error.what());
    }
  }
}

// Refers to `plan`, which prints the notes in full.
std::string plan_notes_text(const plan::Plan& plan) {
  return formatted("{} on the plan: stepbench plan {}",
                   text::counted(std::ssize(plan.notes), "note"),
                   text::shell_word(plan::source_name(plan.file)));
}

// Cases that both programs measure: index in tonight's plan -> index in the reference's.
std::map<std::size_t, std::size_t> paired_indexes(const plan::Plan& tonight,
                                                  const plan::Plan& reference) {
  std::map<std::string_view, std::size_t> known;
  for (std::size_t i = 0; i < reference.cases.size(); ++i) {
    if (!reference.cases[i].skip) known.emplace(reference.cases[i].resolved.case_id, i);
  }
  std::map<std::size_t, std::size_t> paired;
  for (std::size_t i = 0; i < tonight.cases.size(); ++i) {
    const auto paired_reference = known.find(tonight.cases[i].resolved.case_id);
    if (tonight.cases[i].skip || paired_reference == known.end()) continue;
    if (night_pairs(tonight.cases[i].resolved) > 0) paired.emplace(i, paired_reference->second);
  }
  return paired;
}

record::ColumnRow columns_with(record::ColumnRow columns, const PlannedRun& paired_reference) {
  const auto& [catalogue, plan] = paired_reference.planned;
  for (Metric& metric : run::columns_of(plan, catalogue).columns) {
    const bool known = std::any_of(columns.columns.begin(), columns.columns.end(),
                                   [&](const Metric& each) { return each.name == metric.name; });
    if (!known) columns.columns.push_back(std::move(metric));
  }
  return columns;
}

}  // namespace

PlannedRun plan_experiment(const RunRequest& request, const CampaignContext& context,
                           bool needs_worker) {
  PlannedRun run;
  if (!request.worker.empty()) run.worker = run::find_worker(request.worker, context.program_dir);
  run.planned = make_plan_here(plan_request(request), run.worker, context);
  if (run.planned.plan.cases.empty()) {
    throw ConfigError(request.file, "no case is left after --filter and --shard");
  }
  check_tracked(run.planned, request.file);
  if (needs_worker && !run.worker) run.worker = worker_of(run.planned.plan, context);
  check_plan_files(run.planned.plan, run.worker ? &*run.worker : nullptr, context);
  if (needs_worker) check_ranks(run.planned.plan, context);
  return run;
}

RunEnd run_experiment(const RunRequest& request, const PlannedRun& run, const Launching& launching,
                      const std::function<void(const std::filesystem::path&)>& on_start,
                      const PairedReference* paired_reference) {
  const auto& [catalogue, plan] = run.planned;
  const run::WorkerProgram& worker = run.worker.value();
  check_resume_folder(request.resume);
  const Fields labels = parse_labels(request.labels);
  std::vector<std::string> wrap = run::split_command(request.wrap, "--wrap");
  run::check_wrap(wrap, launching.context.variables);
  // A probe measures only how long a case takes, so it needs no instruction counts.
  const bool count_here = wrap.empty() && request.stores_results;
  const run::CountTools tools =
      wrap.empty() ? run::count_tools(plan, launching.context.variables) : run::CountTools{};
  const auto counting_note = wrap.empty() ? run::count_note(plan, tools) : std::nullopt;
  Session session{launching};
  std::set<std::string> devices;
  add_devices(plan, devices);
  if (!session.begin(devices, request.lock)) {
    return {.exit_status = exit_status_of_signal(*session.signal()), .signal = session.signal()};
  }
  record::RunRow header = session.header({.plan = plan,
                                          .catalogue = catalogue,
                                          .worker = worker,
                                          .shard = request.shard,
                                          .smoke = request.is_short(),
                                          .wrap = request.wrap,
                                          .asked = asked_for(request, plan_request(request).set)});
  record::Results finished = session.resume(request.resume);
  header.labels = labels_with(finished, labels);
  if (paired_reference != nullptr) {
    header.context[kReferenceRun] = paired_reference->run;
    header.context[kReferenceBuild] = paired_reference->build;
  }
  if (!request.purpose.empty()) header.run_id += '-' + request.purpose;
  for (const auto& [name, value] : request.context) header.context.insert_or_assign(name, value);
  run::check_same_experiment(finished, header, plan, catalogue);
  const Pass pass = request.wrap.empty() ? Pass::kTiming : Pass::kWrapped;
  std::vector<run::ListedCase> cases =
      list_cases(plan, count_here ? &tools : nullptr, pass == Pass::kWrapped);
  const auto paired = paired_reference == nullptr
                          ? std::map<std::size_t, std::size_t>{}
                          : paired_indexes(plan, paired_reference->planned.planned.plan);
  std::set<std::size_t> profiled;
  for (const auto& [index, reference] : paired) {
    const auto asked = paired_reference->pairs.find(cases[index].case_id);
    run::ListedCase& listed = cases[index];
    listed.launches = asked == paired_reference->pairs.end()
                          ? night_pairs(plan.cases[index].resolved)
                          : asked->second;
    if (!paired_reference->profiled.contains(listed.case_id)) continue;
    const bool script = plan.cases[index].resolved.workload == run::kScriptWorkload;
    listed.profile = listed.profile.value_or(script ? Pass::kKineto : Pass::kNative);
    profiled.insert(index);
  }
  const std::set<record::LaunchKey> done =
      paired_reference == nullptr
          ? run::done_launches(finished, request.retry_failed)
          : run::done_in_turns(finished, paired_cases(plan, *paired_reference));
  std::uint64_t order = 0;
  std::from_chars(header.plan_digest.data(), header.plan_digest.data() + header.plan_digest.size(),
                  order, 16);
  run::ListAgenda of_plan{cases, pass, order, done};
  std::optional<run::TurnsAgenda> turns;
  if (paired_reference != nullptr) turns.emplace(of_plan, cases, paired, profiled);
  const std::shared_ptr<run::Agenda> given = request.agenda ? request.agenda(finished) : nullptr;
  run::Agenda& agenda = given ? *given : turns ? static_cast<run::Agenda&>(*turns) : of_plan;
  LimitedAgenda limited{agenda, request.is_enough};
  const std::filesystem::path folder =
      Session::open_folder(request.resume, request.results, header);
  if (on_start) on_start(folder);
  const std::string work =
      formatted("{}, {} to do, ", text::counted(std::ssize(plan.cases), "case"),
                text::counted(static_cast<std::int64_t>(agenda.remaining()), "launch"));
  if (request.stores_results) {
    const std::string expected = request.resume.empty() && !request.is_short() && !given
                                     ? expected_text(estimate_time(plan, request.results))
                                     : std::string();
    launching.progress.print_line(formatted(
        "{}{}results in {}", work, expected.empty() ? "" : expected + ", ", folder.string()));
    if (!plan.notes.empty()) launching.progress.print_line(plan_notes_text(plan));
    if (counting_note) launching.progress.print_line("note: " + *counting_note);
  } else {
    launching.progress.print_line(formatted("probe: {}results are not kept", work));
  }
  if (const auto warning = run::wrap_warning(wrap))
    launching.progress.print_line("warning: " + *warning);
  if (agenda.remaining() > 0) {
    RunRequest again = request;
    again.file = readable_again(
        request.file,
        text::mask_secrets(plan.config_text, run::secret_values(plan, launching.context.variables)),
        folder);
    std::vector<RunArm> arms = {{.plan = plan,
                                 .worker = worker,
                                 .catalogue_digest = catalogue::catalogue_digest(catalogue),
                                 .repeat_prefix = repeat_prefix(again)}};
    record::ColumnRow columns = run::columns_of(plan, catalogue);
    if (paired_reference != nullptr) {
      const PlannedRun& other = paired_reference->planned;
      again.worker = other.worker.value().path.string();
      arms.push_back({.name = std::string(record::kReferenceArm),
                      .plan = other.planned.plan,
                      .worker = *other.worker,
                      .catalogue_digest = catalogue::catalogue_digest(other.planned.catalogue),
                      .repeat_prefix = repeat_prefix(again)});
      columns = columns_with(std::move(columns), other);
    }
    session.measure({.arms = std::move(arms),
                     .wrap = std::move(wrap),
                     .run_dir = folder,
                     .smoke = request.is_short(),
                     .count_tools = tools,
                     .attempts = run::next_attempts(finished),
                     .memory_bytes = request.memory_bytes},
                    header, columns, request.shard, limited, finished);
  }
  RunEnd end{
      .signal = session.signal(), .run_folder = folder, .results = record::read_results(folder)};
  end.exit_status = end.signal ? exit_status_of_signal(*end.signal) : run_exit_status(end.results);
  return end;
}

std::set<std::string> paired_cases(const plan::Plan& tonight,
                                   const PairedReference& paired_reference) {
  std::set<std::string> ids;
  for (const auto& [index, reference] :
       paired_indexes(tonight, paired_reference.planned.planned.plan)) {
    ids.insert(tonight.cases[index].resolved.case_id);
  }
  return ids;
}

int run_exit_status(const record::Results& results) {
  const auto any = [&](Outcome::Kind kind) {
    return std::any_of(
        results.launches.begin(), results.launches.end(),
        [&](const record::Launch& launch) { return launch.row.outcome.kind == kind; });
  };
  if (!any(Outcome::Kind::kMeasured)) return kExitNothingMeasured;
  return any(Outcome::Kind::kFailed) ? kExitSomeFailed : kExitOk;
}

Probe probe_cases(RunRequest request, const Launching& launching) {
  const ScratchFolder folder("stepbench-probe");
  request.smoke = true;
  request.launches = 0;
  request.results = folder.path();
  request.stores_results = false;
  const PlannedRun run = plan_experiment(request, launching.context, true);
  const RunEnd end = run_experiment(request, run, launching);
  Probe probe{.exit_status = end.exit_status, .signal = end.signal, .costs = {.probed = true}};
  for (const record::Launch& launch : end.results.launches) {
    if (launch.row.outcome.kind == Outcome::Kind::kFailed) probe.failed.push_back(launch.row);
    if (const auto cost = cost_of(launch.row)) {
      probe.costs.by_case.emplace(launch.row.key.case_id, *cost);
    }
  }
  return probe;
}

}  // namespace stepbench::campaign
