// SPDX-License-Identifier: Apache-2.0
// Kernels below the operators that launched them, and those that follow each other.
#include "harness/analyze/kernel_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/analyze/analysis.h"
#include "harness/document/render.h"
#include "harness/report/analysis_report.h"
#include "tests/unit/analyze/trace_maker.h"

namespace stepbench::analyze {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kUs;
using testing::TraceMaker;

KernelTree tree_of(const trace::Trace& trace) {
  const Analysis analysis = analyse(trace, {.kernel_tree = true});
  EXPECT_TRUE(analysis.kernel_tree && *analysis.kernel_tree);
  return **analysis.kernel_tree;
}

std::vector<std::string> lines_of(const trace::Trace& trace, const KernelTree& tree) {
  std::vector<std::string> lines;
  for (const KernelTreeRow& row : tree.rows) {
    lines.push_back(std::string(std::size_t(row.depth), ' ') + trace.names[row.name].text + ' ' +
                    std::to_string(row.launches) + ' ' + std::to_string(row.device_ns / kUs));
  }
  return lines;
}

TEST(KernelTree, HasKernelsBelowTheOperatorsThatLaunchedThem) {
  TraceMaker maker;
  maker.step(0, 0, 1000 * kUs);
  maker.op("aten::linear", 100 * kUs, 300 * kUs);
  maker.op("aten::addmm", 110 * kUs, 200 * kUs);
  maker.op("aten::addmm", 120 * kUs, 190 * kUs);  // of autocast
  maker.called(maker.kernel("gemm", 130 * kUs, 180 * kUs), "cudaLaunchKernel", 125 * kUs,
               127 * kUs);
  maker.called(maker.kernel("bias", 210 * kUs, 220 * kUs), "cudaLaunchKernel", 205 * kUs,
               207 * kUs);
  maker.op("aten::relu", 400 * kUs, 420 * kUs);
  maker.called(maker.kernel("relu", 430 * kUs, 440 * kUs), "cudaLaunchKernel", 405 * kUs,
               406 * kUs);
  maker.called(maker.kernel("relu", 450 * kUs, 460 * kUs), "cudaLaunchKernel", 408 * kUs,
               409 * kUs);
  maker.kernel("orphan", 500 * kUs, 507 * kUs);
  const trace::Trace trace = maker.finish();
  const KernelTree tree = tree_of(trace);
  EXPECT_THAT(lines_of(trace, tree),
              ElementsAre("aten::linear 2 60", " aten::addmm 1 50", "  gemm 1 50", " bias 1 10",
                          "aten::relu 2 20", " relu 2 20"));
  EXPECT_EQ(tree.unlaunched_ns, 7 * kUs);
}

TEST(KernelTree, NamesTheLineOfPythonThatAKernelComesFrom) {
  TraceMaker maker;
  maker.step(0, 0, 1000 * kUs);
  maker.row(maker.main, trace::EventKind::kPython, "train.py(31): main", 0, 900 * kUs);
  maker.row(maker.main, trace::EventKind::kPython, "torch/nn/modules/module.py(1501): _call_impl",
            100 * kUs, 300 * kUs);
  maker.op("aten::mm", 110 * kUs, 200 * kUs);
  maker.called(maker.kernel("gemm", 130 * kUs, 180 * kUs), "cudaLaunchKernel", 125 * kUs,
               127 * kUs);
  const trace::Trace trace = maker.finish();
  const report::AnalysedTrace analysed{
      .trace = &trace, .path = "a.json", .analysis = analyse(trace, {.kernel_tree = true})};
  EXPECT_EQ(trace.names[(**analysed.analysis.kernel_tree).rows.back().line].text,
            "train.py(31): main");
  const std::string page =
      document::render(report::analysis_document(analysed, 10), {.columns = 160});
  EXPECT_THAT(page, HasSubstr("kernels by the operators that launched them"));
  EXPECT_THAT(page, HasSubstr("train.py(31): main"));
  EXPECT_THAT(report::analysis_json(analysed, 0), HasSubstr(R"("line":"train.py(31): main")"));
}

// Four layers of normalise, scale, add with 2 us between them; other kernels around them.
TEST(KernelSequences, AreFoundWithTheTimeBetweenTheirKernels) {
  TraceMaker maker;
  maker.step(0, 0, 10'000 * kUs);
  maker.op("layers", 0, 10 * kUs);
  std::int64_t at_us = 100;
  const auto run = [&](std::string_view name, std::int64_t us) {
    maker.called(maker.kernel(name, at_us * kUs, (at_us + us) * kUs), "cudaLaunchKernel", 1 * kUs,
                 2 * kUs);
    at_us += us + 2;
  };
  const std::vector<std::string> others = {"first", "second", "third", "fourth"};
  for (const std::string& other : others) {
    for (const char* name : {"normalise", "scale", "add", "store"}) run(name, 3);
    run(other, 50);
  }
  const trace::Trace trace = maker.finish();
  const KernelTree tree = tree_of(trace);
  ASSERT_EQ(tree.sequences.size(), 1);
  const KernelSequence& found = tree.sequences.front();
  EXPECT_EQ(found.names.size(), 4);
  EXPECT_EQ(trace.names[found.names[1]].text, "scale");
  EXPECT_EQ(found.times, 4);
  EXPECT_EQ(found.kernel_ns, 4 * 4 * 3 * kUs);
  EXPECT_EQ(found.between_ns, 4 * 3 * 2 * kUs);
}

TEST(KernelSequences, OfAKernelThatRepeatsCountNoKernelTwice) {
  TraceMaker maker;
  maker.step(0, 0, 1000 * kUs);
  for (std::int64_t i = 0; i < 9; ++i) {
    maker.called(maker.kernel("fill", (10 * i + 5) * kUs, (10 * i + 8) * kUs), "cudaLaunchKernel",
                 10 * i * kUs, (10 * i + 1) * kUs);
  }
  const KernelTree tree = tree_of(maker.finish());
  ASSERT_EQ(tree.sequences.size(), 1);
  EXPECT_EQ(tree.sequences.front().names.size(), 4) << "two times four, and one is left";
  EXPECT_EQ(tree.sequences.front().times, 2);
}

}  // namespace
}  // namespace stepbench::analyze
