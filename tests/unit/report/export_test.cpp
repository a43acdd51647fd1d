// SPDX-License-Identifier: Apache-2.0
// Exports for other programs: JUnit, annotations, OpenMetrics, Google Benchmark's JSON, CSV.
// tests/judges checks them with these programs.
#include "harness/base/error.h"
#include "harness/json/fields.h"
#include "harness/report/exports.h"
#include "harness/report/internal/openmetrics.h"
#include "harness/report/result_tables.h"
#include "harness/report/verdicts.h"
#include "harness/text/printable.h"
#include "harness/verdict/comparison.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::report {
namespace {

const fs::path kExportSources = STEPBENCH_SOURCE_DIR;

record::Results sample_run() { return record::read_results(kExportSources / "results/sample"); }
std::string run_as(std::string_view format, const record::Results& results) {
  std::string text;
  export_format(format)->of_run(results, {}, [&](std::string_view piece) { text += piece; });
  return text;
}
record::Results sweep_with_failures() {
  return record::read_results(kExportSources / "tests/unit/report/data/sweep.jsonl");
}

verdict::Comparison sample_against_itself() {
  const record::Results results = sample_run();
  return verdict::compare({&results, "old"}, {&results, "new"}, {});
}

TEST(Checks, EachState_IsReported) {
  const CheckSuite suite = checks_of(sweep_with_failures()).at(0);
  std::set<std::string> names;
  for (const Check& check : suite.checks) {
    EXPECT_TRUE(names.insert(check.group + check.name).second) << check.name;
    EXPECT_EQ(check.state == CheckState::kPassed, check.message.empty()) << check.name;
    EXPECT_EQ(check.state == CheckState::kSkipped, check.text.empty()) << check.name;
  }
  for (const CheckState state : {CheckState::kFailed, CheckState::kSkipped, CheckState::kPassed}) {
    EXPECT_GT(suite.count(state), 0U);
  }
}

TEST(Checks, Regression_IsTheOnlyFailure) {
  verdict::Comparison comparison = sample_against_itself();
  verdict::MetricResult& step = comparison.cases.front().metrics.front();
  const auto state = [&](verdict::Verdict verdict, bool slower) {
    step.test.verdict = verdict;
    step.test.slower = slower;
    return checks_of({&comparison, 1}).front().checks.front().state;
  };
  for (verdict::MetricResult& metric : comparison.cases.front().metrics) {
    metric.test.verdict = verdict::Verdict::kOk;
  }
  using verdict::Verdict;
  EXPECT_EQ(state(Verdict::kRegression, true), CheckState::kFailed);
  EXPECT_EQ(state(Verdict::kSuspect, true), CheckState::kSkipped);
  EXPECT_EQ(state(Verdict::kSuspect, false), CheckState::kPassed);
  EXPECT_EQ(state(Verdict::kInconclusive, true), CheckState::kSkipped);
  EXPECT_EQ(state(Verdict::kInvalid, true), CheckState::kError);
  EXPECT_EQ(state(Verdict::kNoData, false), CheckState::kError);
  EXPECT_EQ(state(Verdict::kImprovement, false), CheckState::kPassed);
}

TEST(Checks, Night_FailsByItsRegressions) {
  const std::string night =
      R"({"schema":"stepbench.night","version":"2.0.0","exit_code":1,"verdict":"regression",)"
      R"("host":"bench1","runs":[{"run_id":"r","started_utc":"2026-01-31T02:00:00Z"}],"series":[)"
      R"({"id":"s1","name":"train, step","workload":"train_step","state":"regression",)"
      R"("worse":true,"unit":"ns","value":2e6,"usual":1e6,"change":1.0,"alert":"A1"},)"
      R"({"id":"s2","name":"load, step","state":"no-verdict","value":1e6,"usual":null},)"
      R"({"id":"s3","name":"other, step","state":"ok","change":null}],"notes":[]})";
  const CheckSuite suite = checks_of_night(night).front();
  ASSERT_THAT(suite.checks, SizeIs(3));
  EXPECT_EQ(suite.checks[0].state, CheckState::kFailed);
  EXPECT_THAT(suite.checks[0].message, AllOf(HasSubstr("1.00 ms"), HasSubstr("+100")));
  EXPECT_EQ(suite.checks[1].state, CheckState::kSkipped);
  EXPECT_EQ(suite.checks[2].state, CheckState::kPassed);
  const CheckSuite error =
      checks_of_night(R"({"schema":"stepbench.night","version":"2.0.0","exit_code":2,)"
                      R"("verdict":"error","error":"no such history"})")
          .front();
  ASSERT_THAT(error.checks, SizeIs(1));
  EXPECT_EQ(error.checks[0].message, "no such history");
  EXPECT_THROW((void)checks_of_night(R"({"schema":"stepbench.verdict","version":"1.0.0"})"),
               json::LineError);
}

TEST(Junit, ForbiddenCharacters_StayVisible) {
  EXPECT_EQ(text::xml_text("a<b>&\"\n\x01\xEF\xBF\xBF"),
            "a&lt;b&gt;&amp;&quot;&#10;\\x01\xEF\xBF\xBD");
}

TEST(Annotations, Message_CannotStartACommand) {
  CheckSuite suite{.name = "a:b", .file = "configs/x.yaml"};
  for (int i = 0; i < 25; ++i) {
    suite.checks.push_back({.name = "x,y:" + std::to_string(i),
                            .group = "w",
                            .state = CheckState::kFailed,
                            .type = "failed",
                            .message = "50 %\n::error::forged"});
  }
  const std::string text = github_annotations({&suite, 1});
  std::istringstream lines(text);
  std::size_t errors = 0;
  for (std::string line; std::getline(lines, line);) {
    errors += line.starts_with("::error ") ? 1U : 0U;
    EXPECT_FALSE(line.starts_with("::error::"));
  }
  EXPECT_EQ(errors, kMaxAnnotations);
  EXPECT_THAT(text, HasSubstr("::error title=failed%3A w x%2Cy%3A0,file=configs/x.yaml::50 %25%0A"
                              "::error::forged"));
  EXPECT_THAT(text, HasSubstr("::notice title=stepbench a%3Ab::0 passed, 25 failed"));
}

TEST(OpenMetrics, HistoryAndRun_NameAMetricAlike) {
  nights::History history{.runs = {{.started_utc = "2026-01-31T12:00:00Z"}}};
  for (const auto& [metric, unit] :
       {std::pair{"step_ns", "ns"}, std::pair{"samples_per_s", "samples/s"},
        std::pair{"data_wait_share", "1"}, std::pair{"step_p99", "ns"}}) {
    history.series.push_back(
        {.series = {.metric = metric, .unit = unit}, .points = {{.value = 8}}});
  }
  const auto families = [](const std::string& page) {
    std::set<std::string> names;
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("# TYPE ")) names.insert(line.substr(7));
    }
    return names;
  };
  std::set<std::string> known = families(run_as("openmetrics", sample_run()));
  known.insert("stepbench_step_p99_seconds gauge");  // for runs with more steps than the sample
  const std::set<std::string> found =
      families(export_format("openmetrics")->of_history(history, {}));
  EXPECT_THAT(found, SizeIs(7));
  for (const std::string& family : found) EXPECT_TRUE(known.contains(family)) << family;
}

