// SPDX-License-Identifier: Apache-2.0
// The sections `model` and `plugin` of the catalogue, the metrics of a model step in addition to
// those of its loader, and their rules. Torch-free, but check_plugin() is part of workers only.
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

// Rule that checks a model plug-in's options during planning.

// A rule for the worker's `check`: for model.kind: plugin, checks that the file is a plug-in of
// this build and accepts the options under `plugin`. Loads it.
void check_plugin(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::model
