// SPDX-License-Identifier: Apache-2.0
// The functions found at run time, compared with NVIDIA's own libraries: names, numbers, and
// results without a driver.
#include <cupti.h>
#include <dlfcn.h>

#include "harness/cuda/cuda_api.h"
#include "harness/cuda/device_activity.h"
#include "harness/cuda/internal/cupti_api.h"
#include "harness/cuda/internal/cupti_records.h"
#include "tests/testing.h"

namespace stepbench::cuda {
namespace {

// As loaded by libtorch; null if the packages have no libraries.
void* loaded(const char* name) {
  return ::dlopen((fs::path(CUDA_LIBRARIES) / name).c_str(), RTLD_NOW | RTLD_GLOBAL);
}

class Runtime : public testing::Test {
 protected:
  void SetUp() override {
    library = loaded("libcudart.so.13");
    if (library == nullptr) GTEST_SKIP() << ::dlerror();
    auto found = load_cuda_api();
    ASSERT_TRUE(std::holds_alternative<CudaApi>(found)) << std::get<std::string>(found);
    api = std::get<CudaApi>(std::move(found));
  }
  void* library = nullptr;
  CudaApi api;
};

TEST_F(Runtime, ErrorNumbers_MatchTheLibrary) {
  EXPECT_EQ(api.error_name(kCudaInsufficientDriver), "cudaErrorInsufficientDriver");
  EXPECT_EQ(api.error_name(kCudaNoDevice), "cudaErrorNoDevice");
  EXPECT_EQ(api.error_name(kCudaNotReady), "cudaErrorNotReady");
}

TEST_F(Runtime, NoDriver_SeesNoDevice) {
  int count = 0;
  if (api.device_count(&count) == kCudaSuccess) GTEST_SKIP() << "there is a driver";
  EXPECT_EQ(device_missing(api, 0), "no CUDA device");
}

// libtorch checks the thread's last error after each kernel launch.
TEST_F(Runtime, FailedCall_LeavesNoError) {
  auto* const set_device = reinterpret_cast<int (*)(int)>(::dlsym(library, "cudaSetDevice"));
  auto* const last = reinterpret_cast<int (*)()>(::dlsym(library, "cudaGetLastError"));
  ASSERT_TRUE(set_device != nullptr && last != nullptr);
  (void)last();
  if (last() == kCudaInsufficientDriver)
    GTEST_SKIP() << "without a driver there is always one: needs a CUDA device";
  const int refused = set_device(-1);
  EXPECT_NE(refused, kCudaSuccess);
  EXPECT_EQ(last(), refused) << "the runtime itself does leave one";
  EXPECT_EQ(api.set_device(-1), refused);
  EXPECT_EQ(last(), kCudaSuccess);
}

class Activity : public testing::Test {
 protected:
  void SetUp() override {
    if (loaded("libcupti.so.13") == nullptr) GTEST_SKIP() << ::dlerror();
    auto found = load_cupti_api();
    ASSERT_TRUE(std::holds_alternative<CuptiApi>(found)) << std::get<std::string>(found);
    api = std::get<CuptiApi>(std::move(found));
  }
  CuptiApi api;
};

TEST_F(Activity, Version_IsThatOfTheHeaders) {
  std::uint32_t version = 0;
  EXPECT_EQ(api.version(&version), kCuptiSuccess);
  EXPECT_EQ(version, CUPTI_API_VERSION);
  EXPECT_EQ(records_unreadable(version), "");
  EXPECT_EQ(records_unreadable(version - 1), "") << "a patch, or a minor version";
  EXPECT_EQ(records_unreadable(23), "") << "CUDA 12.5";
  EXPECT_NE(records_unreadable(22), "");
}

TEST_F(Activity, ErrorsAndCallbacks_MatchTheLibrary) {
  for (const auto& [code, name] :
       {std::pair{kCuptiMaxLimitReached, "MAX_LIMIT_REACHED"},
        std::pair{kCuptiQueueEmpty, "QUEUE_EMPTY"}, std::pair{kCuptiInvalidKind, "INVALID_KIND"},
        std::pair{kCuptiMultipleSubscribers, "MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"},
        std::pair{kCuptiUnknown, "UNKNOWN"}}) {
    EXPECT_EQ(api.error_name(code), "CUPTI_ERROR_" + std::string(name));
  }
#define STEPBENCH_NAMED(call) \
  EXPECT_EQ(api.callback_name(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_##call), #call)
  STEPBENCH_NAMED(cudaLaunchKernel_v7000);
  STEPBENCH_NAMED(cudaLaunchKernelExC_v11060);
  STEPBENCH_NAMED(cudaGraphLaunch_v10000);
  STEPBENCH_NAMED(cudaEventQuery_v3020);
  STEPBENCH_NAMED(cudaLaunchKernel_ptsz_v7000);
#undef STEPBENCH_NAMED
  EXPECT_EQ(api.callback_name(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel),
            "cuLaunchKernel");
  EXPECT_EQ(api.callback_name(CUPTI_CB_DOMAIN_RUNTIME_API, 1'000'000), "call 1000000")
      << "of a later library";
}

TEST_F(Activity, Marks_AreTakenOrRefused) {
  std::uint64_t id = 0;
  const int pushed = api.push(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 5);
  const int popped = api.pop(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &id);
  EXPECT_EQ(popped, pushed);
  if (pushed == kCuptiSuccess) {
    EXPECT_EQ(id, 5U);
    EXPECT_EQ(api.pop(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &id), kCuptiQueueEmpty);
  } else {
    EXPECT_EQ(pushed, kCuptiUnknown);
  }
}

TEST_F(Activity, NoDriver_GivesAReason) {
  if (loaded("libcudart.so.13") == nullptr) GTEST_SKIP() << ::dlerror();
  const auto cuda = load_cuda_api();
  ASSERT_TRUE(std::holds_alternative<CudaApi>(cuda));
  if (device_missing(std::get<CudaApi>(cuda), 0).empty()) GTEST_SKIP() << "there is a device";
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto collector = make_cupti_collector(api, std::get<CudaApi>(cuda));
    EXPECT_THAT(collector->start(), Optional(HasSubstr("CUPTI_ERROR_UNKNOWN (999)")));
    collector->push(1);
    collector->pop();
    ops::OpLog log;
    collector->collect(log);
    EXPECT_TRUE(log.activities.empty());
    EXPECT_EQ(collector->incomplete(), std::nullopt);
  }
}

}  // namespace
}  // namespace stepbench::cuda
