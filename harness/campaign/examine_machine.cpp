// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/examine_machine.h"

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/base/option_values.h"
#include "harness/base/value.h"
#include "harness/campaign/run_folder.h"
#include "harness/catalogue/launchers.h"
#include "harness/json/fields.h"
#include "harness/machine/environment.h"
#include "harness/os/files.h"
#include "harness/os/text_file.h"
#include "harness/run/launch.h"
#include "harness/run/worker_program.h"
#include "harness/text/time_text.h"
#include "harness/text/words.h"
#include "harness/verdict/detectable_change.h"

namespace stepbench::campaign {

MachineCases machine_cases() {
  return {.yaml = R"(name: machine
workload: train_step
device: cpu
data: {kind: synthetic, features: 256, samples: 4096}
loader: {batch_size: 64}
model: {kind: mlp, hidden: 256, layers: 4}
optimizer: {kind: sgd, lr: 0.01}
threads: {intra_op: 1}
schedule: {wait: 0, warmup: 10, active: 60}
launches: 1000
sweep:
  include:
    - {model.hidden: 256}
    - {model.hidden: 2048, loader.batch_size: 1}
    - {data.cost: spin, data.cost_us: 100, data.cost_distribution: exponential, loader.num_workers: 2}
)",
          .names = {"compute", "memory", "loader"}};
}

MachineRun measure_machine(const MachineCases& cases, double seconds, RunRequest request,
                           const Launching& launching) {
  constexpr double kNs = 1e9;
  const ScratchFolder folder("stepbench-machine");
  request.file = "doctor";
  request.text = cases.yaml;
  request.results = folder.path();
  request.stores_results = false;
  const PlannedRun run = plan_experiment(request, launching.context, true);
  std::map<std::string, std::string> names;
  for (std::size_t i = 0; i < cases.names.size(); ++i) {
    names.emplace(run.planned.plan.cases.at(i).resolved.case_id, cases.names[i]);
  }
  const std::int64_t begin_ns = launching.clock.now_ns();
  const auto passed = [&] {
    return static_cast<double>(launching.clock.now_ns() - begin_ns) / kNs;
  };
  const auto measured = [](const record::Launch& launch) {
    return launch.row.outcome.kind == Outcome::Kind::kMeasured;
  };
  request.is_enough = [&](const record::Results& finished) {
    const auto& launches = finished.launches;
    // Stop if every launch so far failed: further ones would fail, too.
    return passed() >= seconds ||
           (!launches.empty() && std::none_of(launches.begin(), launches.end(), measured));
  };
  const RunEnd end = run_experiment(request, run, launching);
  MachineRun result{.noise = verdict::machine_noise(end.results, names), .signal = end.signal};
  result.noise.seconds = passed();
  result.noise.measured_utc = text::utc_text(std::chrono::system_clock::now());
  for (const record::Launch& launch : end.results.launches) {
    if (!measured(launch) && result.failed.empty()) result.failed = launch.row.outcome.reason;
  }
  return result;
}

}  // namespace stepbench::campaign

namespace stepbench::verdict {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

template <typename V>
void fields(V& v, json::Of<CaseSpread> auto& spread) {
  if constexpr (V::kReads) {
    spread.step_ns = spread.launch_sd = spread.minutes_sd = kNone;
    spread.found_by_10 = spread.found_by_40 = kNone;
    spread.aa_interval = {-1, std::numeric_limits<double>::infinity()};
  }
  v("name", spread.name, json::kFilled)("launches", spread.launches)("step_ns", spread.step_ns);
  v("step_sd", spread.step_sd)("launch_sd", spread.launch_sd)("minutes_sd", spread.minutes_sd);
  v("found_by_10_pairs", spread.found_by_10)("found_by_40_pairs", spread.found_by_40);
  v("aa_change", spread.aa_change)("aa_low", spread.aa_interval.low);
  v("aa_high", spread.aa_interval.high)("differs", spread.differs);
}

template <typename V>
void fields(V& v, json::Of<MachineNoise> auto& noise) {
  if constexpr (V::kReads) noise.seconds = kNone;
  v.constant("schema", campaign::kMachineSchema).constant("version", campaign::kMachineVersion);
  v("measured_utc", noise.measured_utc, json::kFilled)("machine", noise.machine);
  v("seconds", noise.seconds)("steal_share", noise.steal_share);
  v("others_share", noise.others_share)("cases", noise.cases)("too_few", noise.too_few);
}

}  // namespace stepbench::verdict

