// SPDX-License-Identifier: Apache-2.0
#include "workloads/catalogue/sections.h"

namespace stepbench {
namespace {

Option zero_or_more(std::string name, std::string doc) {
  return {.name = std::move(name),
          .type = OptionType::kNumber,
          .doc = std::move(doc),
          .default_value = 0.0,
          .min = 0,
          .identity_default = 0.0};
}

}  // namespace

Section optimizer_section() {
  return {
      .name = "optimizer",
      .doc = "The update at the end of a training step.",
      .selector = "kind",
      .options =
          {
              {.name = "kind",
               .type = OptionType::kEnum,
               .doc = "Update rule, as torch.optim's class of that name.",
               .default_value = std::string{"sgd"},
               .choices = {"sgd"},
               .identity_default = std::string{"sgd"}},
              {.name = "implementation",
               .type = OptionType::kEnum,
               .doc = "single: a loop over parameters with one small operation after another. "
                      "foreach: one "
                      "multi-tensor operation per kind of arithmetic (Python's default on CUDA). "
                      "fused: one operation "
                      "for the whole update.",
               .default_value = std::string{"single"},
               .choices = {"single", "foreach", "fused"},
               .identity_default = std::string{"single"}},
              {.name = "lr",
               .type = OptionType::kNumber,
               .doc = "Learning rate.",
               .default_value = 0.01,
               .min = 0,
               .identity_default = 0.01},
              zero_or_more("weight_decay", "L2 penalty."),
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
                        .doc = "Nesterov's momentum.",
                        .default_value = false,
                        .identity_default = false,
                        .requires_ = Requires{.option = "optimizer.momentum",
                                              .op = Requires::Op::kGreater,
                                              .value = 0.0,
                                              .doc = "needs momentum > 0"}},
                   }},
          },
  };
}

}  // namespace stepbench