TEST(OpenMetrics, Families_AreGroupedAndEscaped) {
  GaugePage page;
  page.add("x_seconds", "Help.", GaugePage::label_text({{"a", "q\"\\\n"}}), 0.5);
  page.add("y", "Other.", "", std::nan(""));
  page.add("x_seconds", "Help.", GaugePage::label_text({{"a", "2"}}), INFINITY);
  EXPECT_THROW((void)page.text(2), ConfigError);
  EXPECT_EQ(page.text(),
            "# TYPE x_seconds gauge\n# UNIT x_seconds seconds\n# HELP x_seconds Help.\n"
            "x_seconds{a=\"q\\\"\\\\\\n\"} 0.5\nx_seconds{a=\"2\"} +Inf\n"
            "# TYPE y gauge\n# HELP y Other.\ny NaN\n# EOF\n");
  EXPECT_EQ(GaugePage::name_text("2 é.b"), "_2____b");
}

struct Benchmark {
  std::string name, run_name, run_type, time_unit;
  double real_time = 0, cpu_time = 0, items_per_second = 0;
  std::int64_t iterations = 0, repetition_index = 0;
};
struct Benchmarks {
  Fields context;
  std::vector<Benchmark> benchmarks;
};

template <typename V>
void fields(V& v, json::Of<Benchmark> auto& one) {
  v("name", one.name)("run_name", one.run_name)("run_type", one.run_type);
  v("time_unit", one.time_unit)("real_time", one.real_time)("cpu_time", one.cpu_time);
  v("items_per_second", one.items_per_second)("iterations", one.iterations);
  v("repetition_index", one.repetition_index);
}
template <typename V>
void fields(V& v, json::Of<Benchmarks> auto& all) {
  v("context", all.context)("benchmarks", all.benchmarks);
}