namespace stepbench::campaign {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFlag = "--measure";

fs::path machine_file(const machine::Variables& variables, const Fields& identity) {
  fs::path folder;
  if (const auto state = machine::find_variable(variables, "XDG_STATE_HOME");
      state && !state->empty()) {
    folder = *state;
  } else if (const auto home = machine::find_variable(variables, "HOME"); home && !home->empty()) {
    folder = fs::path{*home} / ".local/state";
  } else {
    return {};
  }
  std::string host = text_of(identity, "host");
  std::replace(host.begin(), host.end(), '/', '_');
  return folder / "stepbench" / formatted("machine-{}.json", host);
}

verdict::MachineNoise read_noise(const std::string& text) {
  json::LineParser parser;
  const json::LineObject source = parser.parse(text, json::LineParser::Padding::kNone).object;
  static_cast<void>(json::minor_version(source, kMachineSchema, kMachineVersion));
  auto noise = json::read<verdict::MachineNoise>(source);
  if (noise.cases.empty()) throw json::LineError("it has no case");
  const auto need = [](double value, const char* field) {
    if (!(value >= 0)) throw json::LineError(std::string(field) + " is not given");
  };
  need(noise.seconds, "seconds");
  for (const verdict::CaseSpread& spread : noise.cases) {
    need(spread.step_ns, "step_ns");
    need(spread.launch_sd, "launch_sd");
    need(spread.minutes_sd, "minutes_sd");
    need(spread.found_by_10, "found_by_10_pairs");
    need(spread.found_by_40, "found_by_40_pairs");
  }
  return noise;
}

}  // namespace

Fields machine_identity(const fs::path& root) {
  const Fields all = machine::host_environment(root, {});
  return {{"host", text_of(all, "host")},
          {"cpu.model", text_of(all, "cpu.model")},
          {"cores", std::int64_t{machine::cores_in_affinity(root)}}};
}

StoredMachine stored_machine(const machine::Variables& variables, const Fields& identity) {
  StoredMachine stored{.file = machine_file(variables, identity)};
  std::error_code ignored;
  if (stored.file.empty() || !fs::exists(stored.file, ignored)) return stored;
  const auto again = [&](const std::string& why) {
    stored.problem = formatted(
        "what this machine can show is unknown: {}: {}; `stepbench doctor --measure` measures it "
        "again",
        stored.file.string(), why);
  };
  const auto text = os::read_text(stored.file);
  if (!text) {
    again("cannot be read");
    return stored;
  }
  try {
    verdict::MachineNoise noise = read_noise(*text);
    for (const auto& [name, value] : identity) {
      const auto then = noise.machine.find(name);
      if (then != noise.machine.end() && then->second == value) continue;
      again(formatted("was measured with another {} ({}, now {})", name,
                      then == noise.machine.end() ? "not given" : to_text(then->second),
                      to_text(value)));
      return stored;
    }
    stored.noise = std::move(noise);
  } catch (const Error& error) {
    again(error.what());
  }
  return stored;
}

fs::path place_for_machine(const machine::Variables& variables, const Fields& identity) {
  fs::path file = machine_file(variables, identity);
  const std::string remedy = "; set XDG_STATE_HOME to a folder that can be written";
  if (file.empty()) throw ConfigError(kFlag, "has no place to keep what it finds" + remedy);
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (!error && ::access(file.parent_path().c_str(), W_OK | X_OK) != 0) {
    error.assign(errno, std::generic_category());
  }
  if (error) {
    throw ConfigError(kFlag, formatted("cannot keep what it finds in {}: {}{}",
                                       file.parent_path().string(), error.message(), remedy));
  }
  return file;
}

