// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "harness/report/exports.h"
#include "harness/report/internal/comparison_words.h"
#include "harness/report/internal/openmetrics.h"

namespace stepbench::report {
namespace {

void add_test(const ComparedMetric& compared, const std::string& labels, GaugePage& page) {
  const verdict::TestResult& test = *compared.test;
  page.add("stepbench_change_ratio", "Relative change: 0.02 is 2 % more.", labels,
           test.change.value_or(std::nan("")));
  page.add("stepbench_change_low_ratio", "Lower end of the interval of the change.", labels,
           test.interval.low);
  page.add("stepbench_change_high_ratio", "Upper end of the interval of the change.", labels,
           test.interval.high);
  page.add("stepbench_change_corrected_ratio",
           "Relative change of a claim without what being claimed added to it.", labels,
           test.corrected_change);
  page.add("stepbench_regression", "1 where the metric became worse for sure.", labels,
           test.verdict == verdict::Verdict::kRegression ? 1 : 0);
  for (const auto& [side, value] :
       {std::pair{"base", test.base_median}, std::pair{"candidate", test.candidate_median}}) {
    page.add(family_of("compared", compared.metric->unit), "Median over the launches of a side.",
             GaugePage::label_text({{"side", side}}, labels), value);
  }
}

}  // namespace

std::string openmetrics_of_verdict(std::span<const verdict::Comparison> comparisons,
                                   const ExportOptions& options) {
  GaugePage page;
  for (const verdict::Comparison& comparison : comparisons) {
    const std::string sides =
        GaugePage::label_text({{"base", comparison.base}, {"candidate", comparison.candidate}});
    page.add("stepbench_exit_code", kExitCodeHelp, sides, comparison.exit_code);
    page.add("stepbench_verdict", "The verdict of the whole comparison, as a label.",
             GaugePage::label_text({{"verdict", std::string(name_of(comparison.verdict))}}, sides),
             1);
    std::set<std::string> used;
    for (const ComparedMetric& each : compared_metrics({&comparison, 1})) {
      const std::string labels = GaugePage::label_text({{"case", each.of->case_id},
                                                        {"workload", each.of->workload},
                                                        {"metric", each.metric->name}},
                                                       sides);
      if (used.insert(labels).second) add_test(each, labels, page);
    }
  }
  return page.text(options.max_series);
}

}  // namespace stepbench::report
