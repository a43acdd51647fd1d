// SPDX-License-Identifier: Apache-2.0
// The documented table of rules must equal the implemented one.
#include "harness/os/text_file.h"
#include "harness/text/numbers.h"
#include "harness/traces/rules.h"
#include "tests/testing.h"

namespace stepbench::traces {
namespace {

std::string threshold_in_words(const TraceRule& rule) {
  if (rule.unit == "ns") return text::short_number(rule.threshold / 1e6) + " ms";
  if (rule.unit == "percent") return text::short_number(rule.threshold) + " %";
  if (rule.unit == "per step") return text::short_number(rule.threshold) + " per step";
  if (rule.threshold > 1) return text::short_number(rule.threshold) + " times";
  return text::short_number(rule.threshold * 100) + " %";
}

TEST(TraceRules, Document_StatesEachThreshold) {
  const std::string document =
      os::read_text(STEPBENCH_SOURCE_DIR "/results/ANALYSIS.md").value_or("");
  for (const TraceRule& rule : trace_rules()) {
    std::string row = "| `" + std::string(rule.id) + "` | " + std::string(rule.about) + " | " +
                      threshold_in_words(rule) + " | ";
    if (!rule.nsys.empty()) row += "`" + std::string(rule.nsys) + "` ";
    EXPECT_THAT(document, HasSubstr(row + "|\n"));
  }
}

}  // namespace
}  // namespace stepbench::traces
