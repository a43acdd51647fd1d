// SPDX-License-Identifier: Apache-2.0
// Kernels below the operators that launched them, and those that follow each other.
#include "harness/analyze/kernel_tree.h"

#include <gtest/gtest.h>

#include "tests/unit/analyze/drawn_trace.h"

namespace stepbench::analyze {
namespace {

using testing::draw;
using testing::Drawn;
using testing::expect_numbers;
using testing::kUs;
using testing::TraceMaker;

constexpr Drawn kTrees[] = {
    // The second aten::addmm is of autocast.
    {"kernels stand below the operators that launched them",
     "step 0 0 1000; op aten::linear 100 300; op aten::addmm 110 200; op aten::addmm 120 190; "
     "kernel gemm 130 180 < 125 127; kernel bias 210 220 < 205 207; op aten::relu 400 420; "
     "kernel relu 430 440 < 405 406; kernel relu 450 460 < 408 409; kernel orphan 500 507",
     "kernel_tree/rows/# = 6; kernel_tree/unlaunched_ns = 7000; "
     "kernel_tree/rows/0/name = aten::linear; kernel_tree/rows/0/launches = 2; "
     "kernel_tree/rows/0/device_ns = 60000; kernel_tree/rows/1/name = aten::addmm; "
     "kernel_tree/rows/1/depth = 1; kernel_tree/rows/1/launches = 1; "
     "kernel_tree/rows/1/device_ns = 50000; kernel_tree/rows/2/name = gemm; "
     "kernel_tree/rows/2/depth = 2; kernel_tree/rows/3/name = bias; "
     "kernel_tree/rows/3/depth = 1; kernel_tree/rows/3/device_ns = 10000; "
     "kernel_tree/rows/4/name = aten::relu; kernel_tree/rows/4/depth = 0; "
     "kernel_tree/rows/5/name = relu; kernel_tree/rows/5/launches = 2; "
     "kernel_tree/rows/5/device_ns = 20000"},
    {"a kernel has the line of Python that it comes from",
     "step 0 0 1000; python 'train.py(31): main' 0 900; "
     "python 'torch/nn/modules/module.py(1501): _call_impl' 100 300; op aten::mm 110 200; "
     "kernel gemm 130 180 < 125 127",
     "kernel_tree/rows/1/line = train.py(31): main"},
};

TEST(KernelTree, IsThatDrawn) { testing::expect_all(kTrees, kUs, {.kernel_tree = true}); }

// Four layers of normalise, scale, add, store with 2 us between them; other kernels around them.
TEST(KernelSequences, AreFoundWithTheTimeBetweenTheirKernels) {
  TraceMaker maker;
  draw(maker, "step 0 0 10000; op layers 0 10", kUs);
  std::int64_t at_us = 100;
  for (const std::string other : {"first", "second", "third", "fourth"}) {
    for (const std::string& name : {std::string("normalise"), std::string("scale"),
                                    std::string("add"), std::string("store"), other}) {
      const std::int64_t us = name == other ? 50 : 3;
      draw(maker, "kernel " + name + " 0 " + std::to_string(us) + " < -5 -4", kUs, at_us * kUs);
      at_us += us + 2;
    }
  }
  expect_numbers(testing::numbers_of(maker.finish(), {.kernel_tree = true}),
                 "kernel_tree/sequences/# = 1; "
                 "kernel_tree/sequences/0/names = [\"normalise\", \"scale\", \"add\", \"store\"]; "
                 "kernel_tree/sequences/0/times = 4; kernel_tree/sequences/0/kernel_ns = 48000; "
                 "kernel_tree/sequences/0/between_ns = 24000");
}

// Two times four, and one is left.
TEST(KernelSequences, OfAKernelThatRepeatsCountNoKernelTwice) {
  TraceMaker maker;
  maker.step(0, 0, 1000 * kUs);
  for (std::int64_t i = 0; i < 9; ++i) draw(maker, "kernel fill 5 8 < 0 1", kUs, 10 * i * kUs);
  expect_numbers(testing::numbers_of(maker.finish(), {.kernel_tree = true}),
                 "kernel_tree/sequences/# = 1; kernel_tree/sequences/0/names/# = 4; "
                 "kernel_tree/sequences/0/times = 2");
}

}  // namespace
}  // namespace stepbench::analyze
