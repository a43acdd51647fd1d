// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/run_ab.h"

#include <algorithm>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/base/format.h"
#include "harness/campaign/internal/ab_agenda.h"
#include "harness/campaign/internal/ab_arms.h"
#include "harness/campaign/internal/run_request.h"
#include "harness/campaign/run_folder.h"
#include "harness/campaign/session.h"
#include "harness/catalogue/json.h"
#include "harness/estimate/case_rows.h"
#include "harness/run/agenda.h"
#include "harness/run/launch.h"
#include "harness/run/run_header.h"
#include "harness/text/numbers.h"
#include "harness/text/secrets.h"
#include "harness/text/words.h"

namespace stepbench::campaign {
namespace {

double parse_margin(const std::string& given, std::string_view text) {
  const auto share = text::parse_share(text);
  if (!share) {
    throw ConfigError(
        "--margin",
        formatted("'{}' is not a share from 0 to 1 or a percentage: step=1%, peak_bytes=0.005",
                  given));
  }
  return *share;
}

void set_margin(const std::string& given, const std::vector<Metric>& columns,
                verdict::TestedMetrics& tested) {
  const std::size_t equals = given.find('=');
  const std::string name = equals == std::string::npos ? "step" : given.substr(0, equals);
  const double share = parse_margin(
      given, std::string_view(given).substr(equals == std::string::npos ? 0 : equals + 1));
  verdict::TestedMetric* metric = verdict::find_tested(tested, name, columns);
  if (metric == nullptr) {
    throw ConfigError(
        "--margin",
        formatted(
            "'{}' is not tested; a margin can be given for {} (--metric chooses what is tested)",
            name, tested.names()));
  }
  metric->margin = share;
}

void set_margins_of(const plan::Plan& plan, verdict::TestedMetrics& tested) {
  for (const char* name : {"step", "peak_bytes"}) {
    verdict::TestedMetric* metric = verdict::find_tested(tested, name, {});
    if (metric == nullptr || plan.cases.empty()) continue;
    const Value* value =
        plan.cases.front().resolved.options.get("compare.margin." + std::string(name));
    if (value == nullptr || to_text(*value) == "auto") continue;
    set_margin(std::string(name) + "=" + to_text(*value), {}, tested);
  }
}

}  // namespace

verdict::TestedMetrics tested_metrics(const TestedRequest& request,
                                      const std::vector<Metric>& columns, const plan::Plan* plan) {
  verdict::TestedMetrics tested = verdict::tested_metrics(request.metrics, columns);
  if (plan != nullptr) set_margins_of(*plan, tested);
  for (const std::string& given : request.margins) set_margin(given, columns, tested);
  return tested;
}

bool gates_counts(const OptionValues& options) {
  return text_of(options, "compare.gate") == "counts";
}

bool gates_counts(const plan::Plan& plan) {
  return !plan.cases.empty() && gates_counts(plan.cases.front().resolved.options);
}

std::optional<double> count_margin_of(const OptionValues& options) {
  const std::string text = text_of(options, "compare.margin.counts", "auto");
  if (text.empty() || text == "auto") return std::nullopt;
  return parse_margin("counts=" + text, text);
}

std::optional<double> count_margin_of(const plan::Plan& plan) {
  return plan.cases.empty() ? std::nullopt : count_margin_of(plan.cases.front().resolved.options);
}

std::optional<double> take_count_margin(std::vector<std::string>& margins, bool gate_counts) {
  constexpr std::string_view kCountsPrefix = "counts=";
  std::optional<double> margin;
  std::erase_if(margins, [&](const std::string& given) {
    if (!given.starts_with(kCountsPrefix)) return false;
    if (!gate_counts) {
      throw ConfigError(
          "--margin",
          formatted("'{}' is a margin of counts, which decide only with --gate counts", given));
    }
    margin = parse_margin(given, std::string_view(given).substr(kCountsPrefix.size()));
    return true;
  });
  return margin;
}

std::vector<std::string> known_gates(std::vector<std::string> others) {
  others.insert(others.end(), verdict::gate_names().begin(), verdict::gate_names().end());
  return others;
}

void check_allowed(const std::vector<std::string>& allow, const std::vector<std::string>& known) {
  for (const std::string& name : allow) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    constexpr std::size_t kMaxListed = 12;
    std::string list = text::join(std::span(known).first(std::min(kMaxListed, known.size())));
    if (known.size() > kMaxListed) list += ", ...";
    throw ConfigError("--allow", formatted("'{}' cannot be allowed here{}; known: {}", name,
                                           text::did_you_mean(name, known), list));
  }
}

