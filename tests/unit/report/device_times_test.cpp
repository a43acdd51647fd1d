// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "harness/report/case_page.h"
#include "harness/report/table.h"

namespace stepbench {
namespace {

using testing::HasSubstr;
using testing::Not;

Results one_launch(bool on_device) {
  Launch launch;
  launch.row.key.case_id = "00112233aabbccdd";
  launch.row.workload = "train_step";
  launch.row.outcome = Outcome::measured();
  SamplesRow samples{
      .columns = {"index", "step_ns", "forward_ns", "other_ns", "flags"},
      .values = {
          {1, 2}, {6'000'000, 6'000'000}, {200'000, 200'000}, {5'800'000, 5'800'000}, {0, 0}}};
  if (on_device) {
    for (const auto& [name, ns] :
         {std::pair{"step_device_ns", 5'900'000}, std::pair{"forward_device_ns", 5'500'000},
          std::pair{"idle_device_ns", 400'000}, std::pair{"host_lead_ns", 3'000'000}}) {
      samples.columns.emplace_back(name);
      samples.values.push_back({ns, ns});
    }
  }
  launch.samples.push_back(std::move(samples));
  Results results;
  results.launches.push_back(std::move(launch));
  return results;
}

TEST(DeviceTimes, HaveAColumnBesideTheHostsStep) {
  EXPECT_THAT(render_table(one_launch(true), {.columns = 140}), HasSubstr("device [ms]"));
  EXPECT_THAT(render_table(one_launch(false), {.columns = 140}), Not(HasSubstr("device")));
}

TEST(DeviceTimes, ShowThePhasesOfTheDeviceAndWhoWaitsForWhom) {
  const Results results = one_launch(true);
  const std::string page = render_case(case_rows(results).front(), results, {.columns = 100});
  EXPECT_THAT(page, HasSubstr("Phases of a steady step on the device, by CUDA events"));
  EXPECT_THAT(page, HasSubstr("step on the device 5.90 ms, host ahead by 3.00 ms"));
  const std::size_t host = page.find("Phases of a steady step on the host");
  const std::size_t device = page.find("Phases of a steady step on the device");
  const std::string of_host = page.substr(host, device - host);
  EXPECT_THAT(of_host, Not(HasSubstr("idle")));
  EXPECT_THAT(page.substr(device), HasSubstr("idle"));
}

TEST(DeviceTimes, AreNotSpokenOfWithoutADevice) {
  const Results results = one_launch(false);
  EXPECT_THAT(render_case(case_rows(results).front(), results, {.columns = 100}),
              Not(HasSubstr("on the device")));
}

}  // namespace
}  // namespace stepbench
