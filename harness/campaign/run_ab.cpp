// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/run_ab.h"

#include <algorithm>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/campaign/ab_agenda.h"
#include "harness/campaign/ab_header.h"
#include "harness/campaign/arm_words.h"
#include "harness/campaign/labels.h"
#include "harness/campaign/recorded_request.h"
#include "harness/campaign/run_folder.h"
#include "harness/campaign/run_request.h"
#include "harness/campaign/session.h"
#include "harness/campaign/verdict_options.h"
#include "harness/catalogue/json.h"
#include "harness/estimate/case_rows.h"
#include "harness/run/count_launch.h"
#include "harness/run/hidden_secrets.h"
#include "harness/run/resume.h"
#include "harness/run/run_header.h"
#include "harness/text/secrets.h"
#include "harness/text/words.h"

namespace stepbench::campaign {
namespace {

constexpr std::int64_t kMinPairsForInterval = 6;

compare::AbDesign design_for(const AbRequest& request, std::size_t cases,
                             const compare::TestedMetrics& tested, std::uint64_t seed) {
  compare::AbDesign design =
      request.pairs > 0
          ? compare::with_fixed_pairs(cases, static_cast<std::size_t>(request.pairs), seed)
          : compare::with_looks(cases, tested.metrics.size() * cases, seed);
  if (request.is_over) {
    design.looks.insert(design.looks.begin(), request.looks.begin(), request.looks.end());
  }
  return design;
}

record::ColumnRow columns_of_both(const AbArms& arms) {
  record::Results a;
  record::Results b;
  a.columns = run::columns_of(arms.a.plan, arms.a.catalogue).columns;
  b.columns = run::columns_of(arms.b.plan, arms.b.catalogue).columns;
  return {compare::common_columns({&a, "arm A"}, {&b, "arm B"})};
}

run::RunArm run_arm(const ArmsRequest& request, const AbArm& arm,
                    const std::filesystem::path& folder, const CampaignContext& context) {
  RunRequest own_request{
      .file = readable_again(
          request.file,
          text::mask_secrets(arm.plan.config_text, run::secret_values(arm.plan, context.variables)),
          folder),
      .set = request.set,
      .sweep = request.sweep};
  own_request.set.insert(own_request.set.end(), arm.set.begin(), arm.set.end());
  if (!arm.worker.by_interpreter) own_request.worker = arm.worker.path.string();
  return {.name = arm.name,
          .plan = arm.plan,
          .worker = arm.worker,
          .catalogue_digest = catalogue::catalogue_digest(arm.catalogue),
          .repeat_prefix = repeat_prefix(own_request)};
}

std::vector<AbSkip> skips_of(const AbArms& arms) {
  std::vector<AbSkip> skips;
  for (const AbArm* arm : {&arms.a, &arms.b}) {
    for (std::size_t i = arms.points.size(); i < arm->plan.cases.size(); ++i) {
      if (!arm->plan.cases[i].skip) continue;
      skips.push_back({.job = {.case_index = i, .arm = arm->name},
                       .case_id = arm->plan.cases[i].resolved.case_id});
    }
  }
  return skips;
}

AbAgenda::Setup agenda_setup(compare::AbDesign design, const AbArms& arms,
                             const compare::TestedMetrics& tested, std::vector<Metric> columns,
                             run::Progress& progress) {
  AbAgenda::Setup setup{
      .design = std::move(design),
      .points = arms.points,
      .skips = skips_of(arms),
      .columns = std::move(columns),
      .tested = tested,
      .print_line = [&progress](const std::string& text) { progress.print_line(text); }};
  // Both arms' plans request the same profile.
  if (!arms.points.empty()) setup.profile = profile_of(arms.b.plan.cases.front().resolved);
  std::set<std::string> ids;
  for (const compare::AbPoint& point : arms.points) ids.insert(point.point_id);
  const std::size_t digits = estimate::id_digits(ids);
  for (std::size_t i = 0; i < arms.points.size(); ++i) {
    std::string label =
        estimate::case_label(arms.a.plan.cases[i].resolved.options, arms.a.plan.varying);
    setup.labels.push_back(label.empty() ? "case " + arms.points[i].point_id.substr(0, digits)
                                         : std::move(label));
  }
  return setup;
}

// Tools for counting instructions in both arms. Throws if a requested tool is missing.
run::CountTools tools_of_both(const AbArms& arms, const machine::Variables& variables) {
  run::CountTools tools = run::count_tools(arms.a.plan, variables);
  if (tools.no_counters.empty() && tools.valgrind.empty()) {
    tools = run::count_tools(arms.b.plan, variables);
  }
  for (const AbArm* arm : {&arms.a, &arms.b}) (void)run::count_note(arm->plan, tools);
  return tools;
}

// By point: launches of each arm under valgrind.
std::vector<int> counted_launches(const AbArms& arms, const run::CountTools& tools) {
  std::vector<int> launches;
  for (std::size_t i = 0; i < arms.points.size(); ++i) {
    int most = 0;
    for (const AbArm* arm : {&arms.a, &arms.b}) {
      const ResolvedCase& resolved = arm->plan.cases[i].resolved;
      if (run::count_engine(resolved, tools) != run::CountEngine::kValgrind) continue;
      most = std::max(most, static_cast<int>(resolved.integer_or("profile.launches", 1)));
    }
    launches.push_back(most);
  }
  return launches;
}

void announce(const AbArms& arms, const AbAgenda& agenda, const std::filesystem::path& folder,
              run::Progress& progress) {
  const compare::AbDesign& design = agenda.campaign().design();
  progress.print_line("A " + arms.a.words + "   B " + arms.b.words);
  progress.print_line(text::counted(std::ssize(arms.points), "case") + "; " +
                      compare::looks_text(design.looks) + "; at most " +
                      text::counted(static_cast<std::int64_t>(agenda.remaining()), "launch") +
                      ", seed " + std::to_string(design.seed) + ", results in " + folder.string());
}

}  // namespace

void check_request(const AbRequest& request) {
  std::vector<std::string> known = {"missing"};
  known.insert(known.end(), compare::gate_names().begin(), compare::gate_names().end());
  check_allowed(request.allow, known);
  check_resume_folder(request.resume);
}

AbPlan plan_ab(const AbRequest& request, const AbArms& arms) {
  AbPlan plan{.columns = columns_of_both(arms).columns};
  std::vector<std::string> margins = request.margins;
  const auto given = take_count_margin(margins, request.gate_counts);
  plan.count_margin = given ? *given : count_margin_of(arms.a.plan).value_or(0);
  plan.tested = tested_metrics({request.metrics, margins}, plan.columns, &arms.a.plan);
  plan.looks = design_for(request, arms.points.size(), plan.tested, 0).looks;
  return plan;
}

std::vector<std::string> notes_on(const AbRequest& request, const AbArms& arms) {
  std::vector<std::string> notes;
  if (same_arms(arms)) notes.push_back(same_arms_text(arms));
  if (request.pairs > 0 && request.pairs < kMinPairsForInterval && !request.gate_counts) {
    notes.push_back("fewer than 6 pairs give no interval: every case will be inconclusive; use 20");
  }
  std::set<std::string> seen_notes;
  for (const AbArm* arm : {&arms.a, &arms.b}) {
    for (const std::string& note : arm->plan.notes) {
      if (seen_notes.insert(note).second) notes.push_back(note);
    }
  }
  return notes;
}

AbRun run_ab(const AbRequest& request, const AbArms& arms, const CampaignContext& context,
             run::Progress& progress, run::Interrupts& interrupts, const Clock& clock,
             const std::function<void(const std::filesystem::path&)>& on_start) {
  const AbPlan plan = plan_ab(request, arms);
  const compare::TestedMetrics& tested = plan.tested;
  const Fields labels = parse_labels(request.labels);
  const run::CountTools count_tools = tools_of_both(arms, context.variables);
  Session session{context, progress, interrupts, clock};
  std::set<std::string> devices;
  add_devices(arms.a.plan, devices);
  add_devices(arms.b.plan, devices);
  if (!session.begin(devices, request.lock)) {
    return {.exit_status = exit_status_of_signal(*session.signal()), .signal = session.signal()};
  }
  record::Results finished = session.resume(request.resume);
  const std::uint64_t seed = seed_for(request.seed, finished);
  record::RunRow header = session.header({.plan = arms.a.plan,
                                          .catalogue = arms.a.catalogue,
                                          .worker = arms.a.worker,
                                          .asked = asked_for({.file = request.arms.file,
                                                              .filter = request.arms.filter,
                                                              .sweep = request.arms.sweep,
                                                              .cases = request.arms.cases},
                                                             request.arms.set)});
  describe_campaign(arms, request.pairs, tested, seed, header);
  header.labels = labels_with(finished, labels);
  check_same_campaign(finished, header, arms);
  if (!request.purpose.empty()) header.run_id += '-' + request.purpose;
  for (const auto& [name, value] : request.context) header.context.insert_or_assign(name, value);

  AbRun run{.run_folder = Session::open_folder(request.resume, request.results, header)};
  on_start(run.run_folder);
  AbAgenda::Setup setup = agenda_setup(design_for(request, arms.points.size(), tested, seed), arms,
                                       tested, plan.columns, progress);
  setup.profile_all = request.gate_counts;
  setup.is_over = request.is_over;
  setup.counted = counted_launches(arms, count_tools);
  AbAgenda agenda{std::move(setup), finished};
  announce(arms, agenda, run.run_folder, progress);
  session.measure({.arms = {run_arm(request.arms, arms.a, run.run_folder, context),
                            run_arm(request.arms, arms.b, run.run_folder, context)},
                   .run_dir = run.run_folder,
                   .count_tools = count_tools,
                   .attempts = run::next_attempts(finished)},
                  header, {plan.columns}, {}, agenda, finished);
  run.signal = session.signal();
  if (run.signal) {
    run.exit_status = exit_status_of_signal(*run.signal);
    return run;
  }
  run.comparison = compare::ab_comparison(record::read_results(run.run_folder),
                                          {.campaign = agenda.campaign(),
                                           .points = arms.points,
                                           .a = arms.a.words,
                                           .b = arms.b.words,
                                           .where = run.run_folder.string(),
                                           .overridden = arms.overridden,
                                           .warnings = arms.warnings,
                                           .missing = arms.missing},
                                          {.tested = tested,
                                           .allow = request.allow,
                                           .allow_inconclusive = request.allow_inconclusive,
                                           .gate_counts = request.gate_counts,
                                           .count_margin = plan.count_margin});
  run.exit_status = run.comparison.exit_code;
  return run;
}

}  // namespace stepbench::campaign
