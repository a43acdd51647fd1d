// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/optimizer_section.h"

namespace stepbench::step {
namespace {

Option zero_or_more(std::string name, std::string doc) {
  return {.name = std::move(name),
          .type = OptionType::kNumber,
          .doc = std::move(doc),
          .default_value = 0.0,
          .min = 0,
          .identity_default = 0.0};
}

Option below_one(std::string name, std::string doc, double value) {
  return {.name = std::move(name),
          .type = OptionType::kNumber,
          .doc = std::move(doc),
          .default_value = value,
          .min = 0,
          .max = 1,
          .identity_default = value};
}

std::vector<Option> adam_options() {
  return {below_one("beta1", "Decay of the running mean of gradients.", 0.9),
          below_one("beta2", "Decay of the running mean of squared gradients.", 0.999),
          below_one("eps", "Added to the denominator.", 1e-8)};
}

}  // namespace

Section optimizer_section() {
  Section section{
      .name = "optimizer",
      .doc = "The update at the end of a training step.",
      .selector = "kind",
      .options =
          {
              {.name = "kind",
               .type = OptionType::kEnum,
               .doc = "Update rule, as torch.optim's class of that name.",
               .default_value = std::string{"sgd"},
               .choices = {},
               .identity_default = std::string{"sgd"}},
              {.name = "implementation",
               .type = OptionType::kEnum,
               .doc = "single: a loop over parameters with one small operation after another. "
                      "foreach: one multi-tensor operation per kind of arithmetic (Python's "
                      "default on CUDA). fused: one operation for the whole update.",
               .default_value = std::string{"single"},
               .choices = {"single", "foreach", "fused"},
               .identity_default = std::string{"single"}},
              {.name = "lr",
               .type = OptionType::kNumber,
               .doc = "Learning rate.",
               .default_value = 0.01,
               .min = 0,
               .identity_default = 0.01,
               .also_called = {"learning_rate"}},
              zero_or_more("weight_decay",
                           "Decay of the weights: an L2 penalty, or decoupled from the gradient "
                           "with adamw, where torch.optim defaults to 0.01."),
              zero_or_more(
                  "clip_norm",
                  "Scale gradients down so that their total norm is at most this; 0: never."),
              {.name = "set_to_none",
               .type = OptionType::kBool,
               .doc = "zero_grad frees gradients instead of filling them with zeros.",
               .default_value = true,
               .identity_default = true},
          },
      .variants =
          {
              {.name = "sgd",
               .doc = "Stochastic gradient descent, with momentum if asked for.",
               .options =
                   {
                       zero_or_more("momentum", "Momentum factor; 0: plain SGD without state."),
                       {.name = "nesterov",
                        .type = OptionType::kBool,
                        .doc = "Nesterov's momentum. It needs momentum > 0.",
                        .default_value = false,
                        .identity_default = false},
                   }},
              {.name = "adam",
               .doc = "Adam, with an L2 penalty if asked for.",
               .options = adam_options()},
              {.name = "adamw",
               .doc = "Adam with decoupled weight decay.",
               .options = adam_options()},
          },
  };
  for (const Variant& kind : section.variants) section.options[0].choices.push_back(kind.name);
  return section;
}

void check_optimizer(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  if (!resolved.flag_or("optimizer.nesterov", false)) return;
  if (resolved.number("optimizer.momentum") > 0) return;
  if (!facts.swept) {
    sink.error("optimizer.nesterov", "needs optimizer.momentum > 0; here it is 0");
  }
  resolved.options["optimizer.nesterov"] = false;
  sink.no_effect("optimizer.nesterov", "optimizer.momentum > 0");
}

}  // namespace stepbench::step
