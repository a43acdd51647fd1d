// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/kernel_sequences.h"

#include <gtest/gtest.h>

#include "tests/unit/analyze/drawn_trace.h"

namespace stepbench::analyze {
namespace {

using testing::draw;
using testing::expect_numbers;
using testing::kUs;
using testing::TraceMaker;

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
  expect_numbers(testing::numbers_of(maker.finish(), {.kernel_sequences = true}),
                 "kernel_sequences/# = 1; "
                 "kernel_sequences/0/names = [\"normalise\", \"scale\", \"add\", \"store\"]; "
                 "kernel_sequences/0/times = 4; kernel_sequences/0/kernel_ns = 48000; "
                 "kernel_sequences/0/between_ns = 24000");
}

// Two times four, and one is left.
TEST(KernelSequences, OfAKernelThatRepeatsCountNoKernelTwice) {
  TraceMaker maker;
  maker.step(0, 0, 1000 * kUs);
  for (std::int64_t i = 0; i < 9; ++i) draw(maker, "kernel fill 5 8 < 0 1", kUs, 10 * i * kUs);
  expect_numbers(testing::numbers_of(maker.finish(), {.kernel_sequences = true}),
                 "kernel_sequences/# = 1; kernel_sequences/0/names/# = 4; "
                 "kernel_sequences/0/times = 2");
}

}  // namespace
}  // namespace stepbench::analyze
