// SPDX-License-Identifier: Apache-2.0
// The collectors beside others: a second subscriber, the management library.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "harness/cuda/cupti_collector.h"
#include "harness/machine/device_sampler.h"
#include "harness/os/command.h"
#include "tests/gpu/device_scene.h"
#include "tests/gpu/products.h"

namespace stepbench::gpu {
namespace {

TEST(Gpu, WhereAnotherSubscriberHoldsCuptiTheCollectorSaysSo) {
  STEPBENCH_NEED_GPU(api);
  auto loaded = cuda::load_cupti_api();
  ASSERT_TRUE(std::holds_alternative<cuda::CuptiApi>(loaded)) << std::get<std::string>(loaded);
  const auto& cupti = std::get<cuda::CuptiApi>(loaded);
  void* other = nullptr;
  if (const int code = cupti.subscribe(&other); code != cuda::kCuptiSuccess) {
    GTEST_SKIP() << "cuptiSubscribe: " << cupti.error_name(code);
  }
  const auto collector = cuda::make_cupti_collector(cupti, api);
  EXPECT_THAT(collector->start(),
              testing::Optional(testing::HasSubstr("another profiler is attached")));
  Products products(64, 1, 1);
  EXPECT_EQ(measure(api, products, 5).column("step_device_ns").size(), 5U)
      << "events work all the same";
  EXPECT_EQ(cupti.unsubscribe(other), cuda::kCuptiSuccess);
  EXPECT_EQ(collector->start(), std::nullopt) << "once the other has gone";
  number("CUPTI held by another subscriber", "a note, and everything else works",
         "another profiler is attached", passed(!HasFailure()));
}

TEST(Gpu, TheManagementLibraryTellsWhatNvidiaSmiTells) {
  STEPBENCH_NEED_GPU(api);
  const auto nvml = machine::NvmlSession::open(machine::load_nvml_api());
  if (nvml == nullptr) GTEST_SKIP() << "no libnvidia-ml.so.1 here";
  const auto state = nvml->read(0);
  ASSERT_TRUE(state.has_value());
  const os::CommandResult smi =
      os::run_command({"nvidia-smi", "--query-gpu=name,memory.total,uuid,clocks.max.sm",
                       "--format=csv,noheader,nounits", "--id=0"},
                      "", std::chrono::seconds(30));
  if (!smi.started || smi.exit_status != 0) GTEST_SKIP() << "nvidia-smi: " << smi.reason << smi.err;
  const std::string mib = std::to_string(state->memory_total_bytes.value_or(0) >> 20);
  EXPECT_THAT(smi.out, testing::StartsWith(state->name + ", " + mib + ", "));
  const std::size_t uuid = smi.out.find("GPU-");
  ASSERT_NE(uuid, std::string::npos);
  EXPECT_EQ(nvml->index_of(smi.out.substr(uuid, smi.out.find(',', uuid) - uuid)), 0);
  EXPECT_THAT(smi.out, testing::HasSubstr(", " + std::to_string(state->max_sm_mhz.value_or(0))));
  number("name and memory, NVML and nvidia-smi", "equal", state->name + ", " + mib + " MiB",
         passed(!HasFailure()));
}

TEST(Gpu, TheSamplerSeesTheDeviceAtWork) {
  STEPBENCH_NEED_GPU(api);
  const auto nvml = machine::NvmlSession::open(machine::load_nvml_api());
  if (nvml == nullptr) GTEST_SKIP() << "no libnvidia-ml.so.1 here";
  const HostClock clock;
  using Owner = machine::DeviceSampler::Owner;
  machine::DeviceSampler sampler(nvml.get(), 0, clock, [](int pid) {
    if (pid == ::getpid()) return Owner::kOurs;
    return std::filesystem::exists("/proc/" + std::to_string(pid)) ? Owner::kOther
                                                                   : Owner::kUnknown;
  });
  sampler.device_is(api.device_pci(0));
  Products products(4096, 4, 4);
  const std::int64_t end_ns = clock.now_ns() + 3'500'000'000;
  while (clock.now_ns() < end_ns) {
    (void)measure(api, products, 5);
    sampler.sample();
  }
  const Fields fields = sampler.summary();
  ASSERT_TRUE(fields.contains("gpu.samples"));
  EXPECT_GE(std::get<std::int64_t>(fields.at("gpu.samples")), 2);
  EXPECT_GT(std::get<std::int64_t>(fields.at("gpu.memory_used_bytes_max")), 100'000'000);
  EXPECT_GT(std::get<std::int64_t>(fields.at("gpu.utilisation_max")), 20);
  std::string seen;
  for (const auto& [name, value] : fields) seen += name + " " + to_text(value) + "; ";
  number("machine state of a busy device", "clocks, power, temperature, reasons, others", seen,
         passed(!HasFailure()));
}

// The counter of energy against readings of the power, over four seconds of work.
TEST(Gpu, TheEnergyCounterAgreesWithThePowerThatIsRead) {
  STEPBENCH_NEED_GPU(api);
  const auto nvml = machine::NvmlSession::open(machine::load_nvml_api());
  if (nvml == nullptr) GTEST_SKIP() << "no libnvidia-ml.so.1 here";
  const auto device = nvml->device_of_pci(api.device_pci(0));
  if (!device || !nvml->read_counters(*device).energy_mj) GTEST_SKIP() << "it counts no energy";
  const HostClock clock;
  machine::DeviceSampler sampler(nvml.get(), std::nullopt, clock,
                                 [](int) { return machine::DeviceSampler::Owner::kOurs; });
  sampler.device_is(api.device_pci(0));
  Products products(4096, 4, 4);
  const auto work_for = [&](std::int64_t ns, const auto& after_each) {
    for (const std::int64_t end_ns = clock.now_ns() + ns; clock.now_ns() < end_ns;) {
      (void)measure(api, products, 5);
      after_each();
    }
  };
  work_for(1'000'000'000, [] {});  // until the clocks are up
  std::vector<double> watts;
  sampler.window_begins();
  work_for(4'000'000'000, [&] {
    machine::DeviceState state;
    nvml->read_changing(*device, state);
    if (state.power_mw) watts.push_back(static_cast<double>(*state.power_mw) * 1e-3);
  });
  sampler.window_ends();
  const auto counted = sampler.counters().power_w();
  ASSERT_TRUE(counted.has_value() && !watts.empty());
  const double read = stats::median(watts);
  EXPECT_NEAR(*counted / read, 1, .15);
  number("mean power by the energy counter, over readings of it", ".85 to 1.15",
         std::to_string(*counted / read) + " of " + std::to_string(read) + " W",
         passed(!HasFailure()));
}

TEST(Gpu, TheCollectorAttachesAndDetachesTenTimes) {
  STEPBENCH_NEED_GPU(api);
  Products products(256, 1, 1);
  std::vector<std::size_t> kernels;
  for (int i = 0; i < 10; ++i) {
    const auto collector = cuda::make_activity_collector(0);
    if (const auto why = collector->start()) GTEST_SKIP() << *why;
    collector->discard();
    products.multiply(20);
    ops::OpLog log;
    collector->collect(log);
    EXPECT_EQ(collector->incomplete(), std::nullopt) << i;
    collector->stop();
    kernels.push_back(static_cast<std::size_t>(
        std::count_if(log.activities.begin(), log.activities.end(),
                      [](const auto& each) { return each.kind == ops::ActivityKind::kKernel; })));
  }
  EXPECT_THAT(kernels, testing::Each(kernels.front()));
  EXPECT_GE(kernels.front(), 20U);
}

// A window too long for the memory that records may take says so and goes on.
TEST(Gpu, RecordsForWhichThereIsNoRoomAreCounted) {
  STEPBENCH_NEED_GPU(api);
  auto cupti = cuda::load_cupti_api();
  if (const auto* why = std::get_if<std::string>(&cupti)) GTEST_SKIP() << *why;
  const auto collector = cuda::make_cupti_collector(
      std::get<cuda::CuptiApi>(std::move(cupti)), api,
      {.buffer_bytes = std::size_t{64} << 10, .most_bytes = std::size_t{256} << 10});
  if (const auto why = collector->start()) GTEST_SKIP() << *why;
  Products products(64, 1, 1);
  for (int i = 0; i < 50; ++i) products.multiply(1000);
  products.synchronize();
  ops::OpLog log;
  collector->collect(log);
  EXPECT_THAT(collector->incomplete(), testing::Optional(testing::HasSubstr("dropped")));
  EXPECT_GT(log.activities.size(), 100U);
  number("records without room", "counted", collector->incomplete().value_or("none"),
         passed(!HasFailure()));
}

}  // namespace
}  // namespace stepbench::gpu
