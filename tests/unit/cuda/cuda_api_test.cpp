// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/cuda_api.h"

#include <dlfcn.h>

#include "tests/testing.h"
#include "tests/unit/cuda/scripted_cuda.h"

namespace stepbench::cuda {
namespace {

// libtorch checks the thread's last error after each kernel launch: a query of an event that is not
// ready must not look like a failed kernel.
TEST(CudaApi, EventNotReady_LeavesNoError) {
  void* library = ::dlopen(STAND_IN_RUNTIME, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  auto* const last = reinterpret_cast<int (*)()>(::dlsym(library, "cudaGetLastError"));
  auto* const query = reinterpret_cast<int (*)(void*)>(::dlsym(library, "cudaEventQuery"));
  ASSERT_TRUE(last != nullptr && query != nullptr);
  EXPECT_EQ(query(nullptr), kCudaNotReady);
  EXPECT_EQ(last(), kCudaNotReady) << "the runtime itself leaves one";

  const auto loaded = load_cuda_api();
  ASSERT_TRUE(std::holds_alternative<CudaApi>(loaded)) << std::get<std::string>(loaded);
  const auto& api = std::get<CudaApi>(loaded);
  EXPECT_EQ(api.event_query(nullptr), kCudaNotReady);
  EXPECT_EQ(last(), kCudaSuccess);
  float ms = 0;
  EXPECT_EQ(api.event_elapsed_ms(&ms, nullptr, nullptr), kCudaNotReady);
  EXPECT_EQ(last(), kCudaSuccess);
  EXPECT_NE(api.set_device(7), kCudaSuccess);
  EXPECT_EQ(last(), kCudaSuccess);
}

// Code 35 has two meanings with different remedies.
TEST(CudaApi, OldDriver_IsNotNoDevice) {
  ScriptedClock clock;
  ScriptedCuda cuda(clock);
  cuda.failing["device_count"] = kCudaInsufficientDriver;
  EXPECT_EQ(device_missing(cuda.api(), 0), "no CUDA device");
  cuda.driver_version = 12080;
  EXPECT_EQ(device_missing(cuda.api(), 0),
            "the NVIDIA driver is too old: it runs CUDA up to 12.8, and libtorch needs 13.0; "
            "install a newer driver, or a libtorch that is built for CUDA 12.8 or earlier");
  cuda.failing["device_count"] = kCudaNoDevice;
  EXPECT_EQ(device_missing(cuda.api(), 0), "no CUDA device");
  cuda.failing["device_count"] = 999;
  EXPECT_EQ(device_missing(cuda.api(), 0), "cudaGetDeviceCount: cudaError999 (999)");
}

TEST(CudaApi, DeviceOption_HasItsOrdinal) {
  EXPECT_EQ(cuda_ordinal("cpu"), std::nullopt);
  EXPECT_EQ(cuda_ordinal("cuda"), 0);
  EXPECT_EQ(cuda_ordinal("cuda:12"), 12);
}

TEST(CudaApi, Device_IsDescribedByItsAttributes) {
  ScriptedClock clock;
  ScriptedCuda cuda(clock);
  const ops::TraceDevice device = device_properties(cuda.api(), 1);
  EXPECT_EQ(device.id, 1);
  EXPECT_EQ(device.name, "Scripted GPU 1");
  EXPECT_EQ(device.total_memory_bytes, std::int64_t{16} << 30);
  EXPECT_EQ(device.multiprocessors, 16) << "cudaDevAttrMultiProcessorCount";
  EXPECT_EQ(device.max_threads_per_multiprocessor, 39);
  EXPECT_EQ(device.compute_major, 75);
  cuda.failing["attribute"] = 1;
  EXPECT_EQ(device_properties(cuda.api(), 0).multiprocessors, 0);
  EXPECT_EQ(device_properties(cuda.api(), 0).warp_size, 32);
}

}  // namespace
}  // namespace stepbench::cuda