namespace {

constexpr std::int64_t kMinPairsForInterval = 6;

verdict::AbDesign design_for(const AbRequest& request, std::size_t cases,
                             const verdict::TestedMetrics& tested, std::uint64_t seed) {
  verdict::AbDesign design =
      request.pairs > 0
          ? verdict::with_fixed_pairs(cases, static_cast<std::size_t>(request.pairs), seed)
          : verdict::with_looks(cases, tested.metrics.size() * cases, seed);
  if (request.is_over) {
    design.looks.insert(design.looks.begin(), request.looks.begin(), request.looks.end());
  }
  return design;
}

std::vector<Metric> columns_of_both(const AbArms& arms) {
  record::Results a;
  record::Results b;
  a.columns = run::columns_of(arms.a.plan, arms.a.catalogue).columns;
  b.columns = run::columns_of(arms.b.plan, arms.b.catalogue).columns;
  return verdict::common_columns({&a, "arm A"}, {&b, "arm B"});
}

RunArm run_arm(const AbRequest& request, const AbArm& arm, const std::filesystem::path& folder,
               const CampaignContext& context) {
  RunRequest own_request;
  own_request.file = readable_again(
      request.file,
      text::mask_secrets(arm.plan.config_text, run::secret_values(arm.plan, context.variables)),
      folder);
  own_request.set = request.set;
  own_request.sweep = request.sweep;
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

AbAgenda::Setup agenda_setup(verdict::AbDesign design, const AbArms& arms,
                             const verdict::TestedMetrics& tested, std::vector<Metric> columns,
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
  for (const verdict::AbPoint& point : arms.points) ids.insert(point.point_id);
  const std::size_t digits = estimate::id_digits(ids);
  for (std::size_t i = 0; i < arms.points.size(); ++i) {
    const ResolvedCase& resolved = arms.a.plan.cases[i].resolved;
    setup.labels.push_back(estimate::case_name(resolved.options, resolved.workload,
                                               arms.a.plan.varying,
                                               arms.points[i].point_id.substr(0, digits)));
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
  const verdict::AbDesign& design = agenda.campaign().design();
  progress.print_line(formatted("A {}   B {}", arms.a.words, arms.b.words));
  progress.print_line(
      formatted("{}; {}; at most {}, seed {}, results in {}",
                text::counted(std::ssize(arms.points), "case"), verdict::looks_text(design.looks),
                text::counted(static_cast<std::int64_t>(agenda.remaining()), "launch"), design.seed,
                folder.string()));
}

}  // namespace

void check_request(const AbRequest& request) {
  check_allowed(request.allow, known_gates({"missing"}));
  check_resume_folder(request.resume);
}

AbPlan plan_ab(const AbRequest& request, const AbArms& arms) {
  AbPlan plan{.columns = columns_of_both(arms)};
  std::vector<std::string> margins = request.margins;
  const auto given = take_count_margin(margins, request.counts_decide());
  plan.count_margin = given ? *given : count_margin_of(arms.a.plan).value_or(0);
  plan.tested = tested_metrics({request.metrics, margins}, plan.columns, &arms.a.plan);
  plan.looks = design_for(request, arms.points.size(), plan.tested, 0).looks;
  return plan;
}

std::vector<std::string> notes_on(const AbRequest& request, const AbArms& arms) {
  std::vector<std::string> notes;
  if (std::string note = equal_arms_note(arms); !note.empty()) notes.push_back(std::move(note));
  if (request.pairs > 0 && request.pairs < kMinPairsForInterval && !request.counts_decide()) {
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

AbRun run_ab(const AbRequest& request, const AbArms& arms, const Launching& launching,
             const std::function<void(const std::filesystem::path&)>& on_start) {
  const AbPlan plan = plan_ab(request, arms);
  const verdict::TestedMetrics& tested = plan.tested;
  const Fields labels = parse_labels(request.labels);
  const run::CountTools count_tools = tools_of_both(arms, launching.context.variables);
  Session session{launching};
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
                                          .asked = asked_for(request, request.set)});
  describe_campaign(arms, request.pairs, tested, seed, header);
  header.labels = labels_with(finished, labels);
  check_same_campaign(finished, header, arms);
  if (!request.purpose.empty()) header.run_id += '-' + request.purpose;
  for (const auto& [name, value] : request.context) header.context.insert_or_assign(name, value);

  AbRun run{.run_folder = Session::open_folder(request.resume, request.results, header)};
  on_start(run.run_folder);
  AbAgenda::Setup setup = agenda_setup(design_for(request, arms.points.size(), tested, seed), arms,
                                       tested, plan.columns, launching.progress);
  setup.profile_all = request.counts_decide();
  setup.is_over = request.is_over;
  setup.counted = counted_launches(arms, count_tools);
  AbAgenda agenda{std::move(setup), finished};
  announce(arms, agenda, run.run_folder, launching.progress);
  session.measure({.arms = {run_arm(request, arms.a, run.run_folder, launching.context),
                            run_arm(request, arms.b, run.run_folder, launching.context)},
                   .run_dir = run.run_folder,
                   .count_tools = count_tools,
                   .attempts = run::next_attempts(finished)},
                  header, {plan.columns}, {}, agenda, finished);
  run.signal = session.signal();
  if (run.signal) {
    run.exit_status = exit_status_of_signal(*run.signal);
    return run;
  }
  run.comparison = verdict::ab_comparison(record::read_results(run.run_folder),
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
                                           .gate_counts = request.counts_decide(),
                                           .count_margin = plan.count_margin});
  run.exit_status = run.comparison.exit_code;
  return run;
}

namespace {

constexpr std::string_view kMarginField = "ab_margin_";

std::uint64_t random_seed() {
  std::random_device device;
  // Below 2^53, so that every JSON reader preserves it.
  return (std::uint64_t{device()} << 21U) ^ device();
}

// Default of a field that is missing in the header of a campaign from before metrics were recorded.
std::string as_before(const std::string& field) {
  return field == "ab_metrics" ? verdict::default_metrics().names() : "";
}

std::string describe(const std::string& field) {
  if (field == "ab_metrics") return "--metric";
  if (field == "ab_pairs") return "--pairs";
  if (field == "arm_a_build_id") return "the build of arm A's worker";
  if (field == "arm_b_build_id") return "the build of arm B's worker";
  if (field == "arm_b_data_digest") return "the data of arm B";
  return "--margin " + field.substr(kMarginField.size());
}

}  // namespace

void describe_campaign(const AbArms& arms, std::int64_t pairs, const verdict::TestedMetrics& tested,
                       std::uint64_t seed, record::RunRow& header) {
  header.plan_digest = digest(arms.a.plan.digest + '\n' + arms.b.plan.digest);
  header.context["ab_seed"] = static_cast<std::int64_t>(seed);
  header.context["ab_pairs"] = pairs > 0 ? std::to_string(pairs) : std::string{"looks"};
  header.context["ab_metrics"] = tested.names();
  for (const verdict::TestedMetric& metric : tested.metrics) {
    const bool automatic = metric.kind == verdict::MetricKind::kPeak && !metric.margin;
    header.context[std::string(kMarginField) + metric.name] =
        automatic ? Value{std::string{"auto"}}
                  : Value{metric.margin.value_or(verdict::kDefaultMargin)};
  }
  for (const AbArm* arm : {&arms.a, &arms.b}) {
    header.context["arm_" + arm->name] = arm->words;
    header.context[formatted("arm_{}_worker", arm->name)] = arm->worker.path.string();
    header.context[formatted("arm_{}_build_id", arm->name)] = arm->worker.build_id;
    header.context[formatted("arm_{}_data_digest", arm->name)] =
        run::data_digest(arm->plan, arm->catalogue);
  }
}

void check_same_campaign(const record::Results& earlier, const record::RunRow& now,
                         const AbArms& arms) {
  std::vector<std::string> fields = {"ab_metrics", "ab_pairs", "arm_a_build_id", "arm_b_build_id",
                                     "arm_b_data_digest"};
  for (const auto& [name, value] : now.context) {
    if (name.starts_with(kMarginField)) fields.push_back(name);
  }
  for (const record::RunRow& then : earlier.runs) {
    if (text_of(then.context, "ab_seed").empty()) {
      throw ConfigError("--resume", "not an A/B campaign: `stepbench run` made this folder");
    }
    for (const std::string& name : fields) {
      const std::string was = text_of(then.context, name, as_before(name));
      const std::string is = text_of(now.context, name);
      if (was == is) continue;
      throw ConfigError("--resume", formatted("this is not the same campaign: {} was `{}` and is "
                                              "now `{}`; start a new one without --resume",
                                              describe(name), was, is));
    }
  }
  for (const AbArm* arm : {&arms.a, &arms.b}) {
    run::check_same_experiment(earlier, now, arm->plan, arm->catalogue);
  }
}

std::uint64_t seed_for(std::optional<std::uint64_t> asked, const record::Results& earlier) {
  for (const record::RunRow& run : earlier.runs) {
    const auto found = run.context.find("ab_seed");
    if (found == run.context.end()) continue;
    const auto* seed = std::get_if<std::int64_t>(&found->second);
    if (seed == nullptr) break;
    if (asked && *asked != static_cast<std::uint64_t>(*seed)) {
      throw ConfigError("--seed", formatted("the campaign to resume has seed {}", *seed));
    }
    return static_cast<std::uint64_t>(*seed);
  }
  return asked ? *asked : random_seed();
}

}  // namespace stepbench::campaign
