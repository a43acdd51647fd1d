// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/plan/plan.h"
#include "tests/testing.h"

namespace stepbench::testing {

// Small and fixed, so that these tests do not depend on the built-in workloads: data {kind:
// synthetic(samples, cost) | files(path, size)}, loader {engine, batch_size, num_workers, prefetch,
// pin_memory}, model {width, rate}; workloads `loader` (data, loader) and `train` (all three).
const Catalogue& sample_catalogue();

struct Refusal {
  std::string where;  // without the folder of the file
  std::string what;
};

using Change = std::function<void(plan::PlanRequest&)>;

// The plan of a file sweep.yaml with this text.
plan::Plan plan_of(const std::string& yaml, const Change& change = {},
                   std::span<const WorkloadRule> rules = {});
// The ConfigError of the text; where is empty if it gives a plan.
Refusal refusal_of(const std::string& yaml, const Change& change = {},
                   std::span<const WorkloadRule> rules = {});

// "num_workers=4" for each varying option, by name; one text per case.
std::vector<std::string> points(const plan::Plan& plan);
std::vector<std::string> ids(const plan::Plan& plan);

}  // namespace stepbench::testing
