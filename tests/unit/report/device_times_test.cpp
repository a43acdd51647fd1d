// SPDX-License-Identifier: Apache-2.0
#include "harness/document/render.h"
#include "harness/estimate/columns.h"
#include "harness/report/exports.h"
#include "harness/report/result_tables.h"
#include "tests/testing.h"

namespace stepbench::report {
namespace {

using testing::ContainsRegex;

record::Results one_launch(bool on_device) {
  record::Launch launch;
  launch.row.key.case_id = "00112233aabbccdd";
  launch.row.workload = "train_step";
  launch.row.outcome = Outcome::measured();
  Series steps{
      .names = {"index", "step_ns", "forward_ns", "other_ns", "flags"},
      .columns = {
          {1, 2}, {6'000'000, 6'000'000}, {200'000, 200'000}, {5'800'000, 5'800'000}, {0, 0}}};
  if (on_device) {
    for (const auto& [name, ns] :
         {std::pair{"step_device_ns", 5'900'000}, std::pair{"period_device_ns", 6'250'000},
          std::pair{"forward_device_ns", 5'500'000}, std::pair{"other_device_ns", 750'000},
          std::pair{"h2d_side_device_ns", 100'000}, std::pair{"host_lead_ns", 12'500'000}}) {
      steps.add(name, 0) = {ns, ns};
    }
  }
  launch.samples.push_back({.cycle = 0, .steps = std::move(steps)});
  record::Results results;
  results.launches.push_back(std::move(launch));
  return results;
}

TEST(DeviceTimes, DeviceClock_IsTheStepColumn) {
  const std::string table = render_table(one_launch(true), {.columns = 140});
  EXPECT_THAT(table, ContainsRegex("step, device \\[ms\\] +host \\[ms\\]"));
  EXPECT_THAT(table, ContainsRegex("6\\.25 +6\\.00\n"));
  EXPECT_THAT(render_table(one_launch(false), {.columns = 140}), Not(HasSubstr("device")));
}

TEST(DeviceTimes, FasterHost_RanAhead) {
  EXPECT_THAT(render_table(one_launch(true), {.columns = 200}),
              HasSubstr("the host ran ahead of the device by 2.0 steps"));
  record::Results even = one_launch(true);
  even.launches[0].samples[0].steps.columns[1] = {6'200'000, 6'200'000};
  EXPECT_THAT(render_table(even, {.columns = 200}), Not(HasSubstr("ran ahead")));
}

TEST(DeviceTimes, OneLaunchWithout_UsesDrainedTime) {
  record::Results results = one_launch(true);
  for (const bool events : {false, true}) {
    record::Launch launch = one_launch(events).launches[0];
    launch.row.key.launch = 1 + (events ? 1 : 0);
    launch.row.report.effective["device"] = std::string("cuda:0");
    launch.row.report.schedule["window_drained_ns"] = std::int64_t{14'000'000};
    results.launches.push_back(std::move(launch));
  }
  results.launches[0] = results.launches[2];
  results.launches[0].row.key.launch = 0;
  const std::string table = render_table(results, {.columns = 200});
  EXPECT_THAT(table, HasSubstr("step, drained [ms]"));
  EXPECT_THAT(table, HasSubstr("[6.25, 7.00]"));
  EXPECT_THAT(table, HasSubstr("some launches have no device times"));
}

std::string page_of(const record::Results& results) {
  return document::render(case_document(estimate::case_rows(results).front(), results, {}),
                          {.columns = 120});
}

TEST(DeviceTimes, DevicePhases_AreShown) {
  const std::string page = page_of(one_launch(true));
  EXPECT_THAT(page, HasSubstr("a step spans 5.90 ms on the device, host ahead by 12.5 ms"));
  const std::size_t host = page.find("Phases of a step on the host");
  const std::size_t device = page.find("Phases of a step on the stream that computes");
  const std::size_t side = page.find("Phases on other streams");
  EXPECT_THAT(page.substr(host, device - host), Not(HasSubstr("0.750")));
  EXPECT_THAT(page.substr(device, side - device),
              AllOf(ContainsRegex("forward +5\\.50 +88\\.0"),
                    ContainsRegex("other +0\\.750 +12\\.0"), Not(HasSubstr("h2d"))));
  EXPECT_THAT(page.substr(side), ContainsRegex("h2d +0\\.100"));
  EXPECT_THAT(page_of(one_launch(false)), Not(HasSubstr("on the device")));
}

TEST(DeviceTimes, EachFormat_NamesTheClock) {
  record::Results results = one_launch(true);
  results.launches[0].row.report.metrics = {{"kernels", 12.0}, {"set_up_ns", 5e6}};
  results.columns = estimate::harness_metrics();
  EXPECT_THAT(page_of(results),
              AllOf(ContainsRegex("kernels +12 +12 +12 +cupti"),
                    ContainsRegex("set_up +5.00 ms +5.00 ms +5.00 ms +host_clock"),
                    HasSubstr("host ahead by 12.5 ms (cuda_events+host_clock)")));
  EXPECT_THAT(render(results, Format::kJson, {}),
              AllOf(HasSubstr(R"("step_device_ns":5900000)"),
                    HasSubstr(R"("device_phases":{"forward":{"ns":5500000)"),
                    HasSubstr(R"("step_device_ns":"cuda_events")"),
                    HasSubstr(R"("step_p50_ns":"host_clock")"), Not(HasSubstr("cupti"))))
      << "the case's launches are no calls";
  const auto steps = sample_table(estimate::case_rows(results), {});
  EXPECT_THAT(samples_json(steps, results.columns),
              AllOf(HasSubstr(R"("forward_device_ns":"cuda_events")"),
                    HasSubstr(R"("step_ns":"host_clock")")));
  EXPECT_THAT(samples_json(steps), Not(HasSubstr("sources")));
}

}  // namespace
}  // namespace stepbench::report
