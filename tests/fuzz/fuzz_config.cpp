// SPDX-License-Identifier: Apache-2.0
// An experiment file, with the options and the rules of this project.
#include "harness/base/error.h"
#include "harness/plan/plan.h"
#include "tests/fuzz/memory_file.h"
#include "workloads/built_in.h"

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  plan::PlanRequest request;
  request.file = "input.yaml";
  request.text = std::string(fuzz::text_of(data, size));
  request.max_cases = 1000;
  try {
    const plan::Plan first = plan::make_plan(request, built_in_catalogue(), built_in_rules());
    const plan::Plan again = plan::make_plan(request, built_in_catalogue(), built_in_rules());
    fuzz::require(first.digest == again.digest && first.cases.size() <= 1000,
                  "the same text is the same plan");
  } catch (const Error&) {
  }
  return 0;
}
