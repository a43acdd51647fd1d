// SPDX-License-Identifier: Apache-2.0
// Both engines on the same steps. Must be the last file of the program: libtorch's profiler leaves
// CUPTI attached, and nothing else in the process can collect then.
#include "harness/ops/op_table.h"
#include "harness/traces/op_table_of.h"
#include "harness/traces/trace_files.h"
#include "tests/gpu/device_scene.h"
#include "tests/testing.h"
#include "tests/workloads/profiled_steps.h"
#include "workloads/profile/internal/kineto_collector.h"
#include "workloads/profile/internal/native_collector.h"

namespace stepbench::gpu {
namespace {

std::vector<std::string> kernels_of_ops(const ops::OpLog& log) {
  const ops::OpTable table = traces::op_table_of(traces::trace_of(log));
  std::map<std::string, std::int64_t> counts;
  for (const ops::ActivityRow& row : table.activities) {
    if (row.kind != ops::ActivityKind::kKernel) continue;
    counts[std::string(table.text(row.op))] += row.launches;
  }
  std::vector<std::string> lines;
  for (const auto& [what, count] : counts) lines.push_back(what + ": " + std::to_string(count));
  return lines;
}

ops::OpLog two_steps_on_the_device(profile::OpCollector& collector, test::WarmWorkload& warm) {
  collector.start();
  warm.step();
  warm.workload().synchronize();
  collector.begin_window(3);
  warm.step();
  warm.step();
  warm.workload().synchronize();
  collector.end_window();
  return collector.take();
}

// The native engine comes first: libtorch's profiler leaves CUPTI attached.
TEST(Gpu, BothEngines_CountTheSameKernels) {
  STEPBENCH_NEED_GPU(api);
  test::Options options = test::tiny_images("resnet18");
  options["device"] = tested_device().str();
  test::WarmWorkload warm(test::train_case(options));
  const profile::OpCollectorOptions both{.cuda = true};
  std::vector<std::string> by_native;
  {
    profile::DeviceTracing native(both, cuda::make_activity_collector(0));
    by_native = kernels_of_ops(two_steps_on_the_device(native, warm));
    if (by_native.empty()) GTEST_SKIP() << native.incomplete().value_or("no kernels");
    EXPECT_EQ(native.incomplete(), std::nullopt);
  }
  profile::KinetoCollector kineto(both);
  const auto by_kineto = kernels_of_ops(two_steps_on_the_device(kineto, warm));
  const auto differ = test::differences(by_native, by_kineto);
  EXPECT_THAT(differ, IsEmpty());
  number("kernels by operation, native engine and libtorch's profiler", "equal",
         std::to_string(by_native.size()) + " rows, " + std::to_string(differ.size()) + " differ",
         passed(differ.empty()));
}

}  // namespace
}  // namespace stepbench::gpu
