// SPDX-License-Identifier: Apache-2.0
// Analysis of stepbench's own runs.
#include "harness/traces/trace_files.h"
#include "tests/testing.h"
#include "tests/unit/ops/log_maker.h"
#include "tests/unit/traces/drawn_trace.h"

namespace stepbench::traces {
namespace {

// Steps that fetch data, copy it and run a kernel, as marked by the worker's loop.
ops::OpLog marked_log() {
  LogMaker maker;
  std::uint64_t correlation = 100;
  for (std::int64_t step = 0; step < 5; ++step) {
    const auto us = [&](std::int64_t offset) { return (1000 + 1000 * step + offset) * 1000; };
    maker.step(20 + step, us(0), us(1000));
    maker.phase("data_wait", 20 + step, us(0), us(300));
    maker.phase("forward", 20 + step, us(400), us(600));
    maker.op("aten::addmm", us(410), us(500));
    const auto addmm = static_cast<std::uint32_t>(maker.log.ops.size() - 1);
    ++correlation;
    maker.activity(ops::ActivityKind::kRuntime, "cudaLaunchKernel", us(420), us(430), correlation,
                   addmm);
    maker.activity(ops::ActivityKind::kKernel, "gemm", us(440), us(800), correlation, addmm);
    ++correlation;
    maker.activity(ops::ActivityKind::kRuntime, "cudaMemcpyAsync", us(310), us(390), correlation);
    ops::DeviceActivity& copy =
        maker.activity(ops::ActivityKind::kMemcpy, "Memcpy HtoD (Pageable -> Device)", us(320),
                       us(380), correlation);
    copy.stream = 20;
    copy.bytes = 600'000;
  }
  return maker.log;
}

TEST(OwnTraces, DataFetches_CountThoughWrittenAsOps) {
  expect_numbers(numbers_of(traces::trace_of(marked_log())),
                 "steps/steps/# = 5; steps/steps/0/number = 20; idle/# = 1; "
                 "idle_data_loading_ns = [300000, 300000, 300000, 300000, 300000]; "
                 "copy_ns = [60000, 60000, 60000, 60000, 60000]; "
                 "compute_ns = [360000, 360000, 360000, 360000, 360000]; "
                 "idle_copy_call_ns = [20000, 20000, 20000, 20000, 20000]; data_loading/calls = 5");
}

}  // namespace
}  // namespace stepbench::traces
