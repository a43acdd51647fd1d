// SPDX-License-Identifier: Apache-2.0
// The sections `model` and `plugin` of the catalogue, the metrics of a model step in addition to
// those of its loader, and their rule. Torch-free.
#pragma once

#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"

namespace stepbench::model {

[[nodiscard]] Section model_section();
[[nodiscard]] Section plugin_section();
[[nodiscard]] std::vector<Metric> model_metrics();

// Rejects a model that cannot take the data, a loss that does not fit, a CUDA graph that cannot be
// captured.
void check_model(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::model
