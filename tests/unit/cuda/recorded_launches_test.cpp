// SPDX-License-Identifier: Apache-2.0
// Calls, kernels and waits of recorded traces of real GPUs, where they are at hand.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/cuda/activity_summary.h"
#include "harness/ops/launch_calls.h"
#include "harness/record/input.h"

namespace stepbench::cuda {
namespace {

using Json = nlohmann::json;

const std::map<std::string, ops::ActivityKind>& kinds() {
  static const std::map<std::string, ops::ActivityKind> kinds = {
      {"cuda_runtime", ops::ActivityKind::kRuntime},
      {"Runtime", ops::ActivityKind::kRuntime},
      {"cuda_driver", ops::ActivityKind::kDriver},
      {"kernel", ops::ActivityKind::kKernel},
      {"Kernel", ops::ActivityKind::kKernel},
      {"gpu_memcpy", ops::ActivityKind::kMemcpy},
      {"Memcpy", ops::ActivityKind::kMemcpy},
      {"gpu_memset", ops::ActivityKind::kMemset},
      {"Memset", ops::ActivityKind::kMemset},
      {"cuda_sync", ops::ActivityKind::kSynchronization}};
  return kinds;
}

ops::OpLog read(const std::filesystem::path& file) {
  const record::Input input = record::Input::read(file, {.packed_lines = SIZE_MAX});
  ops::OpLog log;
  std::map<std::string, std::uint32_t> threads;
  double first_us = 0;  // since 1970 a double holds no nanoseconds
  const Json trace = Json::parse(input.text());
  for (const Json& event : trace.at("traceEvents")) {
    const auto kind = kinds().find(event.value("cat", ""));
    if (kind == kinds().end() || event.value("ph", "") != "X") continue;
    ops::DeviceActivity& activity = log.activities.emplace_back();
    activity.kind = kind->second;
    if (log.activities.size() == 1) first_us = event.at("ts").get<double>();
    activity.start_ns = std::llround((event.at("ts").get<double>() - first_us) * 1000);
    activity.end_ns = activity.start_ns + std::llround(event.at("dur").get<double>() * 1000);
    activity.correlation = event.at("args").value("correlation", std::uint64_t{0});
    activity.name = static_cast<std::uint32_t>(log.names.size());
    log.names.push_back(event.at("name"));
    activity.thread = threads.try_emplace(event.at("tid").dump(), threads.size()).first->second;
  }
  return log;
}

struct Recorded {
  const char* file;
  std::int64_t launches, kernels, copies;
  std::optional<std::int64_t> synchronisations;  // nothing: the host waited, and no record says so
};

class RecordedLaunches : public testing::TestWithParam<Recorded> {};

TEST_P(RecordedLaunches, AreAllCountedAndNoneIsMissing) {
  const std::filesystem::path file = std::filesystem::path(TRACES) / GetParam().file;
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "the public traces are not at hand";
  const ops::OpLog log = read(file);
  const ActivitySummary sum = summarise_activities(log);
  EXPECT_EQ(sum.launches, GetParam().launches);
  EXPECT_EQ(sum.kernels, GetParam().kernels);
  EXPECT_EQ(sum.copies, GetParam().copies);
  EXPECT_EQ(sum.synchronisations, GetParam().synchronisations);
  EXPECT_EQ(ops::launches_without_record(log.activities, log.names, {}), 0);
}

// ResNet-50 on one V100 through the runtime, a Triton kernel through the driver, additions on
// several streams with waits of all kinds.
INSTANTIATE_TEST_SUITE_P(
    Traces, RecordedLaunches,
    testing::Values(
        Recorded{"tb_plugin/samples/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz",
                 8772, 8772, 12, std::nullopt},
        Recorded{"hta/triton_example/triton_example.json.gz", 1, 1, 0, std::nullopt},
        Recorded{"hta/critical_path/simple_add/benchmark_result_493459_1694039959_trace.json.gz",
                 79, 79, 16, 21}));

}  // namespace
}  // namespace stepbench::cuda