TEST(Gbench, Launch_IsARepetition) {
  const auto whole = json::read_text<Benchmarks>(run_as("gbench", sample_run()));
  EXPECT_EQ(number_of(whole.context, "num_cpus"), 2);
  std::size_t repetitions = 0;
  double sum = 0;
  for (const Benchmark& one : whole.benchmarks) {
    EXPECT_THAT(one.name, StartsWith("train_step/num_workers:"));
    EXPECT_EQ(one.time_unit, "ns");
    if (one.run_type == "aggregate") continue;
    ++repetitions;
    sum += one.real_time;
    EXPECT_EQ(one.iterations, 20);
    EXPECT_NEAR(one.items_per_second * one.real_time, 16e9, 1);
    EXPECT_GT(one.cpu_time, 0);
  }
  EXPECT_EQ(repetitions, 9U);
  EXPECT_NEAR(sum / 9, 58.9e6, 1e6);
  EXPECT_THAT(run_as("gbench", sweep_with_failures()), HasSubstr("\"error_occurred\":true"));
}

TEST(Gbench, Names_AreUniqueWithoutSeparators) {
  record::Results results = sample_run();
  for (record::Launch& launch : results.launches) {
    launch.row.workload = "a/b:c\"\n" + std::string(4096, 'x');
    launch.row.options["loader.num_workers"] = "same/value";
  }
  std::set<std::string> names;
  const auto whole = json::read_text<Benchmarks>(run_as("gbench", results));
  for (const Benchmark& one : whole.benchmarks) {
    if (one.name == one.run_name && one.repetition_index == 0) {
      EXPECT_TRUE(names.insert(one.name).second) << one.name;
    }
    EXPECT_LT(one.run_name.size(), 200U);
    EXPECT_THAT(one.run_name, StartsWith("a_b_c__xxx"));
  }
  EXPECT_THAT(names, SizeIs(3));
}

TEST(ReadComparison, VerdictFile_RoundTrips) {
  verdict::Comparison comparison = sample_against_itself();
  comparison.cases.front().cause = {{.phase = "forward", .change_ns = 5, .interval_ns = {1, 9}}};
  verdict::OpChange copies;
  copies.name = "aten::copy_";
  copies.base_calls = 1;
  comparison.cases.front().ops = {copies};
  comparison.gates = {{.name = "load", .state = verdict::GateState::kFailed, .fails_at = 0.1}};
  comparison.only_base = {{.case_id = "x", .workload = "w", .options = {{"a", true}}}};
  comparison.cases.front().metrics.front().test.corrected_change = 0.0125;
  const std::string json = comparison_json(comparison);
  EXPECT_THAT(json, HasSubstr("\"corrected_change\":0.0125"));
  EXPECT_EQ(comparison_json(read_comparisons(json).front()), json);
  const std::vector<verdict::Comparison> two = {comparison, comparison};
  EXPECT_EQ(verdict_json(read_comparisons(verdict_json(two))), verdict_json(two));
}

