// SPDX-License-Identifier: Apache-2.0
#include "harness/run/group_end.h"

#include <utility>

#include "harness/os/process_exit.h"
#include "harness/run/stack_place.h"

namespace stepbench::run {
namespace {

std::string name_of_rank(int rank) { return "rank " + std::to_string(rank); }

// Where each rank stands; one that is not in torch while all others are is the culprit.
void name_who_hangs(const GroupEnd& end, GroupCause& cause) {
  std::string words;
  std::vector<int> outside;
  std::size_t known = 0;
  for (const auto& rank : end.ranks) {
    const auto place = rank->exit() ? place_in_stack(rank->exit()->output) : std::nullopt;
    if (!place) continue;
    ++known;
    const int number = rank->join().place.rank;
    if (!place->in_torch) outside.push_back(number);
    words += (words.empty() ? "; " : ", ") + name_of_rank(number) + " stands in " + place->text +
             (place->in_torch ? ", inside torch" : "");
  }
  if (known < end.ranks.size()) return;
  if (outside.size() == 1) {
    const auto& rank = end.ranks.at(static_cast<std::size_t>(outside.front()));
    cause.rank = outside.front();
    cause.outcome.reason = name_of_rank(outside.front()) + ": timed out: " + rank->talk().silence();
  }
  cause.outcome.reason += words;
}

// What the ranks and the launcher said; only of the culprit where there is one.
GroupResult without_ranks(const GroupEnd& end, LaunchResult result, std::optional<int> culprit) {
  result.wall_ns = end.wall_ns;
  for (const auto& rank : end.ranks) {
    if (!rank || !rank->has_begun()) continue;
    const int number = rank->join().place.rank;
    const auto& hello = rank->talk().session().hello();
    if (hello && (!result.hello || culprit == number)) result.hello = hello;
    if (!rank->exit() || rank->exit()->output.empty()) continue;
    if (culprit && culprit != number) continue;
    result.output +=
        (end.ranks.size() > 1 ? "[" + name_of_rank(number) + "]\n" : "") + rank->exit()->output;
  }
  if (end.output.total_bytes() > 0) {
    result.output += "[" + end.launcher + "]\n" + end.output.text();
  }
  GroupResult group;
  group.ranks.push_back(std::move(result));
  return group;
}

}  // namespace

GroupResult measured_group(const GroupEnd& end) {
  GroupResult group;
  for (const auto& rank : end.ranks) {
    WorkerSession& session = rank->talk().session();
    LaunchResult result;
    result.outcome = *session.final_outcome();
    result.stage = rank->talk().stage_name();
    result.hello = session.hello();
    result.report = session.take_report();
    result.samples = session.take_samples();
    result.ops = session.take_ops();
    result.wall_ns = end.wall_ns;
    const fleet::RankJoin& join = rank->join();
    result.machine.emplace("rank.host", join.host);
    result.machine.emplace("rank.cpus", join.cpus);
    if (!join.devices.empty()) result.machine.emplace("rank.devices", join.devices);
    if (rank->exit() && rank->exit()->status != 0 && rank->exit()->status != -1) {
      result.report.notes.push_back("after its final line the worker of " +
                                    name_of_rank(join.place.rank) + " " +
                                    os::exit_text({.status = rank->exit()->status}));
    }
    group.ranks.push_back(std::move(result));
  }
  return group;
}

GroupResult failed_group(const GroupEnd& end, GroupCause cause, bool stacks_asked) {
  if (stacks_asked) name_who_hangs(end, cause);
  LaunchResult result;
  result.outcome = cause.outcome;
  result.stage = cause.stage;
  const std::size_t others = end.ranks.size() - 1;
  if (cause.rank && result.outcome.kind == Outcome::Kind::kFailed) {
    result.outcome.reason += others == 1
                                 ? " (the other rank was ended)"
                                 : " (the other " + std::to_string(others) + " ranks were ended)";
  }
  return without_ranks(end, std::move(result), cause.rank);
}

GroupResult interrupted_group(const GroupEnd& end) {
  LaunchResult result;
  result.interrupted = true;
  result.outcome = Outcome::failed("interrupted");
  return without_ranks(end, std::move(result), {});
}

}  // namespace stepbench::run
