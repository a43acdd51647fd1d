// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/name_facts.h"

#include <gtest/gtest.h>

namespace stepbench::trace {
namespace {

TEST(NameFacts, StepsAndWaitsForDataAreFound) {
  for (const auto& [name, step] :
       {std::pair("ProfilerStep#12", 12), std::pair("ProfilerStep # 7", 7),
        std::pair("ProfilerStep#", -1), std::pair("ProfilerStep*", -1),
        std::pair("MyProfilerStep#3", -1), std::pair("ProfilerStep#99999999999999999999", -1)}) {
    EXPECT_EQ(facts_of_name(name).step, step) << name;
  }
  for (const auto& [name, iterator] :
       {std::pair("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
                  "_MultiProcessingDataLoaderIter"),
        std::pair("enumerate(DataPipe)#Mapper", "Mapper"), std::pair("aten::mm", "")}) {
    EXPECT_EQ(facts_of_name(name).data_wait, *iterator != '\0') << name;
    EXPECT_EQ(iterator_class(name), iterator);
  }
}

TEST(NameFacts, CallsOfEveryRuntimeHaveTheirClass) {
  const std::pair<CallClass, std::vector<const char*>> kCalls[] = {
      {CallClass::kLaunch,
       {"cudaLaunchKernel", "cudaLaunchKernelExC", "__cudaLaunchKernel", "cuLaunchKernelEx",
        "cudaLaunchCooperativeKernelMultiDevice", "hipLaunchKernel", "hipExtModuleLaunchKernel",
        "hipModuleLaunchKernel", "hipExtLaunchKernel", "urEnqueueKernelLaunch",
        "runFunction - job_prep_and_submit_for_execution"}},
      {CallClass::kGraphLaunch, {"cudaGraphLaunch", "cuGraphLaunch", "hipGraphLaunch"}},
      {CallClass::kCopy,
       {"cudaMemcpyAsync", "hipMemcpyWithStream", "cuMemcpyHtoDAsync_v2",
        "enqueueCommand memcpyHtoDAsync", "zeCommandListAppendMemoryCopy"}},
      {CallClass::kSynchronize,
       {"cudaStreamSynchronize", "hipDeviceSynchronize", "cuCtxSynchronize", "synchronizeStream",
        "urQueueFinish", "aclrtSynchronizeStream"}},
      {CallClass::kAllocate,
       {"cudaMalloc", "cudaFreeHost", "cudaHostAlloc", "hipMallocAsync", "cuMemAlloc_v2",
        "cudaHostRegister", "aclrtMalloc"}},
      {CallClass::kSet, {"cudaMemsetAsync"}},
      {CallClass::kOther,
       {"cudaEventQuery", "aten::_local_scalar_dense", "free_running_kernel_Malloc",
        "urContextRetain", "aten::synchronize"}}};
  for (const auto& [kind, names] : kCalls) {
    for (const char* name : names) EXPECT_EQ(facts_of_name(name).call, kind) << name;
  }
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

TEST(NameFacts, RowsOfOtherDevicesThatCopySetOrWaitAreToldApart) {
  EXPECT_TRUE(facts_of_name("dma_request").moves_memory);
  EXPECT_TRUE(facts_of_name("event_wait").device_waits);
  EXPECT_FALSE(facts_of_name("pe_exe").moves_memory);
  EXPECT_TRUE(facts_of_name("hccl:all_reduce").communication);
  EXPECT_TRUE(facts_of_name("MEMORY_COPY_HOST_TO_DEVICE").moves_memory);
  EXPECT_TRUE(facts_of_name("__amd_rocclr_copyBufferAligned.kd").moves_memory);
  EXPECT_TRUE(facts_of_name("__amd_rocclr_fillBufferAligned.kd").sets_memory);
  EXPECT_FALSE(facts_of_name("copyBuffer").moves_memory);
}

}  // namespace
}  // namespace stepbench::trace