void store_machine(const fs::path& file, const verdict::MachineNoise& noise) {
  os::OutputFile out(kFlag, file);
  out.write(machine_json(noise) + '\n');
  out.close();
}

std::string machine_json(const verdict::MachineNoise& noise) { return json::object_text(noise); }

namespace {

run::GroupRequest group_of(const RanksRequest& request, const CampaignContext& context) {
  machine::Variables variables =
      machine::launcher_environment(context.variables, ResolvedCase{}).variables;
  if (!request.interpreter.empty()) {
    std::erase_if(variables,
                  [](const auto& each) { return each.first == run::kInterpreterVariable; });
    variables.emplace_back(run::kInterpreterVariable, request.interpreter);
  }
  const std::string interpreter = run::find_interpreter(variables);
  const catalogue::Launcher& launcher = catalogue::launcher_named(request.launcher);
  const std::string program = (context.program_dir / "stepbench").string();
  run::GroupRequest group{.worker = {}, .launcher = launcher, .ranks = request.ranks};
  group.worker.spawn.argv = {
      interpreter, run::find_script_worker(context.program_dir).path.string(),
      formatted("--control-fd={}", run::kControlDescriptor), "--check-ranks"};
  group.worker.spawn.environment = std::move(variables);
  group.worker.message.resolved.workload = run::kScriptWorkload;
  group.worker.limits.join_ns = std::llround(request.join_s * 1e9);
  group.build = run::program_build_id(program);
  group.launcher_words = run::launch_words(
      launcher, request.ranks, run::split_command(request.launcher_args, "--launcher-args"),
      program, interpreter);
  return group;
}

RankSeen rank_of(int rank, const Fields& rank_facts) {
  RankSeen seen{.rank = rank};
  seen.host = text_of(rank_facts, "host");
  seen.local_rank = text_of(rank_facts, "local_rank");
  seen.cpus = text_of(rank_facts, "cpus");
  seen.omp_threads = text_of(rank_facts, "omp_threads");
  if (const auto threads = number_of(rank_facts, "torch_threads")) {
    seen.torch_threads = static_cast<std::int64_t>(*threads);
  }
  seen.devices = static_cast<std::int64_t>(number_of(rank_facts, "devices").value_or(0));
  return seen;
}

// Number of CPUs in "0-3,8".
std::int64_t count_of(std::string_view cpus) {
  std::int64_t count = 0;
  while (!cpus.empty()) {
    const std::string_view part = cpus.substr(0, cpus.find(','));
    cpus.remove_prefix(std::min(part.size() + 1, cpus.size()));
    const std::size_t dash = part.find('-');
    const std::int64_t first = os::parse_integer(part.substr(0, dash)).value_or(0);
    const std::int64_t last = dash == std::string_view::npos
                                  ? first
                                  : os::parse_integer(part.substr(dash + 1)).value_or(0);
    count += last - first + 1;
  }
  return count;
}

void add_slowest(std::optional<double>& slowest, const record::LaunchReport& report,
                 std::string_view name) {
  const auto found = report.metrics.find(name);
  if (found == report.metrics.end() || !found->second) return;
  slowest = std::max(slowest.value_or(0), *found->second);
}

}  // namespace

