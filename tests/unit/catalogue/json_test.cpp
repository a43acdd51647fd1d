// SPDX-License-Identifier: Apache-2.0
#include "harness/catalogue/json.h"

#include "harness/base/error.h"
#include "harness/estimate/columns.h"
#include "tests/testing.h"
#include "workloads/built_in.h"

namespace stepbench::catalogue {
namespace {

std::string error_of(const std::string& text) {
  return test::error_of<ConfigError>([&] { (void)catalogue_from_json(text, "worker"); });
}

TEST(CatalogueJson, BuiltInCatalogue_RoundTrips) {
  const std::string text = to_json(built_in_catalogue());
  const Catalogue back = catalogue_from_json(text, "worker");
  EXPECT_EQ(to_json(back), text);
  EXPECT_EQ(catalogue_digest(back), catalogue_digest(built_in_catalogue()));
}

TEST(CatalogueJson, AnyOptionChange_ChangesTheDigest) {
  Catalogue changed = built_in_catalogue();
  changed.sections.back().doc += "!";
  EXPECT_NE(catalogue_digest(changed), catalogue_digest(built_in_catalogue()));
}

TEST(CatalogueJson, Worker_DescribesItsOwnOptionsOnly) {
  const Catalogue catalogue = catalogue_from_json(R"({"stepbench_catalogue": 1,
      "sections": [{"name": "mine", "options": [{"name": "size", "type": "integer", "doc": "Size.", "default": 4}]}],
      "workloads": [{"name": "mine", "doc": "Mine.", "sections": ["mine"]}], "later": true})",
                                                  "worker");
  EXPECT_NE(catalogue.find_option("schedule.active"), nullptr);
  EXPECT_EQ(catalogue.find_option("mine.size")->default_value, Value(std::int64_t{4}));
}

TEST(CatalogueJson, Metric_MayBeExact) {
  const Catalogue catalogue = catalogue_from_json(R"({"stepbench_catalogue": 1,
      "workloads": [{"name": "mine", "doc": "Mine.", "metrics": [
          {"name": "mallocs", "unit": "1/step", "exact": true}, {"name": "wait_ns", "unit": "ns"},
          {"name": "tries", "unit": "calls"}, {"name": "guesses", "unit": "calls", "exact": false}]}]})",
                                                  "worker");
  const auto& metrics = catalogue.find_workload("mine")->metrics;
  EXPECT_TRUE(metrics[0].exact);
  EXPECT_FALSE(metrics[1].exact);
  EXPECT_TRUE(metrics[2].exact) << "by its unit, as before the flag was there";
  EXPECT_FALSE(metrics[3].exact);
  const Catalogue back = catalogue_from_json(to_json(catalogue), "worker");
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    EXPECT_EQ(back.find_workload("mine")->metrics[i].exact, metrics[i].exact) << metrics[i].name;
  }
}

TEST(CatalogueJson, WholeNumberDefault_StaysANumber) {
  const Catalogue catalogue = catalogue_from_json(
      R"({"stepbench_catalogue": 1, "sections": [{"name": "m", "options":
          [{"name": "r", "type": "number", "doc": "R.", "default": 4}]}]})",
      "worker");
  EXPECT_EQ(catalogue.find_option("m.r")->default_value, Value(4.0));
}

TEST(CatalogueJson, Mistake_HasAPlace) {
  EXPECT_THAT(error_of("Traceback"), HasSubstr("worker: its description is not JSON"));
  EXPECT_THAT(error_of("[]"), HasSubstr("expected an object"));
  EXPECT_THAT(error_of(R"({"stepbench_catalogue": 2})"),
              HasSubstr("/stepbench_catalogue: must be 1"));
  const auto with_option = [](const std::string& option) {
    return error_of(R"({"stepbench_catalogue": 1, "sections": [{"name": "m", "options": [)" +
                    option + "]}]}");
  };
  EXPECT_THAT(with_option(R"({"name": "a", "type": "int", "doc": "x"})"),
              HasSubstr("worker: /sections/0/options/0/type: is 'int'; known: bool, integer"));
  EXPECT_THAT(with_option(R"({"type": "integer", "doc": "x"})"),
              HasSubstr("worker: /sections/0/options/0/name: is missing"));
  EXPECT_THAT(with_option(R"({"name": "a", "type": "integer", "doc": "x", "default": "y"})"),
              HasSubstr("worker: m.a: default: expected an integer, found 'y'"));
  EXPECT_THAT(error_of(R"({"stepbench_catalogue": 1, "workloads": [{"name": "m", "doc": "M.",
                           "metrics": [{"name": "n", "exact": "yes"}]}]})"),
              HasSubstr("/workloads/0/metrics/0/exact: must be a boolean, is a string"));
  EXPECT_THAT(with_option("4"),
              HasSubstr("/sections/0/options/0: must be an object, is an integer"));
}

std::string metric_of(const std::string& source) {
  return R"({"stepbench_catalogue": 1, "workloads": [{"name": "mine", "doc": "Mine.", "metrics": [
            {"name": "rows", "unit": "", "doc": "Rows.")" +
         source + "}]}]}";
}

TEST(CatalogueJson, Metric_MayNameItsSource) {
  const auto source_of = [](const std::string& source) {
    return catalogue_from_json(metric_of(source), "worker").workloads[0].metrics[0].source;
  };
  EXPECT_EQ(source_of(""), Source::kUnknown);
  EXPECT_EQ(source_of(R"(, "source": "cuda_events+host_clock")"), Source::kEventsAndHost);
  for (const SourceName& each : sources()) {
    EXPECT_EQ(source_of(R"(, "source": ")" + std::string(each.name) + '"'), each.source);
    EXPECT_EQ(name_of(each.source), each.name);
  }
  EXPECT_THAT(
      error_of(metric_of(R"(, "source": "cuda_event")")),
      HasSubstr("worker: /workloads/0/metrics/0/source: is 'cuda_event'; known: host_clock, "));
  EXPECT_THAT(error_of(metric_of(R"(, "source": "cuda_event")")),
              HasSubstr("did you mean 'cuda_events'"));
}

TEST(Metrics, BuiltInMetrics_NameTheirSource) {
  std::vector<Metric> metrics = estimate::harness_metrics();
  for (const WorkloadSpec& workload : built_in_catalogue().workloads) {
    metrics.insert(metrics.end(), workload.metrics.begin(), workload.metrics.end());
  }
  for (const Metric& metric : metrics) EXPECT_NE(metric.source, Source::kUnknown) << metric.name;
}

TEST(Metrics, Source_IsTheClockThatIsRead) {
  const auto source_of = [](std::string_view name) {
    for (const Metric& metric : estimate::harness_metrics()) {
      if (metric.name == name) return metric.source;
    }
    return Source::kUnknown;
  };
  EXPECT_EQ(source_of("step_ns"), Source::kHostClock);
  EXPECT_EQ(source_of("forward_ns"), Source::kHostClock);
  EXPECT_EQ(source_of("forward_device_ns"), Source::kCudaEvents);
  EXPECT_EQ(source_of("idle_device_ns"), Source::kCudaEvents);
  EXPECT_EQ(source_of("device_idle_ns"), Source::kCupti);
  EXPECT_EQ(source_of("host_lead_ns"), Source::kEventsAndHost);
  EXPECT_EQ(source_of("peak_rss_bytes"), Source::kSystem);
  EXPECT_EQ(source_of("samples"), Source::kCounted);
}

}  // namespace
}  // namespace stepbench::catalogue
