// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/examine_ranks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "harness/base/option_values.h"
#include "harness/machine/launcher_environment.h"
#include "harness/os/text_file.h"
#include "harness/run/group_launch.h"
#include "harness/run/interpreter.h"
#include "harness/run/script_worker.h"
#include "harness/run/worker_program.h"
#include "harness/run/wrap.h"
#include "harness/text/words.h"

namespace stepbench::campaign {
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
  const fleet::LauncherRow& launcher = fleet::launcher_named(request.launcher);
  const std::string program = (context.program_dir / "stepbench").string();
  run::GroupRequest group{.worker = {}, .launcher = launcher.launcher, .ranks = request.ranks};
  group.worker.spawn.argv = {
      interpreter, run::find_script_worker(context.program_dir).path.string(),
      "--control-fd=" + std::to_string(run::kControlDescriptor), "--check-ranks"};
  group.worker.spawn.environment = std::move(variables);
  group.worker.message.resolved.workload = run::kScriptWorkload;
  group.worker.limits.join_ns = std::llround(request.join_s * 1e9);
  group.build = run::program_build_id(program);
  group.launcher_words = fleet::launch_words(
      launcher.launcher, request.ranks,
      run::split_command(request.launcher_args, "--launcher-args"), program, interpreter);
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
        text::counted(threads, "thread") + " of ranks share " + text::counted(cpus, "CPU") + " (" +
            place.second + ") of " + place.first,
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
        text::counted(ranks, "rank") + " on " + host + ", which has " +
            text::counted(devices, "GPU"),
        "use one rank per GPU: NCCL refuses two ranks of a group on one GPU");
  }
  return findings;
}

}  // namespace stepbench::campaign