RanksSeen examine_ranks(const RanksRequest& request, const CampaignContext& context,
                        run::Interrupts& interrupts, const Clock& clock) {
  run::become_subreaper();
  const run::GroupRequest group = group_of(request, context);
  const run::GroupResult result =
      run::run_group(group, {.clock = clock, .interrupts = interrupts, .root = "/"});
  RanksSeen seen{.interrupted = result.interrupted()};
  const run::LaunchResult& first = result.ranks.front();
  seen.start_ns = static_cast<double>(first.wall_ns);
  if (first.outcome.kind != Outcome::Kind::kMeasured) {
    seen.failed = first.outcome.reason;
    seen.output = first.output;
    return seen;
  }
  for (std::size_t rank = 0; rank < result.ranks.size(); ++rank) {
    const record::LaunchReport& report = result.ranks[rank].report;
    seen.ranks.push_back(rank_of(static_cast<int>(rank), report.effective));
    add_slowest(seen.barrier_ns, report, "barrier_ns");
    add_slowest(seen.all_reduce_ns, report, "all_reduce_ns");
  }
  const Fields& rank_facts = first.report.effective;
  seen.address = text_of(rank_facts, "address") + ":" + text_of(rank_facts, "port");
  seen.backend = text_of(rank_facts, "backend");
  seen.missing = text_of(rank_facts, "missing");
  return seen;
}

std::vector<Finding> diagnose_ranks(const RanksSeen& seen) {
  std::vector<Finding> findings;
  const auto add = [&](std::string id, Severity severity, std::string text, std::string remedy) {
    Finding finding{.id = std::move(id), .severity = severity, .text = std::move(text)};
    finding.remedy = std::move(remedy);
    findings.push_back(std::move(finding));
  };
  if (!seen.missing.empty()) {
    add("ranks.no_torch", Severity::kWarning, "nothing was exchanged: " + seen.missing,
        "name a Python that has torch: --interpreter PATH");
  }
  // By host and CPUs: number of threads that compete for them.
  std::map<std::pair<std::string, std::string>, std::int64_t> wanted;
  for (const RankSeen& rank : seen.ranks) {
    wanted[{rank.host, rank.cpus}] += rank.torch_threads.value_or(1);
  }
  for (const auto& [place, threads] : wanted) {
    const std::int64_t cpus = count_of(place.second);
    if (cpus == 0 || threads <= cpus) continue;
    add("ranks.crowded", Severity::kWarning,
        formatted("{} of ranks share {} ({}) of {}", text::counted(threads, "thread"),
                  text::counted(cpus, "CPU"), place.second, place.first),
        "fewer ranks or threads (--set threads.intra_op=1), or more CPUs a rank: an option of the "
        "launcher, as --cpus-per-task of srun, --bind-to none of mpirun");
  }
  std::map<std::string, std::int64_t> ranks_of_host;
  std::map<std::string, std::int64_t> devices_of_host;
  for (const RankSeen& rank : seen.ranks) {
    ++ranks_of_host[rank.host];
    devices_of_host[rank.host] = std::max(devices_of_host[rank.host], rank.devices);
  }
  for (const auto& [host, ranks] : ranks_of_host) {
    const std::int64_t devices = devices_of_host[host];
    if (devices == 0 || ranks <= devices) continue;
    add("ranks.few_devices", Severity::kWarning,
        formatted("{} on {}, which has {}", text::counted(ranks, "rank"), host,
                  text::counted(devices, "GPU")),
        "use one rank per GPU: NCCL refuses two ranks of a group on one GPU");
  }
  return findings;
}

namespace {

bool is_undecided(const verdict::Comparison& comparison) {
  return std::any_of(
      comparison.cases.begin(), comparison.cases.end(), [](const verdict::CaseResult& one) {
        return std::any_of(one.metrics.begin(), one.metrics.end(), [](const auto& metric) {
          return metric.timed && metric.decides &&
                 metric.test.verdict == verdict::Verdict::kInconclusive;
        });
      });
}

}  // namespace

std::string stored_machine_text(const machine::Variables& variables) {
  const StoredMachine stored = stored_machine(variables, machine_identity("/"));
  return stored.noise ? verdict::to_text(*stored.noise) : stored.problem;
}

void quote_machine(const machine::Variables& variables,
                   std::span<verdict::Comparison> comparisons) {
  const std::set<std::string> here = {machine::host_name("/")};
  for (verdict::Comparison& comparison : comparisons) {
    if (is_undecided(comparison) && comparison.hosts == here) {
      comparison.machine = stored_machine_text(variables);
    }
  }
}

}  // namespace stepbench::campaign
