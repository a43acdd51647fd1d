// SPDX-License-Identifier: Apache-2.0
// The management library compared with nvidia-smi and its own readings; a collector used
// repeatedly.
#include "harness/machine/sampler.h"
#include "harness/os/process.h"
#include "tests/gpu/device_scene.h"
#include "tests/gpu/products.h"
#include "tests/testing.h"

namespace stepbench::gpu {
namespace {

TEST(Gpu, Nvml_AgreesWithNvidiaSmi) {
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
  EXPECT_THAT(smi.out, StartsWith(state->name + ", " + mib + ", "));
  const std::size_t uuid = smi.out.find("GPU-");
  ASSERT_NE(uuid, std::string::npos);
  EXPECT_EQ(nvml->index_of(smi.out.substr(uuid, smi.out.find(',', uuid) - uuid)), 0);
  EXPECT_THAT(smi.out, HasSubstr(", " + std::to_string(state->max_sm_mhz.value_or(0))));
  number("name and memory, NVML and nvidia-smi", "equal", state->name + ", " + mib + " MiB",
         passed(!HasFailure()));
}

// Compares the energy counter with readings of the power over four seconds of work.
TEST(Gpu, EnergyCounter_AgreesWithPower) {
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
  work_for(1'000'000'000, [] {});  // until the clocks have risen
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

TEST(Gpu, Collector_AttachesTenTimes) {
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
  EXPECT_THAT(kernels, Each(kernels.front()));
  EXPECT_GE(kernels.front(), 20U);
}

}  // namespace
}  // namespace stepbench::gpu
