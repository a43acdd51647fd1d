// SPDX-License-Identifier: Apache-2.0
// Work and data movement of one call, compared with manual counts and TraceLens; types and peaks of
// devices.
#include "harness/ops/op_work.h"

#include "tests/testing.h"

namespace stepbench::ops {
namespace {

struct Counted {
  std::string_view op;
  std::string_view shapes;
  std::string_view arguments;
  std::int64_t flops;     // of the call itself; 0: unknown
  std::int64_t elements;  // moved by the call; 0: not checked
  bool summed;            // counted in sums over operators; others are counted in their callees
};

constexpr std::int64_t kProduct = 2 * 8 * 32 * 64;  // a multiply-add is two
constexpr std::int64_t kMoved = 8 * 32 + 32 * 64 + 8 * 64;
// The first convolution of ResNet-18 at batch 2.
constexpr std::string_view kStem = "[[2, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], []]";
constexpr std::int64_t kStemFlops = 2LL * 2 * 64 * 112 * 112 * 3 * 7 * 7;
constexpr std::int64_t kStemMoved = 2 * 3 * 224 * 224 + 64 * 3 * 7 * 7 + 2 * 64 * 112 * 112;
constexpr std::string_view kStemBackward =
    "[[2, 64, 112, 112], [2, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], [], [], [], []]";
constexpr std::string_view kSmall = "[[1, 1, 2, 2], [1, 1, 3, 3], []]";
constexpr std::string_view kAttention = "aten::_scaled_dot_product_flash_attention_for_cpu";
constexpr std::int64_t kScores = 2LL * 2 * 4 * 16 * 32 * 8;

constexpr Counted kCounted[] = {
    {"aten::mm", "[[8, 32], [32, 64]]", "", kProduct, kMoved, true},
    {"aten::addmm", "[[64], [8, 32], [32, 64], [], []]", "", kProduct, kMoved + 64, true},
    {"aten::linear", "[[4, 2, 32], [64, 32], [64]]", "", kProduct, kMoved + 64, false},
    {"aten::bmm", "[[3, 8, 32], [3, 32, 64]]", "", 3 * kProduct, 3 * kMoved, true},
    {"aten::baddbmm", "[[3, 8, 64], [3, 8, 32], [3, 32, 64], [], []]", "", 3 * kProduct, 0, true},
    {"aten::conv2d", kStem, R"(["", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "1"])", kStemFlops,
     kStemMoved, true},
    {"aten::conv2d", kStem, R"(["", "", "", "[2]", "[3]", "[1]", "1"])", kStemFlops, kStemMoved,
     true},
    {"aten::convolution", kStem,
     R"(["", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "False", "[0, 0]", "1"])", kStemFlops,
     kStemMoved, false},
    {"aten::conv2d", kStem, "", 0, 0, true},  // its stride and padding are missing
    {"aten::conv2d", "[[1, 32, 8, 8], [32, 1, 3, 3], [], [], [], [], []]",  // groups
     R"(["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "32"])", 2 * 8 * 8 * 32 * 9, 0, true},
    {"aten::conv2d", kSmall, R"(["", "", "", "[1, 1]", "[0, 0]", "[1, 1]", "1"])", 0, 0, true},
    {"aten::conv2d", kSmall, R"(["", "", "", "[0, 0]", "[0, 0]", "[99999999999, 1]", "1"])", 0, 0,
     true},
    {"aten::convolution_backward", kStemBackward, "", 2 * kStemFlops, 0, true},
    {"aten::convolution_backward", kStemBackward,  // for one gradient
     R"(["", "", "", "[0]", "[2, 2]", "[3, 3]", "[1, 1]", "False", "[0, 0]", "1",)"
     R"( "[False, True, False]"])",
     kStemFlops, 0, true},
    {kAttention, "[[2, 4, 16, 8], [2, 4, 32, 8], [2, 4, 32, 8], [], []]", "", 2 * kScores, 0, true},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward",
     "[[2, 4, 16, 8], [2, 4, 16, 8], [2, 4, 32, 8], [2, 4, 32, 8], [2, 4, 16, 8], []]", "",
     5 * kScores, 0, true},
    {"aten::softmax", "[[2]]", "", 0, 0, true},
    {"aten::mm", "", "", 0, 0, true},
    {"aten::mm", "[", "", 0, 0, true},
    {"aten::mm", "[]", "", 0, 0, true},
    {"aten::mm", "[[8, 32]", "", 0, 0, true},
    {"aten::mm", "[[8, 32], []]", "", 0, 0, true},
    {"aten::mm", "[[8, 32], [x]]", "", 0, 0, true},
    {"aten::mm", "[[8, 32]]] ", "", 0, 0, true},
    {"aten::mm", "[[8, 32], [s0, 64]]", "", 0, 0, true},
    {"aten::mm", "[[8, -1], [32, 64]]", "", 0, 0, true},
    {"aten::mm", "[[8], [32, 64]]", "", 0, 0, true},
    {"aten::mm", "[[8], [8]]", "", 0, 0, true},
    {"aten::mm", "[[99999999999999999, 8], [8, 8]]", "", 0, 0, true},
    {"aten::mm", "[[200000000000000, 200000000000000], [200000000000000, 200000000000000]]", "", 0,
     0, true},
};

TEST(OpWork, Examples_HaveTheirFlopsAndBytes) {
  for (const Counted& each : kCounted) {
    SCOPED_TRACE(std::string(each.op) + ' ' + std::string(each.shapes));
    const auto work = work_of(each.op, each.shapes, each.arguments);
    ASSERT_EQ(work.has_value(), each.flops > 0);
    const std::optional<std::int64_t> none;
    EXPECT_EQ(flops(each.op, each.shapes, each.arguments),
              each.flops > 0 && each.summed ? each.flops : none);
    if (!work) continue;
    EXPECT_EQ(work->flops, each.flops);
    if (each.elements > 0) {
      EXPECT_EQ(work->elements, each.elements);
    }
  }
  EXPECT_EQ(work_of("aten::addmm", "[[64], [8, 32], [32, 64], [], []]")->typed_input, 1);
  EXPECT_FALSE(has_work("triton_poi_fused_add_0"));
}

TEST(Flops, ElementwiseOps_CountTheResult) {
  EXPECT_EQ(flops("aten::add", "[[4, 5], [5], []]"), 20);
  EXPECT_EQ(flops("aten::mul", "[[5], [4, 1]]"), 20);
  EXPECT_EQ(flops("aten::mul", "[[], []]"), 1);
  EXPECT_EQ(flops("aten::scaled_dot_product_attention", "[[2, 4, 16, 8], [2, 4, 32, 8]]"),
            std::nullopt)
      << "it only calls one that is counted";
}

// Before torch 1.11 the input came first.
TEST(OpWork, OlderCudnnBackward_CountsAsTheNewer) {
  EXPECT_EQ(work_of("aten::cudnn_convolution_backward",
                    "[[2, 3, 8, 8], [2, 4, 4, 4], [4, 3, 3, 3], [], [], [], [], [], [], [], []]")
                ->flops,
            work_of("aten::convolution_backward",
                    "[[2, 4, 4, 4], [2, 3, 8, 8], [4, 3, 3, 3], [], [], [], [], [], [], [], []]")
                ->flops);
}

TEST(OpWork, CausalMask_HidesHalf) {
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

TEST(OpWork, TraceLensRows_HaveTheirFlopsAndBytes) {
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
    // They count an unneeded gradient, that of the network's input.
    const double asked = cells[4].find("[False, True") == std::string::npos ? 1 : 0.5;
    const double theirs = asked * std::stod(cells[5]) * 1e9;
    const double their_bytes = asked * std::stod(cells[6]) * 1024 * 1024;
    // They include the additions of a bias: at most one per fifty operations of a product.
    const bool biased = cells[1] == "aten::addmm" || cells[1] == "aten::convolution";
    EXPECT_LE(flops, theirs * (1 + 1e-9)) << line;
    EXPECT_GE(flops, theirs * (biased ? 0.98 : 1 - 1e-9)) << line;
    // Ours include the bias of a convolution.
    const double bias = cells[1] == "aten::convolution" ? 1e-3 : 1e-9;
    EXPECT_GE(static_cast<double>(bytes), their_bytes * (1 - 1e-9)) << line;
    EXPECT_LE(static_cast<double>(bytes), their_bytes * (1 + bias)) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 108);
}

TEST(Dtype, ProfilerAndNcclNames_AreRead) {
  for (const auto& [name, type] :
       {std::pair("c10::BFloat16", Dtype::kBf16), std::pair("BFloat16", Dtype::kBf16),
        std::pair("float", Dtype::kFp32), std::pair("long int", Dtype::kInt64),
        std::pair("Byte", Dtype::kInt8), std::pair("c10::Float8_e4m3fn", Dtype::kFp8),
        std::pair("tf32", Dtype::kTf32), std::pair("posit16", Dtype::kUnknown)}) {
    EXPECT_EQ(dtype_named(name), type) << name;
  }
  EXPECT_EQ(element_bytes(Dtype::kUnknown), 0);
  EXPECT_EQ(quoted_text(R"(["long int", "float", "Scalar"])", 1), "float");
  EXPECT_EQ(quoted_text(R"(["long int"])", 1), "");
  EXPECT_EQ(quoted_text(R"(["long in)", 0), "");
}

TEST(DevicePeaks, KnownDevices_MatchTheDataSheet) {
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
