// SPDX-License-Identifier: Apache-2.0
// The same steps with both engines: the same operations, calls, shapes, parents and bytes.
#include "harness/ops/op_table.h"
#include "harness/traces/op_table_of.h"
#include "harness/traces/trace_files.h"
#include "tests/testing.h"
#include "tests/workloads/profiled_steps.h"
#include "workloads/profile/internal/kineto_collector.h"
#include "workloads/profile/internal/native_collector.h"

namespace stepbench {
namespace {

test::Options tokens(const std::string& model) {
  return {{"data.kind", std::string("synthetic_tokens")},
          {"data.samples", std::int64_t{32}},
          {"data.sequence_length", std::int64_t{16}},
          {"loader.batch_size", std::int64_t{4}},
          {"loader.engine", std::string("inline")},
          {"model.kind", model},
          {"model.size", std::string("tiny")}};
}

struct Both {
  ops::OpLog native;
  ops::OpLog kineto;
};

Both profile(const std::string& model) {
  test::WarmWorkload warm(
      test::train_case(model == "gpt" ? tokens(model) : test::tiny_images(model)));
  profile::NativeCollector native({});
  profile::KinetoCollector kineto({});
  Both both;
  both.native = test::two_steps(native, warm);
  both.kineto = test::two_steps(kineto, warm);
  return both;
}

class EnginesAgree : public testing::TestWithParam<const char*> {};

TEST_P(EnginesAgree, EachModel_RecordsAlike) {
  const Both both = profile(GetParam());
  EXPECT_GT(both.native.ops.size(), 50U);
  EXPECT_GT(both.native.memory.size(), 20U);
  EXPECT_EQ(both.native.dropped, 0);
  EXPECT_THAT(test::differences(test::paths_of(both.native), test::paths_of(both.kineto)),
              IsEmpty());
  EXPECT_THAT(test::differences(test::costs_of(both.native), test::costs_of(both.kineto)),
              IsEmpty());
  const auto modules = [](const ops::OpLog& log) {
    std::vector<std::string> out;
    for (const ops::OpEvent& op : log.ops) {
      out.push_back(log.names[op.name] + " " +
                    (op.module == ops::kNoIndex ? "" : log.modules[op.module]));
    }
    std::sort(out.begin(), out.end());
    return out;
  };
  EXPECT_THAT(test::differences(modules(both.native), modules(both.kineto)), IsEmpty());
  // Self times sum to totals.
  for (const ops::OpLog* log : {&both.native, &both.kineto}) {
    const traces::Trace trace = traces::trace_of(*log);
    const traces::OpTree tree(trace);
    std::int64_t outermost = 0;
    for (const traces::OpNode& node : tree.nodes()) {
      if (node.parent == ops::kNoIndex && !node.async()) outermost += node.row->duration_ns();
    }
    EXPECT_EQ(ops::totals_of(traces::op_table_of(tree).rows).self_cpu_ns, outermost);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EnginesAgree, testing::Values("mlp", "resnet18", "gpt"),
                         [](const auto& model) { return std::string(model.param); });

TEST(NativeCollector, BackwardOps_HaveTheForwardModule) {
  test::WarmWorkload warm(test::train_case(test::tiny_images("resnet18")));
  profile::NativeCollector native({});
  const ops::OpLog log = test::two_steps(native, warm);
  std::vector<std::string> found;
  for (const ops::OpEvent& op : log.ops) {
    if (op.module != ops::kNoIndex)
      found.push_back(log.names[op.name] + " " + log.modules[op.module]);
  }
  EXPECT_THAT(found, Contains("aten::convolution layer3.0.conv2"));
  EXPECT_THAT(found, Contains("ConvolutionBackward0 layer3.0.conv2"));
  EXPECT_THAT(found, Contains("aten::convolution_backward layer3.0.conv2"));
  EXPECT_THAT(found, Contains("AddmmBackward0 fc"));
}

}  // namespace
}  // namespace stepbench
