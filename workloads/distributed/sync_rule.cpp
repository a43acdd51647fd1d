// SPDX-License-Identifier: Apache-2.0
#include "workloads/distributed/sync_rule.h"

#include <functional>
#include <string>
#include <utility>

namespace stepbench::distributed {
namespace {

using std::string_literals::operator""s;

using Refuse = std::function<void(const std::string& option, const std::string& reason)>;

// Clears the options that only apply to ddp; calls `refuse` for each that was set.
void drop_ddp_options(ResolvedCase& resolved, const Refuse& refuse) {
  const std::pair<std::string, Value> options[] = {
      {"distributed.bucket_cap_mb", "auto"s},
      {"distributed.gradient_as_bucket_view", false},
      {"distributed.find_unused_parameters", false},
      {"distributed.static_graph", false},
      {"distributed.comm_hook", "none"s},
  };
  for (const auto& [name, usual] : options) {
    if (!resolved.has(name)) continue;
    if (resolved.options[name] != usual) refuse(name, "needs distributed.sync: ddp");
    resolved.options[name] = {};
  }
}

}  // namespace

void refuse_sync(ResolvedCase& resolved, RuleSink& sink) {
  if (resolved.has(kSync)) {
    sink.error(kSync, "`workload: " + resolved.workload +
                          "` has no model of which stepbench would exchange gradients; "
                          "train_step has one");
  }
  drop_ddp_options(resolved, [&](const std::string& option, const std::string&) {
    sink.error(option, "is of gradients, and `workload: " + resolved.workload +
                           "` has no model of which stepbench would exchange them");
  });
}

void check_group_train_step(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  if (resolved.integer_or("distributed.ranks", 1) == 1) return;
  if (!resolved.has(kSync)) resolved.options[kSync] = "ddp"s;
  const auto refuse = [&](const char* option, const std::string& reason) {
    facts.swept ? sink.skip(std::string(option) + ": " + reason) : sink.error(option, reason);
  };
  // In a sweep they belong to its points with ddp.
  if (resolved.text(kSync) != "ddp") {
    drop_ddp_options(resolved, [&](const std::string& option, const std::string& reason) {
      if (!facts.swept) sink.error(option, reason);
    });
  }
  if (resolved.flag_or("model.cuda_graph", false)) {
    refuse("model.cuda_graph", "is for one process: a graph would hold what ranks exchange");
  }
  const std::string engine = resolved.text_or("loader.engine", "");
  if (engine == "python") {
    refuse("loader.engine",
           "python takes all samples in each of the ranks; use thread or fork, or measure your "
           "own script with its DistributedSampler (`stepbench run --python`)");
  } else if (engine == "iterable") {
    sink.note(
        "loader.engine: iterable deals out nothing to ranks: loader() has to take its share by "
        "RANK and WORLD_SIZE itself");
  }
  const std::string device = resolved.text("device");
  if (device.starts_with("cuda:")) {
    refuse("device", device + " is one device, and each rank has its own; use device: cuda");
  }
}

}  // namespace stepbench::distributed
