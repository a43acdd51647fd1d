// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/python_step_section.h"

#include <string_view>
#include <utility>

#include "workloads/loader/analysis/loader_report.h"
#include "workloads/model/model_section.h"

namespace stepbench::step {

Section step_section() {
  return {.name = "step",
          .doc =
              "A step of your own in Python. The file defines make(), which returns an object "
              "with step(self, record), or step(record) itself; they get the arguments under "
              "`python` that they take.",
          .selector = {},
          .options = {
              {.name = "path",
               .type = OptionType::kPath,
               .doc = "The Python file. Modules beside it can be imported.",
               .required = true,
               .identity = Identity::kContext,
               .must_exist = true},
              {.name = "id",
               .type = OptionType::kString,
               .doc = "A name for the step. Cases with different ids are different cases; the path "
                      "alone makes no difference."},
          }};
}

std::vector<Phase> python_step_phases() {
  return {{"clip_grad", "The user's code limits the gradient."},
          {"lr_scheduler", "The user's code sets the learning rate."},
          {"ema", "The user's code averages weights."},
          {"metrics", "The user's code computes metrics or writes logs."},
          {"checkpoint", "The user's code writes the state of training."}};
}

std::vector<Metric> python_step_metrics() {
  std::vector<Metric> metrics = model::model_metrics();
  for (Metric& metric : loader::loader_metrics()) {
    if (std::string_view(metric.name).starts_with("python_")) metrics.push_back(std::move(metric));
  }
  return metrics;
}

}  // namespace stepbench::step
