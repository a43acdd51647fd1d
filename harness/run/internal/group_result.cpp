// SPDX-License-Identifier: Apache-2.0
#include "harness/run/internal/group_result.h"

#include <algorithm>
#include <map>
#include <utility>

#include "harness/base/format.h"
#include "harness/os/process.h"
#include "harness/record/quality.h"
#include "harness/run/internal/worker_output.h"
#include "harness/run/internal/worker_watch.h"

namespace stepbench::run {
namespace {

std::string name_of_rank(int rank) { return formatted("rank {}", rank); }

// Adds each rank's position. If exactly one rank is outside of torch, it is the culprit.
void name_hanging_ranks(const GroupEnd& end, GroupCause& cause) {
  std::string words;
  std::vector<int> outside;
  std::size_t known = 0;
  for (const auto& rank : end.ranks) {
    const auto place = rank->exit() ? place_in_stack(rank->exit()->output) : std::nullopt;
    if (!place) continue;
    ++known;
    const int number = rank->join().place.rank;
    if (!place->in_torch) outside.push_back(number);
    words += formatted("{}{} stands in {}{}", words.empty() ? "; " : ", ", name_of_rank(number),
                       place->text, place->in_torch ? ", inside torch" : "");
  }
  if (known < end.ranks.size()) return;
  if (outside.size() == 1) {
    const auto& rank = end.ranks.at(static_cast<std::size_t>(outside.front()));
    cause.rank = outside.front();
    cause.outcome.reason =
        formatted("{}: timed out: {}", name_of_rank(outside.front()), rank->monitor().silence());
  }
  cause.outcome.reason += words;
}

// Output of the ranks and the launcher; with a culprit, only its own and the launcher's.
GroupResult without_ranks(const GroupEnd& end, LaunchResult result, std::optional<int> culprit) {
  result.wall_ns = end.wall_ns;
  for (const auto& rank : end.ranks) {
    if (!rank || !rank->has_begun()) continue;
    const int number = rank->join().place.rank;
    const auto& hello = rank->monitor().session().hello();
    if (hello && (!result.hello || culprit == number)) result.hello = hello;
    if (!rank->exit() || rank->exit()->output.empty()) continue;
    if (culprit && culprit != number) continue;
    result.output +=
        (end.ranks.size() > 1 ? "[" + name_of_rank(number) + "]\n" : "") + rank->exit()->output;
  }
  if (end.output.total_bytes() > 0) {
    result.output += formatted("[{}]\n{}", end.launcher, end.output.text());
  }
  GroupResult group;
  group.ranks.push_back(std::move(result));
  return group;
}

// Subtracts ranks that share CPUs: they count each other as other programs.
void leave_out_ranks(const GroupEnd& end, std::vector<LaunchResult>& results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto found = results[i].machine.find("others_cpu_share");
    if (found == results[i].machine.end()) continue;
    double others = number_of(found->second).value_or(0);
    const RankJoin& own = end.ranks[i]->join();
    for (std::size_t k = 0; k < results.size(); ++k) {
      const RankJoin& other = end.ranks[k]->join();
      if (k == i || other.host != own.host || other.cpus != own.cpus) continue;
      if (end.ranks[k]->exit()) others -= end.ranks[k]->exit()->cpu_share;
    }
    results[i].machine["others_cpu_share"] = std::max(others, 0.0);
  }
}

}  // namespace

GroupResult measured_group(const GroupEnd& end) {
  GroupResult group;
  for (const auto& rank : end.ranks) {
    WorkerSession& session = rank->monitor().session();
    LaunchResult result;
    result.outcome = *session.final_outcome();
    result.stage = rank->monitor().stage_name();
    result.hello = session.hello();
    result.report = session.take_report();
    result.samples = session.take_samples();
    result.ops = session.take_ops();
    result.wall_ns = end.wall_ns;
    const RankJoin& join = rank->join();
    result.machine.emplace("rank.host", join.host);
    result.machine.emplace("rank.cpus", join.cpus);
    if (!join.devices.empty()) result.machine.emplace("rank.devices", join.devices);
    if (const auto& exit = rank->exit()) {
      for (const auto& [name, value] : exit->machine) result.machine.emplace(name, value);
      JobMemory memory{.compilers_bytes = exit->compilers_bytes,
                       .had_children = exit->had_children};
      if (exit->pss_bytes > 0) memory.pss_bytes = exit->pss_bytes;
      label_memory(memory, result.report);
    }
    if (rank->exit() && rank->exit()->status != 0 && rank->exit()->status != -1) {
      result.report.notes.push_back(formatted("after its final line the worker of {} {}",
                                              name_of_rank(join.place.rank),
                                              os::exit_text({.status = rank->exit()->status})));
    }
    group.ranks.push_back(std::move(result));
  }
  leave_out_ranks(end, group.ranks);
  return group;
}

GroupResult failed_group(const GroupEnd& end, GroupCause cause, bool stacks_asked) {
  if (stacks_asked) name_hanging_ranks(end, cause);
  LaunchResult result;
  result.outcome = cause.outcome;
  result.stage = cause.stage;
  const std::size_t others = end.ranks.size() - 1;
  if (cause.rank && result.outcome.kind == Outcome::Kind::kFailed) {
    result.outcome.reason += others == 1 ? " (the other rank was ended)"
                                         : formatted(" (the other {} ranks were ended)", others);
  }
  return without_ranks(end, std::move(result), cause.rank);
}

GroupResult interrupted_group(const GroupEnd& end) {
  LaunchResult result;
  result.interrupted = true;
  result.outcome = Outcome::failed("interrupted");
  return without_ranks(end, std::move(result), {});
}

void label_group(std::vector<LaunchResult>& ranks) {
  using record::Fact;
  LaunchResult& first = ranks.front();
  std::map<std::string, Value> worst;
  for (const record::FactRow& row : record::facts()) {
    const auto value = [&](const LaunchResult& rank) {
      return record::Quality(rank.machine, rank.report, rank.wall_ns).value(row.fact);
    };
    const LaunchResult* met = &first;
    for (const LaunchResult& rank : ranks) {
      const auto one = value(rank);
      const auto most = value(*met);
      if (!one) continue;
      if (!most || (row.fact == Fact::kClock ? *one < *most : *one > *most)) met = &rank;
    }
    std::vector<std::string_view> names = {row.name};
    if (row.fact == Fact::kWaited) {
      names = {"window_ns", "window_run_queue_wait_ns", "run_queue_wait_ns"};
    }
    for (const std::string_view name : names) {
      const auto found = met->machine.find(name);
      if (found != met->machine.end()) worst.insert_or_assign(std::string(name), found->second);
    }
  }
  for (auto& [name, value] : worst) first.machine.insert_or_assign(name, std::move(value));
  for (LaunchResult& rank : ranks) label_machine(rank.machine, rank.wall_ns, rank.report);
}

}  // namespace stepbench::run
