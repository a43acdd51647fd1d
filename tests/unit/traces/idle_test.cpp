// SPDX-License-Identifier: Apache-2.0
// The split of step times in hand-made traces. Times are in nanoseconds.
#include "harness/traces/internal/idle.h"

#include "tests/testing.h"
#include "tests/unit/traces/drawn_trace.h"

namespace stepbench::traces {
namespace {

constexpr Drawn kIdle[] = {
    {"data until 34, an op with a launch, a wait for the device",
     "step 1 0 100; load 0 34; op aten::add 34 38; kernel gemm 40 60 < 35 37; "
     "kernel relu 55 80 stream=8; copy up 30 42; call cudaStreamSynchronize 80 92",
     "scope = device; wall_ns = [100]; compute_ns = [40]; communication_ns = [0]; copy_ns = [10]; "
     "idle_data_loading_ns = [30]; idle_synchronise_ns = [12]; idle_unattributed_ns = [8]; "
     "data_loading_ns = [34]; data_hidden_ns = [4]"},
    {"the op that synchronised has a name, and the rest of the ops' time theirs",
     "step 1 0 100; op aten::item 50 90; op aten::_local_scalar_dense 52 88; "
     "call cudaStreamSynchronize 60 80; kernel gemm 0 50",
     "places/synchronise/name = aten::_local_scalar_dense; "
     "places/synchronise/call = cudaStreamSynchronize; places/synchronise/idle_ns = 20; "
     "places/synchronise/longest/start_ns = 60; places/synchronise/longest/end_ns = 80; "
     "idle_host_op_ns = [20]; places/host_op/name = aten::_local_scalar_dense; "
     "places/host_op/idle_ns = 16"},
    {"exposed communication and copies are counted apart",
     "step 1 0 100; op aten::mm 0 5; kernel gemm 0 30; copy down 45 60; set 60 63; "
     "kernel ncclDevKernel_AllReduce_Sum_f32_RING_LL 20 50 stream=13",
     "compute_ns = [30]; communication_ns = [20]; copy_ns = [13]; idle_unattributed_ns = [37]"},
    {"autograd's thread is the backward pass, under an annotation of the step thread too",
     "step 1 0 100; op aten::mm 0 10; note '## backward ##' 10 80; "
     "op 'autograd::engine::evaluate_function: MmBackward0' 10 70 tid=4712; "
     "op MmBackward0 30 40 tid=4712; kernel gemm 40 50",
     "idle_backward_ns = [50]; idle_host_op_ns = [20]; idle_other_thread_ns = [0]; "
     "places/backward/name = autograd::engine::evaluate_function: MmBackward0; "
     "places/backward/annotation = ## backward ##; places/backward/idle_ns = 40"},
    {"a backward pass on the step thread",
     "step 1 0 100; op aten::mm 0 20; op aten::mm 30 80; "
     "op 'autograd::engine::evaluate_function: MmBackward0' 20 90",
     "idle_backward_ns = [70]; idle_host_op_ns = [20]"},
    {"another thread is blamed for what the step thread does not explain",
     "step 1 0 100; op aten::mm 0 20; op gather 10 70 tid=4712; op aten::cat 30 40 tid=4712; "
     "kernel gemm 40 50",
     "idle_host_op_ns = [20]; idle_other_thread_ns = [40]; idle_unattributed_ns = [30]; "
     "places/other_thread/name = gather; places/other_thread/idle_ns = 30"},
    {"the longest gaps stand first, with their neighbours",
     "step 1 0 100; op aten::mm 0 10; python 'train.py(12): step' 0 90; op aten::add 60 70; "
     "python 'train.py(40): log' 9 61; kernel gemm 10 20",
     "gaps/# = 2; gaps/0/at/start_ns = 20; gaps/0/at/end_ns = 60; gaps/0/before = aten::mm; "
     "gaps/0/after = aten::add; gaps/0/python = train.py(40): log; gaps/1/at/start_ns = 70; "
     "gaps/1/at/end_ns = 100"},
    {"without a device it is the host's own time",
     "step 1 0 100; step 2 100 200; load 0 30; load 100 130; op aten::stack 5 25; "
     "op aten::stack 105 125; op aten::mm 40 80; op aten::mm 140 180",
     "idle/# = 1; scope = host; device = null; compute_ns = [0, 0]; data_hidden_ns = [0, 0]; "
     "idle_data_loading_ns = [30, 30]; idle_host_op_ns = [40, 40]; "
     "idle_unattributed_ns = [30, 30]; kernels = null"},
    {"several devices are told apart and together",
     "step 1 0 100; op aten::mm 0 100; kernel gemm 0 40; kernel gemm 30 60 device=1",
     "idle/# = 3; compute_ns = [40]; idle/1/compute_ns = [30]; idle/2/scope = all_devices; "
     "idle/2/compute_ns = [60]; idle/2/idle_host_op_ns = [40]"},
};

TEST(Idle, Examples_Match) { expect_all(kIdle); }

TEST(Idle, Device_IsFoundByItsNumber) {
  const Analysis analysis =
      analyse(drawn("step 1 0 100; kernel gemm 0 40; kernel gemm 30 60 device=1"));
  EXPECT_EQ(analysis.idle_of(1), &analysis.idle[1]);
  EXPECT_EQ(analysis.idle_of(std::nullopt), &analysis.idle[2]);
  EXPECT_EQ(analysis.idle_of(5), nullptr);
}

}  // namespace
}  // namespace stepbench::traces
