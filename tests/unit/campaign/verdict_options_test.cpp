// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/run_ab.h"

#include "harness/base/error.h"
#include "tests/testing.h"

namespace stepbench::campaign {
namespace {

verdict::TestedMetrics tested(const std::vector<std::string>& metrics,
                              const std::vector<std::string>& margins,
                              const plan::Plan* plan = nullptr) {
  return tested_metrics({metrics, margins}, {}, plan);
}

std::optional<double> margin_of(const verdict::TestedMetrics& tested, std::string_view name) {
  verdict::TestedMetrics copy = tested;
  const verdict::TestedMetric* metric = verdict::find_tested(copy, name, {});
  return metric == nullptr ? std::nullopt : metric->margin;
}

TEST(VerdictOptions, Margin_IsAShareOrAPercentage) {
  const verdict::TestedMetrics metrics = tested({}, {"step=2%", "peak_bytes=0.005"});
  EXPECT_DOUBLE_EQ(margin_of(metrics, "step").value(), 0.02);
  EXPECT_DOUBLE_EQ(margin_of(metrics, "peak_bytes").value(), 0.005);
  EXPECT_DOUBLE_EQ(margin_of(tested({}, {"0.03"}), "step").value(), 0.03)
      << "without a name: of the step";
  EXPECT_FALSE(margin_of(tested({}, {}), "peak_bytes"));
  const verdict::TestedMetrics own =
      tested({"step_p99_ns", "forward"}, {"p99=5%", "forward_ns=2%"});
  EXPECT_DOUBLE_EQ(margin_of(own, "step_p99").value(), 0.05);
  EXPECT_DOUBLE_EQ(margin_of(own, "forward").value(), 0.02);
  for (const char* wrong : {"step=", "step=-1%", "step=100%", "step=x", "step=1%%"}) {
    EXPECT_THAT([&] { (void)tested({}, {wrong}); },
                ThrowsMessage<ConfigError>(HasSubstr("is not a share")))
        << wrong;
  }
  EXPECT_THAT(
      [] { (void)tested({}, {"loss=1%"}); },
      ThrowsMessage<ConfigError>(HasSubstr("'loss' is not tested; a margin can be given for step, "
                                           "peak_bytes")));
}

TEST(VerdictOptions, File_CanGateCounts) {
  plan::Plan plan;
  EXPECT_FALSE(gates_counts(plan));
  plan.cases.resize(1);
  EXPECT_FALSE(gates_counts(plan)) << "a worker without the option";
  plan.cases[0].resolved.options["compare.gate"] = std::string("counts");
  plan.cases[0].resolved.options["compare.margin.counts"] = std::string("auto");
  EXPECT_TRUE(gates_counts(plan));
  EXPECT_EQ(count_margin_of(plan), std::nullopt);
  plan.cases[0].resolved.options["compare.margin.counts"] = std::string("0.5%");
  EXPECT_DOUBLE_EQ(count_margin_of(plan).value(), 0.005);
}

TEST(VerdictOptions, FileMargins_HoldUnlessAuto) {
  plan::Plan plan;
  plan.cases.resize(1);
  plan.cases[0].resolved.options["compare.margin.step"] = 0.05;
  plan.cases[0].resolved.options["compare.margin.peak_bytes"] = std::string("auto");
  EXPECT_DOUBLE_EQ(margin_of(tested({}, {}, &plan), "step").value(), 0.05);
  EXPECT_FALSE(margin_of(tested({}, {}, &plan), "peak_bytes"));
  EXPECT_DOUBLE_EQ(margin_of(tested({}, {"step=3%"}, &plan), "step").value(), 0.03);
  EXPECT_NO_THROW((void)tested({"forward"}, {}, &plan)) << "the step is not tested";
  const plan::Plan empty;
  EXPECT_FALSE(margin_of(tested({}, {}, &empty), "step"));
}

TEST(VerdictOptions, UnknownAllow_NamesTheNearest) {
  EXPECT_NO_THROW(check_allowed({"noise"}, {"missing", "noise"}));
  EXPECT_THAT(
      [] {
        check_allowed({"nosie"}, {"missing", "noise"});
      },
      ThrowsMessage<ConfigError>(HasSubstr("(did you mean 'noise'?); known: missing, noise")));
}

}  // namespace
}  // namespace stepbench::campaign
