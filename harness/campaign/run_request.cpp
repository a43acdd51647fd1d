// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/run_request.h"

#include <algorithm>
#include <charconv>

#include "harness/base/error.h"
#include "harness/fleet/rank_place.h"
#include "harness/text/words.h"

namespace stepbench::campaign {
namespace {

constexpr const char* kShard = "STEPBENCH_SHARD";

std::string value_of(const machine::Variables& variables, std::string_view name) {
  return std::string(machine::find_variable(variables, name).value_or(""));
}

}  // namespace

plan::Shard parse_shard(const std::string& text) {
  if (text.empty()) return {};
  const char* const end = text.data() + text.size();
  std::int64_t index = 0;
  std::int64_t count = 0;
  const auto [slash, first] = std::from_chars(text.data(), end, index);
  const bool parted = first == std::errc{} && slash != end && *slash == '/';
  const auto [rest, second] =
      parted ? std::from_chars(slash + 1, end, count) : std::from_chars_result{};
  if (!parted || second != std::errc{} || rest != end || index < 1 || count < 1 || index > count) {
    throw ConfigError("--shard", "`" + text + "` is not I/N with 1 <= I <= N, as in 2/4");
  }
  return {.index = index - 1, .count = count};
}

plan::Shard shard_here(const std::string& given, const machine::Variables& variables) {
  if (!given.empty()) return parse_shard(given);
  if (const std::string shard = value_of(variables, kShard); !shard.empty()) {
    try {
      return parse_shard(shard);
    } catch (const ConfigError&) {
      throw ConfigError(kShard, "`" + shard + "` is not I/N with 1 <= I <= N, as in 2/4");
    }
  }
  for (const char* task : {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"}) {
    if (value_of(variables, task).empty()) continue;
    throw ConfigError("--shard", "is missing: " + std::string(task) +
                                     " is set, so this is one of several tasks, and their number "
                                     "is unknown; give --shard I/N, or 1/1 for the whole plan");
  }
  return {};
}

void refuse_copies(const plan::Plan& plan, const OneStart& start,
                   const machine::Variables& variables) {
  const auto several = fleet::one_of_several(variables);
  const bool is_part =
      start.shard && (!start.shard->empty() || !value_of(variables, kShard).empty());
  if (!several || is_part) return;
  const auto has_one_rank = [](const plan::PlannedCase& planned) {
    return planned.resolved.integer_or("distributed.ranks", 1) < 2;
  };
  if (several->may_be_stale && std::ranges::none_of(plan.cases, has_one_rank)) return;
  const std::string world = std::to_string(several->world);
  std::string remedy =
      "start stepbench once: `stepbench " + start.ranks + world + "` starts the ranks itself";
  if (start.shard) {
    remedy += "; or say --shard I/" + world + " to measure a part of the plan in each";
  }
  if (several->may_be_stale) remedy += "; or unset the two where they are left from another job";
  const std::string fact = " are set, so that this is one of " + world +
                           " processes, each of which would measure the whole plan; " + remedy;
  if (start.shard) throw ConfigError("--shard", "is missing: " + several->variables + fact);
  throw ConfigError("the environment", several->variables + fact);
}

void keep_cases(plan::Plan& plan, const std::vector<std::string>& ids) {
  if (ids.empty()) return;
  const auto begins = [](const plan::PlannedCase& planned, const std::string& id) {
    return planned.resolved.case_id.starts_with(id);
  };
  for (const std::string& id : ids) {
    if (id.empty()) {
      throw ConfigError("--case",
                        "is empty; expected the beginning of a case's id, as in --case 1a2b");
    }
    if (std::none_of(plan.cases.begin(), plan.cases.end(),
                     [&](const auto& planned) { return begins(planned, id); })) {
      throw ConfigError("--case", "no case of this plan has an id that begins with `" + id +
                                      "`; `stepbench plan` lists them");
    }
  }
  std::erase_if(plan.cases, [&](const plan::PlannedCase& planned) {
    return std::none_of(ids.begin(), ids.end(),
                        [&](const auto& id) { return begins(planned, id); });
  });
}

std::string repeat_prefix(const RunRequest& request) {
  std::string command = "stepbench run " + text::shell_word(request.file);
  for (const std::string& assignment : request.set)
    command += " --set " + text::shell_word(assignment);
  for (const std::string& axis : request.sweep) command += " --sweep " + text::shell_word(axis);
  if (!request.worker.empty()) command += " --worker " + text::shell_word(request.worker);
  if (!request.wrap.empty()) command += " --wrap " + text::shell_word(request.wrap);
  if (!request.profile.empty()) command += " --profile=" + request.profile;
  if (request.smoke) command += " --smoke";
  if (request.quick) command += " --quick";
  if (request.stores_results && request.results != RunRequest{}.results) {
    command += " --results " + text::shell_word(request.results);
  }
  return command;
}

}  // namespace stepbench::campaign
