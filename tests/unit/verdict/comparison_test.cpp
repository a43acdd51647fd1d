// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/comparison.h"

#include "harness/base/error.h"
#include "harness/document/render.h"
#include "harness/report/verdicts.h"
#include "tests/testing.h"
#include "tests/unit/verdict/result_maker.h"

namespace stepbench::verdict {
namespace {

MadeResults one_case(double factor, int seed) {
  return {.cases = {{.case_id = "aaaa", .num_workers = 4, .step_ns = around_10_ms(factor, seed)}}};
}

Comparison compared(const MadeResults& base, const MadeResults& candidate,
                    const CompareOptions& options = {}) {
  const record::Results a = make(base);
  const record::Results b = make(candidate);
  return compare({&a, "old"}, {&b, "new"}, options);
}

std::string refusal(const MadeResults& base, const MadeResults& candidate,
                    const CompareOptions& options = {}) {
  return test::error_of<ConfigError>([&] { (void)compared(base, candidate, options); });
}

std::string text_of(const std::vector<Comparison>& results,
                    const document::RenderStyle& options = {}) {
  return document::render(report::comparison_document(results, false), options);
}

TEST(Compare, SlowStep_IsSuspectWithItsPhase) {
  MadeResults slow = one_case(1.05, 1);
  slow.cases[0].data_wait_ns = [](int) { return 1'500'000; };
  const Comparison result = compared(one_case(1, 0), slow);
  ASSERT_EQ(result.cases.size(), 1u);
  const TestResult& step = result.cases[0].metrics.at(0).test;
  EXPECT_EQ(result.cases[0].metrics[0].name, "step");
  EXPECT_EQ(step.verdict, Verdict::kSuspect);
  EXPECT_TRUE(step.slower);
  EXPECT_NEAR(step.change.value(), 0.05, 0.003);
  EXPECT_EQ(result.exit_code, 3);
  ASSERT_FALSE(result.cases[0].cause.empty());
  EXPECT_EQ(result.cases[0].cause[0].phase, "data_wait");
  EXPECT_NEAR(result.cases[0].cause[0].change_ns, 500'000, 1);
  EXPECT_NEAR(result.cases[0].cause[0].share, 1, 0.1);
}

// 5 % of 10 ms: 3,000 faults of half a microsecond explain it, 60 do not.
TEST(Compare, PageFaults_ExplainAChangeOfTheirSize) {
  const auto faults_of = [](double base_faults, double candidate_faults, double factor) {
    MadeResults base = one_case(1, 0);
    MadeResults candidate = one_case(factor, 1);
    base.cases[0].faults_per_step = base_faults;
    candidate.cases[0].faults_per_step = candidate_faults;
    return compared(base, candidate).cases.at(0).page_faults;
  };
  const std::optional<FaultChange> more = faults_of(0, 3000, 1.05);
  ASSERT_TRUE(more);
  EXPECT_EQ(fault_text(*more), "page faults 0 -> 3,000 per step");
  EXPECT_TRUE(faults_of(3000, 0, .95)) << "fewer faults in a faster step";
  EXPECT_FALSE(faults_of(3000, 3000, 1.05)) << "equal";
  EXPECT_FALSE(faults_of(3000, 0, 1.05)) << "fewer faults in a slower step";
  EXPECT_FALSE(faults_of(0, 60, 1.05)) << "too few";
  EXPECT_FALSE(compared(one_case(1, 0), one_case(1.05, 1)).cases.at(0).page_faults)
      << "not recorded";
}

TEST(Compare, FasterOrUnchanged_ExitsWithZero) {
  EXPECT_EQ(compared(one_case(1, 0), one_case(0.95, 1)).exit_code, 0);
  EXPECT_EQ(compared(one_case(1, 0), one_case(0.95, 1)).verdict, Verdict::kSuspect);
  EXPECT_EQ(compared(one_case(1, 0), one_case(1, 0)).exit_code, 0);
  EXPECT_EQ(compared(one_case(1, 0), one_case(1, 0)).verdict, Verdict::kOk);
}

TEST(Compare, TooFewLaunches_AreInconclusive) {
  for (const int launches : {1, 5}) {
    MadeResults base = one_case(1, 0);
    MadeResults candidate = one_case(2, 1);
    base.launches = candidate.launches = launches;
    const Comparison result = compared(base, candidate);
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_EQ(result.cases[0].metrics[0].test.reason, TestReason::kTooFewPairs);
    EXPECT_EQ(result.rejected_slower, 0U) << "the rows ask for six launches";
    EXPECT_THAT(text_of({result}), HasSubstr(": 0 rose, 0 fell, "));
    EXPECT_THAT(text_of({result, result}), HasSubstr(": 0 rose, 0 fell, "));
    EXPECT_EQ(compared(base, candidate, {.allow_inconclusive = true}).exit_code, 0);
  }
}

TEST(Compare, UnprovableLaunches_AreTooFew) {
  MadeResults base = one_case(1, 0);
  MadeResults candidate = one_case(2, 1);
  base.cases[0].peak_bytes = [](int launch) { return 1e9 + 4096.0 * (launch * 5 % 7); };
  candidate.cases[0].peak_bytes = [](int launch) { return 1e9 + 4096.0 * (launch * 3 % 7); };
  for (MadeResults* side : {&base, &candidate}) {
    for (int i = 1; i < 12; ++i) {  // 24 tests: 6 launches suffice for 23
      side->cases.push_back(base.cases[0]);
      side->cases.back().case_id = std::string(15, 'a') + static_cast<char>('a' + i);
    }
  }
  base.launches = candidate.launches = 6;
  EXPECT_THAT(compared(base, candidate).warnings,
              Contains(HasSubstr("6 launches are too few to prove any single change")));
  EXPECT_EQ(compared(base, candidate).cases[0].metrics[0].test.verdict, Verdict::kInconclusive);
  base.launches = candidate.launches = 8;
  EXPECT_THAT(compared(base, candidate).warnings, IsEmpty());
  EXPECT_EQ(compared(base, candidate).cases[0].metrics[0].test.verdict, Verdict::kSuspect);
}

TEST(Compare, ConstantPeakMemory_IsExact) {
  MadeResults more = one_case(1, 0);
  more.cases[0].peak_bytes = [](int) { return 1e9 + 4096; };
  const TestResult constant = compared(one_case(1, 0), more).cases[0].metrics.at(1).test;
  EXPECT_EQ(constant.verdict, Verdict::kSuspect);
  CompareOptions options;
  options.tested.metrics[1].margin = 0.05;
  EXPECT_EQ(compared(one_case(1, 0), more, options).cases[0].metrics.at(1).test.verdict,
            Verdict::kOk)
      << "with a margin that was asked for";
  MadeResults base = one_case(1, 0);
  base.launches = more.launches = 5;
  EXPECT_EQ(compared(base, more).cases[0].metrics.at(1).test.verdict, Verdict::kInconclusive)
      << "five launches may repeat a number by chance";
  more.launches = 20;
  more.cases[0].peak_bytes = [](int launch) { return 1e9 + 4096 * (launch % 5); };
  const TestResult varying = compared(one_case(1, 0), more).cases[0].metrics.at(1).test;
  EXPECT_EQ(varying.verdict, Verdict::kOk);
}

TEST(Compare, Counts_AreExactAndUncorrected) {
  const record::Results a = make(one_case(1, 0));
  record::Results b = make(one_case(1, 0));
  b.launches[7].row.report.metrics["copies"] = 121;
  const Comparison varying = compare({&a, "old"}, {&b, "new"}, {});
  EXPECT_EQ(varying.cases[0].metrics.size(), 2U);
  EXPECT_THAT(varying.cases[0].notes,
              Contains(HasSubstr("copies varies between launches, so there is no verdict "
                                 "on it: 120 in the base, 120 to 121 in the candidate")));
  EXPECT_EQ(varying.exit_code, 0);
  for (record::Launch& launch : b.launches) launch.row.report.metrics["copies"] = 121;
  const Comparison result = compare({&a, "old"}, {&b, "new"}, {});
  const MetricResult& copies = result.cases[0].metrics.at(2);
  EXPECT_EQ(copies.name, "copies");
  EXPECT_FALSE(copies.primary);
  EXPECT_EQ(copies.test.verdict, Verdict::kSuspect);
  EXPECT_EQ(result.tested, 1U) << "nor is the peak, which every launch repeats to the byte";
  EXPECT_EQ(result.exit_code, 3);
}

TEST(Compare, OneSidedCases_AreListed) {
  MadeResults base = one_case(1, 0);
  base.cases.push_back({.case_id = "bbbb", .num_workers = 8, .step_ns = around_10_ms(1, 2)});
  const Comparison result = compared(base, one_case(1, 0));
  ASSERT_EQ(result.only_base.size(), 1u);
  EXPECT_EQ(result.only_base[0].case_id, "bbbb");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_EQ(compared(base, one_case(1, 0), {.allow = {"missing"}}).exit_code, 0);
  MadeResults other = one_case(1, 0);
  other.cases[0].case_id = "cccc";
  const Comparison none = compared(one_case(1, 0), other, {.allow = {"missing"}});
  EXPECT_EQ(none.exit_code, 4);
  EXPECT_EQ(none.verdict, Verdict::kNoData);
}

TEST(Compare, IgnoredOptions_JoinOtherIds) {
  MadeResults other = one_case(1, 0);
  other.cases[0].case_id = "cccc";
  const CaseKey key = [](const record::LaunchRow& row) { return row.workload; };
  const Comparison result = compared(one_case(1, 0), other, {.key = key});
  ASSERT_EQ(result.cases.size(), 1u);
  EXPECT_EQ(result.cases[0].candidate_case_id, "cccc");
  MadeResults two = one_case(1, 0);
  two.cases.push_back({.case_id = "dddd", .step_ns = around_10_ms(1, 0)});
  EXPECT_THAT(refusal(two, two, {.key = key}),
              HasSubstr("makes the cases num_workers=4 and num_workers=0 of old equal"));
}

TEST(Compare, NoMeasurementOrOtherUnit_IsRejected) {
  const auto refused = [](void (*change)(MadeResults&)) {
    MadeResults bad = one_case(1, 0);
    change(bad);
    return refusal(one_case(1, 0), bad);
  };
  EXPECT_THAT(refused([](MadeResults& bad) { bad.smoke = true; }),
              HasSubstr("new: contains a run with --smoke or --quick"));
  EXPECT_THAT(refused([](MadeResults& bad) { bad.arm = "a"; }),
              HasSubstr("new: holds the arms of an A/B campaign"));
  EXPECT_THAT(refused([](MadeResults& bad) { bad.pass = Pass::kNative; }),
              HasSubstr("profiled or wrapped launches only"));
  EXPECT_THAT(refused([](MadeResults& bad) { bad.step_unit = "us"; }),
              HasSubstr("has 'step_ns' in 'us', old has it in 'ns'"));
}

TEST(Compare, OtherDeviceOrData_IsRejected) {
  MadeResults other = one_case(1, 0);
  other.environment["cpu.model"] = Value{std::string("B")};
  EXPECT_THAT(refusal(one_case(1, 0), other), HasSubstr("cpu.model: A in the base, B here"));
  EXPECT_EQ(compared(one_case(1, 0), other, {.allow = {"cpu.model"}}).exit_code, 0);
  other = one_case(1, 0);
  other.data_digest = "d2";
  EXPECT_THAT(refusal(one_case(1, 0), other), HasSubstr("data_digest: d1 in the base, d2 here"));
  EXPECT_EQ(refusal(one_case(1, 0), other, {.allow = {"all"}}), "");
}

TEST(Compare, NoDataOnDisk_OtherDigestWarns) {
  record::Results base = make(one_case(1, 0));
  MadeResults with_other_model = one_case(1, 0);
  with_other_model.data_digest = "d2";
  record::Results candidate = make(with_other_model);
  for (record::Results* results : {&base, &candidate}) {
    for (record::Launch& launch : results->launches) {
      launch.row.options["data.kind"] = Value{std::string("synthetic")};
    }
  }
  const Comparison result = compare({&base, "old"}, {&candidate, "new"}, {});
  ASSERT_EQ(result.environment.size(), 1U);
  EXPECT_EQ(result.environment[0].field, "data_digest");
  EXPECT_EQ(result.environment[0].field_class, FieldClass::kShouldMatch);
}

TEST(Compare, OtherOrMissingKernel_Warns) {
  MadeResults other = one_case(1, 0);
  other.environment.erase("cpu.model");
  other.environment["kernel"] = Value{std::string("6.2")};
  const Comparison result = compared(one_case(1, 0), other);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(text_of({result}), AllOf(HasSubstr("cpu.model differs: A -> -"),
                                       HasSubstr("kernel differs: 6.1 -> 6.2")));
  EXPECT_THAT(text_of({compared(one_case(1, 0), other, {.allow = {"kernel"}})}),
              Not(HasSubstr("warning: kernel differs")));
}

TEST(Compare, Driver_MattersToGpuCasesOnly) {
  EXPECT_EQ(class_of("gpu.driver", true), FieldClass::kShouldMatch);
  EXPECT_EQ(class_of("gpu.0", true), FieldClass::kMustMatch);
  EXPECT_EQ(class_of("gpu.0", false), FieldClass::kInformative);
  EXPECT_EQ(class_of("torch", true), FieldClass::kShouldMatch);
  EXPECT_EQ(class_of("host", true), FieldClass::kInformative);
}

TEST(Compare, FailuresAndNulls_DropTheirPairs) {
  const record::Results a = make(one_case(1, 0));
  record::Results b = make(one_case(1, 0));
  b.launches[0].row.report.metrics["peak_device_bytes"] = std::nullopt;
  b.launches[3].row.outcome = Outcome::failed("killed by signal 9");
  const Comparison result = compare({&a, "old"}, {&b, "new"}, {});
  EXPECT_EQ(result.cases[0].metrics[0].test.pairs, 19u);
  EXPECT_EQ(result.cases[0].metrics.at(1).test.dropped, 1u);
  EXPECT_THAT(
      text_of({result}),
      HasSubstr("1 of 20 launches in the candidate have no measurement: killed by signal 9"));
  for (record::Launch& launch : b.launches) launch.row.outcome = Outcome::failed("out of memory");
  const Comparison none = compare({&a, "old"}, {&b, "new"}, {});
  EXPECT_EQ(none.cases[0].metrics[0].test.verdict, Verdict::kNoData);
  EXPECT_EQ(none.exit_code, 4);
}

TEST(Compare, UnequalStepCounts_AreNoted) {
  MadeResults longer = one_case(1, 0);
  longer.steps = 9;
  EXPECT_THAT(text_of({compared(one_case(1, 0), longer)}),
              HasSubstr("5 active steps in the base and 9"));
}

TEST(Compare, AaControl_NeedsEnoughRuns) {
  const Comparison result = compared(one_case(1, 0), one_case(1, 0));
  EXPECT_EQ(result.aa_control.pooled_quads, 5u);
  EXPECT_EQ(result.aa_control.state, AaControl::State::kTooFew);
}

TEST(Compare, UnstableBase_IsInvalid) {
  MadeResults wobbling = one_case(1, 0);
  wobbling.launches = 80;
  // The first and the fourth launch of a quad are slow, which an ABBA order would see as a change.
  wobbling.cases[0].step_ns = [](int launch) {
    return 10'000'000 + launch * 13 % 7 * 1000 + (launch % 4 == 0 || launch % 4 == 3 ? 200'000 : 0);
  };
  const Comparison result = compared(wobbling, wobbling);
  EXPECT_EQ(result.aa_control.state, AaControl::State::kFailed);
  EXPECT_EQ(result.verdict, Verdict::kInvalid);
  EXPECT_EQ(result.exit_code, 4);
}

TEST(Compare, SameInput_GivesTheSameBytes) {
  const Comparison first = compared(one_case(1, 0), one_case(1.02, 3));
  const Comparison again = compared(one_case(1, 0), one_case(1.02, 3));
  EXPECT_EQ(report::comparison_json(first), report::comparison_json(again));
}

TEST(Compare, NamedMetrics_AreTestedAlone) {
  MadeResults slow = one_case(1, 0);
  slow.cases[0].data_wait_ns = [](int launch) { return 1'100'000 + launch % 7 * 100; };
  MadeResults base = one_case(1, 0);
  base.cases[0].data_wait_ns = [](int launch) { return 1'000'000 + launch % 5 * 100; };
  const std::vector<std::string> names = {"data_wait"};
  const std::vector<Metric> columns = make(base).columns;
  const Comparison result = compared(base, slow, {.tested = tested_metrics(names, columns)});
  ASSERT_EQ(result.cases[0].metrics.size(), 1U) << "no exact counts beside them";
  EXPECT_EQ(result.cases[0].metrics[0].name, "data_wait");
  EXPECT_EQ(result.cases[0].metrics[0].test.verdict, Verdict::kSuspect);
  EXPECT_NEAR(result.cases[0].metrics[0].test.change.value(), 0.1, 0.001);
  EXPECT_EQ(result.tested, 1U);
}

TEST(Compare, MetricOfNoLaunch_IsRejected) {
  const std::vector<std::string> names = {"tokens_per_s"};
  EXPECT_THAT(refusal(one_case(1, 0), one_case(1, 0), {.tested = tested_metrics(names, {})}),
              HasSubstr("--metric: no launch of either result gives 'tokens_per_s'"));
}

TEST(CompareOutput, NarrowTable_KeepsBothValues) {
  MadeResults slow = one_case(1.05, 1);
  MadeResults base = one_case(1, 0);
  slow.cases[0].case_id = base.cases[0].case_id = "5cd292380e4da869";
  EXPECT_THAT(text_of({compared(base, slow)}, {.columns = 60}),
              AllOf(HasSubstr("loader  step"), Not(HasSubstr("5cd292")),
                    HasSubstr("10.0 ms  10.5 ms"), Not(HasSubstr("\x1b["))));
  EXPECT_THAT(text_of({compared(base, slow)}, {.colour = true}), HasSubstr("\x1b[33m"));
}

TEST(CompareOutput, ManyOkRows_AreCounted) {
  MadeResults many;
  for (int i = 0; i < 60; ++i) {
    many.cases.push_back(
        {.case_id = "case" + std::to_string(i), .num_workers = i, .step_ns = around_10_ms(1, i)});
  }
  many.launches = 6;
  const Comparison result = compared(many, many);
  EXPECT_THAT(text_of({result}), HasSubstr("180 more are ok (--all shows them)"));
  EXPECT_THAT(document::render(report::comparison_document({&result, 1}, true), {}),
              Not(HasSubstr("more are ok")));
}

}  // namespace
}  // namespace stepbench::verdict
