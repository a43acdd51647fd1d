// SPDX-License-Identifier: Apache-2.0
// One function per section, each in a file of its name, with the rules of its options beside them.
#pragma once

#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"

namespace stepbench {

[[nodiscard]] Section data_section();
[[nodiscard]] Section loader_section();
[[nodiscard]] Section transfer_section();
[[nodiscard]] Section copy_section();
[[nodiscard]] Section model_section();
[[nodiscard]] Section optimizer_section();
[[nodiscard]] Section plugin_section();

// What every workload with a DataLoader reports beyond the harness's metrics
// (workloads/loader/loader_report.h).
[[nodiscard]] std::vector<Metric> loader_metrics();
// What steps of a model report: loader_metrics() and those of model and memory.
[[nodiscard]] std::vector<Metric> model_metrics();

void check_data(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);
void check_loader(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);
// Of the workload transfer.
[[nodiscard]] std::vector<Metric> copy_metrics();
void check_copy(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);
void check_transfer(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);
void check_model(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench
