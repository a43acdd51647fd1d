// SPDX-License-Identifier: Apache-2.0
// What one call computes and moves, by hand and beside TraceLens; types and peaks of devices.
#include "harness/ops/op_work.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "harness/ops/device_peaks.h"
#include "harness/ops/flops.h"

namespace stepbench::ops {
namespace {

TEST(OpWork, AMatrixProductMovesItsInputsAndItsResultOnce) {
  const OpWork work = *work_of("aten::mm", "[[8, 32], [32, 64]]");
  EXPECT_EQ(work.flops, 2 * 8 * 32 * 64);
  EXPECT_EQ(work.elements, 8 * 32 + 32 * 64 + 8 * 64);
  EXPECT_EQ(work_of("aten::addmm", "[[64], [8, 32], [32, 64], [], []]")->elements,
            work.elements + 64);
  EXPECT_EQ(work_of("aten::addmm", "[[64], [8, 32], [32, 64], [], []]")->typed_input, 1);
  EXPECT_EQ(work_of("aten::linear", "[[4, 2, 32], [64, 32], [64]]")->flops, work.flops);
  EXPECT_EQ(work_of("aten::linear", "[[4, 2, 32], [64, 32], [64]]")->elements, work.elements + 64);
  EXPECT_EQ(work_of("aten::bmm", "[[3, 8, 32], [3, 32, 64]]")->elements, 3 * work.elements);
}

TEST(OpWork, AConvolutionIsOneByAnyOfItsNames) {
  constexpr std::string_view kShapes = "[[2, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], []]";
  const OpWork named =
      *work_of("aten::conv2d", kShapes, R"(["", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "1"])");
  const OpWork any =
      *work_of("aten::convolution", kShapes,
               R"(["", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "False", "[0, 0]", "1"])");
  EXPECT_EQ(named.flops, 2LL * 2 * 64 * 112 * 112 * 3 * 7 * 7);
  EXPECT_EQ(any.flops, named.flops);
  EXPECT_EQ(any.elements, 2 * 3 * 224 * 224 + 64 * 3 * 7 * 7 + 2 * 64 * 112 * 112);
}

TEST(OpWork, SumsOverOpsCountAConvolutionOnce) {
  constexpr std::string_view kShapes = "[[2, 3, 8, 8], [4, 3, 1, 1], [], [], [], [], [], [], []]";
  constexpr std::string_view kArguments =
      R"(["", "", "", "[1, 1]", "[0, 0]", "[1, 1]", "False", "[0, 0]", "1"])";
  EXPECT_TRUE(work_of("aten::convolution", kShapes, kArguments));
  EXPECT_EQ(flops("aten::convolution", kShapes, kArguments), std::nullopt);
  EXPECT_EQ(flops("aten::linear", "[[2, 3], [4, 3]]"), std::nullopt);
}

// Before torch 1.11 the input came first.
TEST(OpWork, OlderBackwardOfCudnnCountsAsTheNewer) {
  EXPECT_EQ(work_of("aten::cudnn_convolution_backward",
                    "[[2, 3, 8, 8], [2, 4, 4, 4], [4, 3, 3, 3], [], [], [], [], [], [], [], []]")
                ->flops,
            work_of("aten::convolution_backward",
                    "[[2, 4, 4, 4], [2, 3, 8, 8], [4, 3, 3, 3], [], [], [], [], [], [], [], []]")
                ->flops);
}

TEST(OpWork, KernelsLeaveOutWhatACausalMaskHides) {
  constexpr std::string_view kShapes =
      "[[2, 4, 16, 8], [2, 4, 16, 8], [2, 4, 16, 8], [], [], [], []]";
  const OpWork whole = *work_of("aten::_scaled_dot_product_flash_attention", kShapes,
                                R"(["", "", "", "0.", "False", "False", "0.125"])");
  const OpWork causal = *work_of("aten::_scaled_dot_product_flash_attention", kShapes,
                                 R"(["", "", "", "0.", "True", "False", "0.125"])");
  EXPECT_EQ(whole.masked_flops, 0);
  EXPECT_EQ(causal.flops, whole.flops) << "MFU counts it whole";
  EXPECT_EQ(causal.masked_flops, whole.flops / 2);
  EXPECT_EQ(whole.elements, 4 * 2 * 4 * 16 * 8);
}

TEST(OpWork, SizesThatAreNoneHaveNoWork) {
  for (const char* shapes :
       {"", "[[8, 32]", "[[8, 32], [s0, 64]]", "[[8, -1], [32, 64]]", "[[8], [32, 64]]",
        "[[99999999999999999, 8], [8, 8]]",
        "[[200000000000000, 200000000000000], [200000000000000, 200000000000000]]"}) {
    EXPECT_FALSE(work_of("aten::mm", shapes)) << shapes;
  }
  EXPECT_FALSE(work_of("aten::conv2d", "[[1, 1, 2, 2], [1, 1, 3, 3], []]",
                       R"(["", "", "", "[1, 1]", "[0, 0]", "[1, 1]", "1"])"))
      << "a kernel larger than its input";
  EXPECT_FALSE(work_of("aten::conv2d", "[[1, 1, 2, 2], [1, 1, 3, 3], []]",
                       R"(["", "", "", "[0, 0]", "[0, 0]", "[99999999999, 1]", "1"])"));
  EXPECT_FALSE(has_work("triton_poi_fused_add_0"));
  EXPECT_FALSE(work_of("aten::softmax", "[[2]]"));
}

TEST(OpWork, CountsAndBytesAreThoseOfTheSheetsOfTraceLens) {
  std::ifstream file(DATA "/tracelens_work.tsv");
  ASSERT_TRUE(file);
  std::string line;
  int rows = 0;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) continue;
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, '\t');) cells.push_back(cell);
    ASSERT_EQ(cells.size(), 7) << line;
    const auto work = work_of(cells[1], cells[2], cells[4]);
    ASSERT_TRUE(work) << line;
    const std::int64_t bytes =
        work->elements * element_bytes(dtype_named(quoted_text(cells[3], work->typed_input)));
    const double flops = static_cast<double>(work->flops - work->masked_flops);
    // Theirs count a gradient that nobody asked for: of the network's input.
    const double asked = cells[4].find("[False, True") == std::string::npos ? 1 : 0.5;
    const double theirs = asked * std::stod(cells[5]) * 1e9;
    const double their_bytes = asked * std::stod(cells[6]) * 1024 * 1024;
    // Theirs have the additions of a bias: at most one for fifty that a product has.
    const bool biased = cells[1] == "aten::addmm" || cells[1] == "aten::convolution";
    EXPECT_LE(flops, theirs * (1 + 1e-9)) << line;
    EXPECT_GE(flops, theirs * (biased ? 0.98 : 1 - 1e-9)) << line;
    // Ours have the bias of a convolution.
    const double bias = cells[1] == "aten::convolution" ? 1e-3 : 1e-9;
    EXPECT_GE(static_cast<double>(bytes), their_bytes * (1 - 1e-9)) << line;
    EXPECT_LE(static_cast<double>(bytes), their_bytes * (1 + bias)) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 108);
}

TEST(Dtype, IsReadAsProfilersAndNcclWriteIt) {
  EXPECT_EQ(dtype_named("c10::BFloat16"), Dtype::kBf16);
  EXPECT_EQ(dtype_named("BFloat16"), Dtype::kBf16);
  EXPECT_EQ(dtype_named("float"), Dtype::kFp32);
  EXPECT_EQ(dtype_named("long int"), Dtype::kInt64);
  EXPECT_EQ(dtype_named("Byte"), Dtype::kInt8);
  EXPECT_EQ(dtype_named("c10::Float8_e4m3fn"), Dtype::kFp8);
  EXPECT_EQ(dtype_named("tf32"), Dtype::kTf32);
  EXPECT_EQ(dtype_named("posit16"), Dtype::kUnknown);
  EXPECT_EQ(element_bytes(Dtype::kUnknown), 0);
  EXPECT_EQ(quoted_text(R"(["long int", "float", "Scalar"])", 1), "float");
  EXPECT_EQ(quoted_text(R"(["long int"])", 1), "");
  EXPECT_EQ(quoted_text(R"(["long in)", 0), "");
}

TEST(DevicePeaks, AreThoseOfTheDataSheet) {
  const DevicePeaks h100 = *device_peaks("NVIDIA H100 80GB HBM3");
  EXPECT_EQ(h100.flops(Dtype::kBf16), 989.5e12);
  EXPECT_EQ(h100.flops(Dtype::kFp8), 1979e12);
  EXPECT_EQ(h100.memory_bytes, 3350e9);
  EXPECT_FALSE(h100.source.empty());
  EXPECT_EQ(device_peaks("Tesla V100-DGXS-32GB")->flops(Dtype::kBf16), std::nullopt);
  EXPECT_EQ(device_peaks("AMD Instinct MI300X")->flops(Dtype::kTf32), 653.7e12);
  EXPECT_EQ(h100.flops(Dtype::kInt64), std::nullopt);
  EXPECT_FALSE(device_peaks("NVIDIA H100 80GB HBM3 MIG 1g.10gb"));
  EXPECT_FALSE(device_peaks(""));
}

}  // namespace
}  // namespace stepbench::ops
