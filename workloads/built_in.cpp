// SPDX-License-Identifier: Apache-2.0
#include "workloads/built_in.h"

#include <array>
#include <utility>
#include <vector>

#include "workloads/data/data_kinds.h"
#include "workloads/data/python_parts.h"
#include "workloads/distributed/distributed_sections.h"
#include "workloads/loader/loader_section.h"
#include "workloads/loader/loader_workload.h"
#include "workloads/model/model_section.h"
#include "workloads/step/step_sections.h"
#include "workloads/transfer/transfer_section.h"

namespace stepbench {
namespace {

std::vector<Metric> model_step_metrics() {
  std::vector<Metric> metrics = loader::loader_metrics();
  for (Metric& metric : model::model_metrics()) metrics.push_back(std::move(metric));
  return metrics;
}

std::vector<Metric> train_step_metrics() {
  std::vector<Metric> metrics = model_step_metrics();
  for (Metric& metric : step::checkpoint_metrics()) metrics.push_back(std::move(metric));
  return metrics;
}

Catalogue make() {
  Catalogue catalogue{.sections = harness_sections(), .workloads = {}};
  for (Section (*section)() :
       {data::data_section, loader::loader_section, loader::emulated_section,
        transfer::transfer_section, transfer::copy_section, model::model_section,
        step::optimizer_section, step::checkpoint_section, model::plugin_section,
        data::python_section, step::script_section, step::step_section, step::generate_section,
        distributed::collective_section}) {
    catalogue.sections.push_back(section());
  }
  catalogue.workloads = {
      {.name = "loader",
       .doc = "The DataLoader alone: how fast can it deliver batches?",
       .sections = {"data", "loader", "emulated", "python"},
       .phases = loader::emulated_phases(),
       .metrics = loader::loader_metrics()},
      {.name = "transfer",
       .doc = "Copies to the device alone: how near do they come to the bus?",
       .sections = {"transfer", "copy"},
       .metrics = transfer::copy_metrics()},
      {.name = "train_step",
       .doc = "One optimizer step on batches of a DataLoader.",
       .sections = {"data", "loader", "transfer", "model", "optimizer", "checkpoint", "plugin",
                    "python"},
       .phases = step::train_phases(),
       .metrics = train_step_metrics()},
      {.name = "eval_step",
       .doc =
           "The forward pass alone, in evaluation mode and without gradients. With schedule.sync: "
           "step its times are latencies.",
       .sections = {"data", "loader", "transfer", "model", "plugin", "python"},
       .metrics = model_step_metrics()},
      {.name = "python_script",
       .doc = "The training loop of a Python script as it is: `for batch in measure(loader):`.",
       .sections = {"script"},
       .phases = step::script_phases(),
       .metrics = step::script_metrics()},
      {.name = "python_step",
       .doc =
           "A training or evaluation step of your own in Python, with phases that it marks itself.",
       .sections = {"step", "python"},
       .phases = step::python_step_phases(),
       .metrics = step::python_step_metrics()},
      {.name = "generate",
       .doc =
           "Text from a language model, greedy and with a key-value cache: prefill, then a token "
           "at a time. One step answers a batch of requests; its times are latencies.",
       .sections = {"data", "loader", "transfer", "model", "generate", "python"},
       .phases = step::generate_phases(),
       .metrics = model_step_metrics()},
      {.name = "collective",
       .doc = "One collective of several ranks alone: how fast is the wire between them?",
       .sections = {"collective"},
       .phases = distributed::collective_phases(),
       .metrics = distributed::collective_metrics()},
  };
  return catalogue;
}

void check_batches(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  data::check_python_arguments(resolved, facts, sink);
  data::check_data(resolved, facts, sink);
  loader::check_sampler(resolved, facts, sink);
  loader::check_loader(resolved, facts, sink);
}

constexpr const char* kRanks = "distributed.ranks";

// For workloads whose step does not exchange with other ranks.
void refuse_ranks(const ResolvedCase& resolved, RuleSink& sink) {
  if (resolved.integer_or(kRanks, 1) == 1) return;
  sink.error(
      kRanks,
      "`workload: " + resolved.workload +
          "` runs in one process; train_step, python_script, python_step and collective take "
          "several ranks");
}

void check_ranks(const ResolvedCase& resolved, RuleSink& sink) {
  if (resolved.integer_or(kRanks, 1) == 1) return;
  const Value* active = resolved.options.get("schedule.active");
  if (active != nullptr && *active == Value(std::string("auto"))) {
    sink.error("schedule.active",
               "auto is for one process: ranks that end at different steps would wait for each "
               "other; give a number");
  }
  if (resolved.text_or("profile.counts", "none") != "none") {
    sink.error("profile.counts", "instructions are counted of one process, not of several ranks");
  }
}

void check_loader_workload(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  refuse_ranks(resolved, sink);
  check_batches(resolved, facts, sink);
  loader::fit_loader_schedule(resolved, facts, sink);
}

void check_transfer_workload(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  refuse_ranks(resolved, sink);
  transfer::check_copy(resolved, facts, sink);
  loader::check_stacks(resolved, facts, sink);
}

void check_script_workload(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  check_ranks(resolved, sink);
  distributed::refuse_sync(resolved, sink);
  step::check_script(resolved, facts, sink);
  loader::check_stacks(resolved, facts, sink);
}

void check_model_step(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  check_batches(resolved, facts, sink);
  transfer::check_transfer(resolved, facts, sink);
  model::check_model(resolved, facts, sink);
  loader::fit_step_schedule(resolved, facts, sink);
}

void check_train_step(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  check_ranks(resolved, sink);
  distributed::check_group_train_step(resolved, facts, sink);
  check_model_step(resolved, facts, sink);
  step::check_optimizer(resolved, facts, sink);
  step::check_checkpoint(resolved, facts, sink);
}

void check_eval_step(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  refuse_ranks(resolved, sink);
  check_model_step(resolved, facts, sink);
}

void check_python_step(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  check_ranks(resolved, sink);
  distributed::refuse_sync(resolved, sink);
  loader::check_stacks(resolved, facts, sink);
}

void check_generate_workload(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  check_eval_step(resolved, facts, sink);
  step::check_generate(resolved, facts, sink);
}

void check_collective_workload(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  check_ranks(resolved, sink);
  distributed::refuse_sync(resolved, sink);
  distributed::check_collective(resolved, facts, sink);
  loader::check_stacks(resolved, facts, sink);
}

}  // namespace

const Catalogue& built_in_catalogue() {
  static const Catalogue catalogue = make();
  return catalogue;
}

std::span<const WorkloadRule> built_in_rules() {
  static constexpr std::array rules = {
      WorkloadRule{"loader", check_loader_workload},
      WorkloadRule{"transfer", check_transfer_workload},
      WorkloadRule{"train_step", check_train_step},
      WorkloadRule{"eval_step", check_eval_step},
      WorkloadRule{"python_script", check_script_workload},
      WorkloadRule{"python_step", check_python_step},
      WorkloadRule{"generate", check_generate_workload},
      WorkloadRule{"collective", check_collective_workload},
  };
  return rules;
}

}  // namespace stepbench