// `of`: the member that the JSON is. Of "change" only those of the control are left out.
std::string without(const json::JsonView& view, std::string_view of,
                    const std::set<std::string, std::less<>>& left_out) {
  const auto elements = view.elements();
  const auto object = view.object();
  if (!elements && !object) return view.json();
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : ",") + more; };
  if (elements) {
    for (const json::JsonView& each : *elements) add(without(each, of, left_out));
    return '[' + text + ']';
  }
  for (const auto& [name, value] : object->members()) {
    const bool of_control = of == "aa_control" || !name.starts_with("change");
    if (left_out.contains(name) && of_control) continue;
    add(json::json_string(name) + ':' + without(value, name, left_out));
  }
  return '{' + text + '}';
}

TEST(ReadComparison, EachVersion_ReadsWithItsDefaults) {
  const std::vector<std::vector<std::string>> added = {
      // by minor version
      {},
      {"gates"},
      {"timed", "of_step", "swept"},
      {"change_low", "change_high", "change"},  // of aa_control
      {"mean_change", "mean_change_low", "mean_change_high", "slow_base", "slow_candidate",
       "slow_share_below", "base_launches", "candidate_launches"},
      {"corrected_change", "machine", "decides"},
      {"without_data"},
      {"ranks", "all_ranks", "who_waits"},
      {"page_faults"},
      {"doubt"}};
  verdict::Comparison today = sample_against_itself();
  today.swept = {"loader.num_workers"};
  today.machine = "nothing is found below 5 %";
  today.gates = {{.name = "noise",
                  .state = verdict::GateState::kWarning,
                  .doubt = "arm A's own launches differ by 20 %"}};
  today.aa_control.change = .01;
  verdict::CaseResult& first = today.cases.front();
  first.without_data = "arm B: killed by signal 9";
  first.page_faults = verdict::FaultChange{.base = 1, .candidate = 2};
  first.cause = {{.phase = "forward", .ranks = {1}, .interval_ns = {1, 9}}};
  first.waiting_ranks = {"rank 1"};
  first.metrics.front().test.corrected_change = .02;
  first.metrics.front().test.mean_change = .03;
  const std::string text = comparison_json(today);
  for (std::size_t minor = 0; minor < added.size(); ++minor) {
    SCOPED_TRACE(minor);
    std::set<std::string, std::less<>> later;
    for (std::size_t i = minor + 1; i < added.size(); ++i) {
      later.insert(added[i].begin(), added[i].end());
    }
    json::LineParser parser;
    const std::string old = without(parser.parse_value(text).value(), "", later);
    const verdict::Comparison read = read_comparisons(old).front();
    const verdict::CaseResult& one = read.cases.front();
    const verdict::MetricResult& metric = one.metrics.front();
    EXPECT_EQ(metric.name, first.metrics.front().name);
    EXPECT_EQ(metric.test.verdict, first.metrics.front().test.verdict);
    EXPECT_EQ(metric.test.change, first.metrics.front().test.change);
    EXPECT_TRUE(metric.timed && metric.of_step && metric.decides) << "it is the step";
    EXPECT_EQ(read.gates.size(), minor >= 1 ? 1U : 0U);
    EXPECT_EQ(read.swept.empty(), minor < 2);
    EXPECT_EQ(read.aa_control.change.has_value(), minor >= 3);
    EXPECT_EQ(metric.test.mean_change.has_value(), minor >= 4);
    EXPECT_EQ(metric.test.corrected_change.has_value(), minor >= 5);
    EXPECT_EQ(read.machine.empty(), minor < 5);
    EXPECT_EQ(one.without_data.empty(), minor < 6);
    EXPECT_EQ(one.waiting_ranks.empty(), minor < 7);
    EXPECT_EQ(one.page_faults.has_value(), minor >= 8);
    if (minor >= 1) {
      EXPECT_EQ(read.gates.front().doubt,
                minor < 9 ? "an arm's own launches differ" : today.gates.front().doubt);
    }
  }
}

