// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/compare_files.h"

#include <utility>

#include "harness/campaign/compare_key.h"
#include "harness/campaign/verdict_options.h"

namespace stepbench {

Comparison compare_files(const CompareRequest& request, const Catalogue& catalogue) {
  const Results base = read_results(request.base);
  const Results candidate = read_results(request.candidate);
  std::vector<std::string> known = {"all", "missing"};
  known.insert(known.end(), gate_names().begin(), gate_names().end());
  for (const Results* side : {&base, &candidate}) {
    for (std::string& field : environment_fields(*side)) known.push_back(std::move(field));
  }
  check_allowed(request.allow, known);
  const std::vector<Metric> columns =
      common_columns({&base, request.base}, {&candidate, request.candidate});
  CompareOptions options{
      .tested = tested_metrics({request.metrics, request.margins}, columns, nullptr),
      .allow = request.allow,
      .bootstrap = request.bootstrap,
      .allow_inconclusive = request.allow_inconclusive};
  if (!request.ignore.empty()) {
    options.ignore = full_names(request.ignore, base, candidate);
    options.key = key_without(options.ignore, catalogue);
  }
  Comparison comparison = compare({&base, request.base}, {&candidate, request.candidate}, options);
  if (comparison.cases.empty() && request.ignore.empty()) {
    std::string why = why_nothing_joins(base, candidate, catalogue);
    if (!why.empty()) comparison.warnings.push_back(std::move(why));
  }
  return comparison;
}

}  // namespace stepbench
