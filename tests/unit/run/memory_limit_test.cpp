// SPDX-License-Identifier: Apache-2.0
#include "harness/run/internal/worker_launch.h"

#include "tests/testing.h"
#include "tests/unit/machine/scripted_nvml.h"

namespace stepbench::run {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

LaunchRequest limited(std::int64_t bytes, const std::string& device,
                      const machine::NvmlSession* devices, machine::Variables variables = {}) {
  ResolvedCase resolved;
  resolved.options = {{"device", device}};
  LaunchRequest request;
  request.spawn.environment = std::move(variables);
  limit_memory(bytes, resolved, devices, request);
  return request;
}

TEST(MemoryLimit, Cpu_LimitsProcessesAndTree) {
  const LaunchRequest request = limited(100 * kMiB, "cpu", nullptr);
  EXPECT_EQ(request.spawn.data_bytes, 100 * kMiB + kMappedOnlyBytes);
  EXPECT_EQ(request.limits.memory_bytes, 100 * kMiB);
  EXPECT_THAT(request.spawn.environment, IsEmpty());
}

TEST(MemoryLimit, Device_LimitsTorchsAllocator) {
  machine::ScriptedNvml nvml;  // of 1000 bytes
  const auto devices = machine::NvmlSession::open(nvml.api());
  const LaunchRequest request = limited(250, "cuda", devices.get());
  EXPECT_THAT(request.spawn.environment,
              ElementsAre(Pair("PYTORCH_CUDA_ALLOC_CONF", "per_process_memory_fraction:0.250000")));
  // The process itself is not limited: CUDA maps memory that it never touches.
  EXPECT_FALSE(request.spawn.data_bytes);
  EXPECT_FALSE(request.limits.memory_bytes);
  // The user's own setting of the allocator stays.
  const machine::Variables own = {{"PYTORCH_ALLOC_CONF", "expandable_segments:True"}};
  EXPECT_THAT(limited(500, "cuda:0", devices.get(), own).spawn.environment,
              ElementsAre(Pair("PYTORCH_ALLOC_CONF",
                               "expandable_segments:True,per_process_memory_fraction:0.500000")));
}

TEST(MemoryLimit, SmallOrUnknownDevice_IsNotLimited) {
  machine::ScriptedNvml nvml;
  const auto devices = machine::NvmlSession::open(nvml.api());
  EXPECT_THAT(limited(1000, "cuda", devices.get()).spawn.environment, IsEmpty());
  EXPECT_THAT(limited(250, "cuda", nullptr).spawn.environment, IsEmpty());
  nvml.mig = 1;
  EXPECT_THAT(limited(250, "cuda", devices.get()).spawn.environment, IsEmpty());
}

}  // namespace
}  // namespace stepbench::run
