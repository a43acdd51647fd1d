// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/name_facts.h"

#include <gtest/gtest.h>

namespace stepbench::trace {
namespace {

TEST(NameFacts, StepsAreFoundByTheirNumber) {
  EXPECT_EQ(facts_of_name("ProfilerStep#12").step, 12);
  EXPECT_EQ(facts_of_name("ProfilerStep # 7").step, 7);
  EXPECT_EQ(facts_of_name("ProfilerStep#").step, -1);
  EXPECT_EQ(facts_of_name("ProfilerStep*").step, -1);
  EXPECT_EQ(facts_of_name("MyProfilerStep#3").step, -1);
  EXPECT_EQ(facts_of_name("ProfilerStep#99999999999999999999").step, -1);
}

TEST(NameFacts, WaitsForDataAreFoundWithTheClassOfTheIterator) {
  constexpr std::string_view kWait =
      "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";
  EXPECT_TRUE(facts_of_name(kWait).data_wait);
  EXPECT_EQ(iterator_class(kWait), "_MultiProcessingDataLoaderIter");
  EXPECT_TRUE(facts_of_name("enumerate(DataPipe)#Mapper").data_wait);
  EXPECT_EQ(iterator_class("enumerate(DataPipe)#Mapper"), "Mapper");
  EXPECT_EQ(iterator_class("aten::mm"), "");
}

TEST(NameFacts, CallsOfEveryRuntimeHaveTheirClass) {
  for (const char* call :
       {"cudaLaunchKernel", "cudaLaunchKernelExC", "__cudaLaunchKernel", "cuLaunchKernelEx",
        "cudaLaunchCooperativeKernelMultiDevice", "hipLaunchKernel", "hipExtModuleLaunchKernel",
        "hipModuleLaunchKernel", "hipExtLaunchKernel"}) {
    EXPECT_EQ(facts_of_name(call).call, CallClass::kLaunch) << call;
  }
  for (const char* call : {"cudaGraphLaunch", "cuGraphLaunch", "hipGraphLaunch"}) {
    EXPECT_EQ(facts_of_name(call).call, CallClass::kGraphLaunch) << call;
  }
  for (const char* call : {"cudaMemcpyAsync", "hipMemcpyWithStream", "cuMemcpyHtoDAsync_v2"}) {
    EXPECT_EQ(facts_of_name(call).call, CallClass::kCopy) << call;
  }
  for (const char* call : {"cudaStreamSynchronize", "hipDeviceSynchronize", "cuCtxSynchronize"}) {
    EXPECT_EQ(facts_of_name(call).call, CallClass::kSynchronize) << call;
  }
  for (const char* call : {"cudaMalloc", "cudaFreeHost", "cudaHostAlloc", "hipMallocAsync",
                           "cuMemAlloc_v2", "cudaHostRegister"}) {
    EXPECT_EQ(facts_of_name(call).call, CallClass::kAllocate) << call;
  }
  EXPECT_EQ(facts_of_name("cudaMemsetAsync").call, CallClass::kSet);
  EXPECT_EQ(facts_of_name("cudaEventQuery").call, CallClass::kOther);
  EXPECT_EQ(facts_of_name("aten::_local_scalar_dense").call, CallClass::kOther);
  EXPECT_EQ(facts_of_name("free_running_kernel_Malloc").call, CallClass::kOther);
}

TEST(NameFacts, CopiesSayWhereFromAndWhereTo) {
  const NameFacts pageable = facts_of_name("Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(pageable.copy, ops::CopyKind::kHostToDevice);
  EXPECT_EQ(pageable.from, MemoryKind::kPageable);
  EXPECT_EQ(pageable.to, MemoryKind::kDevice);
  const NameFacts back = facts_of_name("Memcpy DtoH (Device -> Pinned)");
  EXPECT_EQ(back.copy, ops::CopyKind::kDeviceToHost);
  EXPECT_EQ(back.to, MemoryKind::kPinned);
  const NameFacts rocm = facts_of_name("Memcpy HtoD (Host -> Device)");
  EXPECT_EQ(rocm.copy, ops::CopyKind::kHostToDevice);
  EXPECT_EQ(rocm.from, MemoryKind::kUnknown) << "ROCm does not say whether it was pinned";
  EXPECT_EQ(facts_of_name("Memcpy PtoP (Device -> Device)").copy, ops::CopyKind::kPeer);
  EXPECT_EQ(facts_of_name("Memcpy ) -> (").copy, ops::CopyKind::kNone);
}

TEST(NameFacts, CollectivesAreFoundWhereverTheirLibraryStands) {
  for (const char* name :
       {"nccl:all_reduce", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "void rcclKernel(int)",
        "gloo:broadcast", "record_param_comms", "MyNCCLWrapper"}) {
    EXPECT_TRUE(facts_of_name(name).communication) << name;
  }
  EXPECT_FALSE(facts_of_name("aten::reduce").communication);
}

TEST(NameFacts, RowsOfAutogradAreKnownByOldAndNewNames) {
  for (const char* name :
       {"autograd::engine::evaluate_function: MmBackward0", "CudnnConvolutionBackward",
        "AddmmBackward0", "CompiledFunctionBackward", "torch::autograd::AccumulateGrad"}) {
    EXPECT_TRUE(facts_of_name(name).autograd) << name;
  }
  for (const char* name : {"aten::convolution_backward", "## backward ##", "Backwards", "12"}) {
    EXPECT_FALSE(facts_of_name(name).autograd) << name;
  }
}

TEST(NameFacts, CallsOfOtherDevicesSayWhatTheyDo) {
  const auto is = [](const char* name, CallClass wanted) {
    EXPECT_EQ(facts_of_name(name).call, wanted) << name;
  };
  is("runFunction - job_prep_and_submit_for_execution", CallClass::kLaunch);
  is("synchronizeStream", CallClass::kSynchronize);
  is("enqueueCommand memcpyHtoDAsync", CallClass::kCopy);
  is("urEnqueueKernelLaunch", CallClass::kLaunch);
  is("urQueueFinish", CallClass::kSynchronize);
  is("zeCommandListAppendMemoryCopy", CallClass::kCopy);
  is("aclrtSynchronizeStream", CallClass::kSynchronize);
  is("aclrtMalloc", CallClass::kAllocate);
  is("urContextRetain", CallClass::kOther);
  is("aten::synchronize", CallClass::kOther);
}

TEST(NameFacts, RowsOfMtiaThatCopyOrWaitAreToldApartFromItsWork) {
  EXPECT_TRUE(facts_of_name("dma_request").moves_memory);
  EXPECT_TRUE(facts_of_name("event_wait").device_waits);
  EXPECT_FALSE(facts_of_name("pe_exe").moves_memory);
  EXPECT_TRUE(facts_of_name("hccl:all_reduce").communication);
}

TEST(NameFacts, CopiesThatRocmCallsKernelsAreToldApart) {
  EXPECT_TRUE(facts_of_name("MEMORY_COPY_HOST_TO_DEVICE").moves_memory);
  EXPECT_TRUE(facts_of_name("__amd_rocclr_copyBufferAligned.kd").moves_memory);
  EXPECT_TRUE(facts_of_name("__amd_rocclr_fillBufferAligned.kd").sets_memory);
  EXPECT_FALSE(facts_of_name("copyBuffer").moves_memory);
}

}  // namespace
}  // namespace stepbench::trace
