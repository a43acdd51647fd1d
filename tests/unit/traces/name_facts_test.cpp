// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/name_facts.h"

#include "tests/testing.h"

namespace stepbench::traces {
namespace {

TEST(NameFacts, StepsAndDataWaits_AreFound) {
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

TEST(NameFacts, EachRuntimesCalls_HaveTheirClass) {
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

TEST(NameFacts, Copies_HaveTheirDirection) {
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

TEST(NameFacts, Collectives_AreFoundByName) {
  for (const char* name :
       {"nccl:all_reduce", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "void rcclKernel(int)",
        "gloo:broadcast", "record_param_comms", "MyNCCLWrapper"}) {
    EXPECT_TRUE(facts_of_name(name).communication) << name;
  }
  EXPECT_FALSE(facts_of_name("aten::reduce").communication);
}

TEST(NameFacts, CommunicationKernels_AreFound) {
  const char* kKernels[] = {
      "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
      "ncclSymkDevKernel_AllReduce_AGxLL_R_sum_f32(ncclSymkDevWorkArgs4K)",
      "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)",
      "mscclKernel_Sum_half_LL_false(ncclDevComm*, mscclAlgo*, mscclWork*)",
      "void allreduce8Read<__half>(__half*, void*)",
      "void mscclpp::executionKernel<__half, mscclpp::LLPacket>(int, __half*)",
      "void mscclpp::collective::(anonymous namespace)::allgatherFullmesh<false>(void*)",
      "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(vllm::RankData*)",
      "void sglang::cross_device_reduce_2stage<half, 8>(sglang::RankData*)",
      "void aiter::cross_device_reduce_1stage_naive<float, 4>(aiter::RankData*)",
      "void quickreduce::allreduce_prototype_twoshot<AllReduceTwoshot<half>>(half const*)",
      "void aiter::allreduce_fusion_kernel_1stage<half, 8>(aiter::RankData*)",
      "void aiter::allreduce_rmsnorm_prototype_twoshot<half>(half const*)",
      "void aiter::reduce_scatter_cross_device_store<half, 8>(aiter::RankData*)",
      "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)",
      "void (anonymous namespace)::multimem_one_shot_all_reduce_kernel<float, 16>(float*)",
      "void (anonymous namespace)::multimem_all_gather_kernel<16>(char*, char*)",
      "void (anonymous namespace)::one_shot_all_reduce_kernel<float, 16, 8>(float**)",
      "void (anonymous namespace)::two_shot_all_reduce_kernel_inplace<float, 16, 8>(float**)",
      "c10d::symmetric_memory::barrier_kernel(unsigned int**, int, int, int)",
      "c10d::nvshmem_extension::exchangeSplitAndOffset(long*, int, int)",
      "c10d::nvshmem_extension::allToAllV(void*, void*, long*, int, int)",
      "void c10d::intra_node_comm::oneShotAllReduceKernel<8, true>(__nv_bfloat16*)",
      "void c10d::intra_node_comm::twoShotAllReduceKernel<8, true>(__nv_bfloat16*)",
      "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<1>(int)",
      "void tensorrt_llm::kernels::ar_fusion::allreduce_fusion_kernel_twoshot_sync<1>(int)",
      "void flashinfer::moefinalize_allreduce_fusion_kernel_oneshot_lamport<1>(int)",
      "void flashinfer::trtllm_mnnvl_allreduce::oneshotAllreduceFusionKernel<8>(float*)",
      "void flashinfer::trtllm_mnnvl_allreduce::twoshotAllreduceKernel<8, float>(float*)",
      "void tensorrt_llm::kernels::lowPrecisionTwoShotAllReduceKernel<half, 8>(half*)",
      "void tensorrt_llm::kernels::moe_comm::moeA2ADispatchKernel<8>(int)",
      "void tensorrt_llm::kernels::moe_comm::moeA2ACombineKernel<half>(int)",
      "void userbuffers_fp16_sum_inplace_gpu_rw_ag<2>(int, int, int)",
      "kuserbuffers_pushrecv(int, int, int, int, int*, int*)",
      "void deep_ep::intranode::dispatch<8, 768, 8192>(int4*, float*, int*)",
      "void deep_ep::internode_ll::combine<7168, 9, 128>(void*, void*)",
      "void deep_ep::intranode::cached_notify_combine<8>(void**, int*, int)",
      "void alltoall_on_stream_kernel<float>(int, float*, float const*, unsigned long)",
      "nvshmemi_proxy_rma_entrypoint_blocking(void*, void*, unsigned long, int, int)",
      "AllreduceMediumKernel_GlobalSync<float>",
      "Allgatherv_small_kernel_esimd<sycl::half, 8, 16>",
      "ReduceScatterLargeNoCopyKernel<float>",
      "typeinfo name for oneccl_allreduce_small",
  };
  EXPECT_GE(std::size(kKernels), 40U);
  for (const char* name : kKernels) EXPECT_TRUE(facts_of_name(name).communication) << name;
  for (const char* row : {"mpi:all_reduce", "ucc:allreduce", "xccl:all_gather"}) {
    EXPECT_TRUE(facts_of_name(row).communication) << row;
  }
}

TEST(NameFacts, OtherReductions_AreNoCommunication) {
  const char* kKernels[] = {
      "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<bool, and_kernel_cuda>>(int)",
      "void at_cuda_detail::cub::DeviceReduceKernel<float>(float*)",
      "void at_cuda_detail::cub::DeviceReduceSingleTileKernel<float>(float*)",
      "void cub::DeviceSegmentedReduceKernel<float>(float*)",
      "void splitKreduce_kernel<32, 16, int, float>(cublasSplitKParams<float>)",
      "void cublasLt::splitKreduce_kernel<32, 16, int, float>(cublasSplitKParams<float>)",
      "void reduce_1Block_kernel<float, 128, 7>(float const*, float*)",
      "void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*)",
      "void at::native::_scatter_gather_elementwise_kernel<128, 8>(int)",
      "void at::native::sbtopk::gatherTopK<float, unsigned int, 2>(float const*)",
      "void at::native::indexSelectSmallIndex<float, long, unsigned int, 2>(float*)",
      "void at::native::nll_loss_forward_reduce_cuda_kernel_2d<float, float, long>(float*)",
      "void at::native::batch_norm_backward_reduce_kernel<float, float, int>(float*)",
      "void at::native::batch_norm_reduce_statistics_kernel<float, float, int>(float*)",
      "void at::native::segment_reduce_forward_kernel<float, long>(float*)",
      "void vllm::paged_attention_v2_reduce_kernel<half, 128, 128, 512>(half*)",
      "void moe_sum_reduce_kernel<half>(half const*, half*)",
      "fmhaReductionKernel",
      "triton_red_fused_native_layer_norm_all_3",
      "void flash::flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<128>, 4>(int)",
      "void flash_fwd_mla_combine_kernel<float, 512>(int)",
      "void deep_ep::layout::get_dispatch_layout<256, 32, 8>(long const*)",
      "void gpu_allocate_pages<float>(float*)",
      "void elementwise<at::native::AllReduceLike, dispatch>(int)",
      "void recombine_tiles(int)",
  };
  for (const char* name : kKernels) {
    EXPECT_FALSE(facts_of_name(name).communication) << name;
    EXPECT_FALSE(facts_of_name(name).perhaps_communication) << name;
  }
}

TEST(NameFacts, UnclearKernels_AreMarked) {
  for (const char* name :
       {"my_all_reduce_kernel", "void AllGatherV2<float>(float*)", "fused_all_to_all",
        "void dispatchKernel<8, 1>(float*)", "combineKernel", "moe_dispatch", "EPDispatch"}) {
    EXPECT_FALSE(facts_of_name(name).communication) << name;
    EXPECT_TRUE(facts_of_name(name).perhaps_communication) << name;
  }
}

TEST(NameFacts, AutogradRows_AreFound) {
  for (const char* name :
       {"autograd::engine::evaluate_function: MmBackward0", "CudnnConvolutionBackward",
        "AddmmBackward0", "CompiledFunctionBackward", "torch::autograd::AccumulateGrad"}) {
    EXPECT_TRUE(facts_of_name(name).autograd) << name;
  }
  for (const char* name : {"aten::convolution_backward", "## backward ##", "Backwards", "12"}) {
    EXPECT_FALSE(facts_of_name(name).autograd) << name;
  }
}

TEST(NameFacts, OtherDevicesRows_AreSeparated) {
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
}  // namespace stepbench::traces