TEST(ReadComparison, NewerVersion_HasAWarning) {
  std::string json = comparison_json(sample_against_itself());
  const std::string version(kVerdictVersion);
  json.replace(json.find(version), version.size(), R"(1.99.0","future":{"a":[1]},"b":")");
  const std::vector<std::string> warnings = read_comparisons(json).front().warnings;
  EXPECT_EQ(warnings.size(), sample_against_itself().warnings.size() + 1);
  EXPECT_THAT(warnings.back(), HasSubstr("was written in the newer schema 1.99"));
}

TEST(ReadComparison, MissingField_IsNamed) {
  const auto reason = [](const std::string& json) -> std::string {
    try {
      (void)read_comparisons(json);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  const std::string begin = R"({"schema":"stepbench.verdict","version":"1.0.0")";
  EXPECT_THAT(reason(begin + "}"), HasSubstr("field 'verdict' is missing"));
  EXPECT_THAT(reason(begin + R"(,"verdict":"ok","cases":[{"case_id":"c","metrics":[{}]}]})"),
              HasSubstr("field 'cases/0/metrics/0/name' is missing"));
}

TEST(ReadComparison, ErrorOrOtherSchema_IsRejected) {
  EXPECT_THROW((void)read_comparisons(error_json(2, "no such file")), Error);
  EXPECT_THROW((void)read_comparisons(R"({"schema":"stepbench.verdict","version":"2.0.0"})"),
               Error);
  EXPECT_THROW((void)read_comparisons(R"({"schema":"stepbench.night","version":"1.0.0"})"), Error);
  EXPECT_THROW((void)read_comparisons("no JSON"), Error);
}

TEST(CasesCsv, MetricNamedAsAColumn_KeepsItsValue) {
  record::Results results = sample_run();
  for (record::Launch& launch : results.launches) launch.row.report.metrics["launches"] = 123.0;
  const std::string csv =
      render(results, Format::kCsv, {.select = {"launches", "metric.launches"}});
  EXPECT_THAT(csv, HasSubstr("launches,metric.launches\n3,123\n"));
}

TEST(ExportFormats, EachRun_ComesInAllFormats) {
  std::set<std::string_view> names;
  for (const ExportFormat& format : export_formats()) {
    EXPECT_TRUE(names.insert(format.name).second);
    ASSERT_NE(format.of_run, nullptr);
    const std::string text = json::whole_text(
        [&](const json::TextSink& sink) { format.of_run(record::Results(), {}, sink); });
    EXPECT_THAT(text, Not(IsEmpty())) << format.name;
  }
  EXPECT_EQ(export_format_of_file("a/b.prom"), export_format("openmetrics"));
  EXPECT_EQ(export_format_of_file("x.json"), export_format("json"));
  EXPECT_EQ(export_format_of_file("x"), nullptr);
}

TEST(ExportStored, NewerFile_HasAWarning) {
  const test::TemporaryFolder folder;
  std::string text = comparison_json(sample_against_itself());
  const auto warning = [&](std::string_view format) {
    folder.write("verdict.json", text);
    return export_stored(*export_format(format), ExportSource::kVerdict,
                         (folder / "verdict.json").string(), {}, [](std::string_view) {})
        .warning;
  };
  EXPECT_EQ(warning("junit"), "");
  const std::string version(kVerdictVersion);
  text.replace(text.find(version), version.size(), "1.99.0");
  EXPECT_THAT(warning("junit"), HasSubstr("verdict.json was written in the newer schema 1.99"));
  EXPECT_THAT(warning("csv"), HasSubstr("1.99"));
}

}  // namespace
}  // namespace stepbench::report
