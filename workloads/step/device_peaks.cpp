// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/device_peaks.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace stepbench {
namespace {

// TFLOP/s without sparsity; fp32 on the ordinary cores, bf16 and fp16 with sums in fp32. 0: the
// device has no such mode.
struct DevicePeak {
  std::string_view name;
  double fp32, tf32, bf16, fp16;
  std::string_view source;
};

// The first row whose name occurs in the device's is taken: longer names stand before shorter ones.
constexpr DevicePeak kDevicePeaks[] = {
    {"GB200", 80, 1250, 2500, 2500, "NVIDIA GB200 NVL72 data sheet, per GPU"},
    {"B200", 75, 1125, 2250, 2250, "NVIDIA HGX B200 data sheet, per GPU"},
    {"H200 NVL", 60, 417.5, 835.5, 835.5, "NVIDIA H200 data sheet, NVL"},
    {"H200", 67, 494.5, 989.5, 989.5, "NVIDIA H200 data sheet, SXM"},
    {"H100 NVL", 60, 417.5, 835.5, 835.5, "NVIDIA H100 data sheet, NVL"},
    {"H100 PCIe", 51, 378, 756, 756, "NVIDIA H100 data sheet, PCIe"},
    {"H100", 67, 494.5, 989.5, 989.5, "NVIDIA H100 data sheet, SXM"},
    {"A100", 19.5, 156, 312, 312, "NVIDIA A100 data sheet"},
    {"A40", 37.4, 74.8, 149.7, 149.7, "NVIDIA A40 data sheet"},
    {"A30", 10.3, 82, 165, 165, "NVIDIA A30 data sheet"},
    {"A10G", 31.5, 35, 70, 70, "NVIDIA A10G data sheet"},
    {"A10", 31.2, 62.5, 125, 125, "NVIDIA A10 data sheet"},
    {"L40S", 91.6, 183, 362, 362, "NVIDIA L40S data sheet"},
    {"L40", 90.5, 90.5, 181, 181, "NVIDIA L40 data sheet"},
    {"L4", 30.3, 60, 121, 121, "NVIDIA L4 data sheet"},
    {"T4", 8.1, 0, 0, 65, "NVIDIA T4 data sheet"},
    {"V100-PCIE", 14, 0, 0, 112, "NVIDIA V100 data sheet, PCIe"},
    {"V100", 15.7, 0, 0, 125, "NVIDIA V100 data sheet, SXM2"},
    {"RTX 4090", 82.6, 82.6, 165.2, 165.2, "NVIDIA Ada GPU architecture white paper, appendix A"},
    {"RTX 3090", 35.6, 35.6, 71, 71,
     "NVIDIA Ampere GA102 GPU architecture white paper, appendix A"},
};

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// As a word: L4 does not occur in "NVIDIA L40S", nor A10 in "NVIDIA A100-SXM4-80GB".
bool holds_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_letter_or_digit(text[at - 1]);
    if (begins && (end == text.size() || !is_letter_or_digit(text[end]))) return true;
  }
  return false;
}

}  // namespace

std::optional<double> device_peak_flops(std::string_view device_name, std::string_view precision) {
  const auto* row =
      std::find_if(std::begin(kDevicePeaks), std::end(kDevicePeaks),
                   [&](const DevicePeak& each) { return holds_word(device_name, each.name); });
  if (row == std::end(kDevicePeaks)) return std::nullopt;
  const double tera = precision == "fp16"   ? row->fp16
                      : precision == "bf16" ? row->bf16
                      : precision == "tf32" ? row->tf32
                                            : row->fp32;
  return tera > 0 ? std::optional(tera * 1e12) : std::nullopt;
}

std::optional<std::string> nvidia_device_name(const std::filesystem::path& gpus) {
  constexpr std::string_view kModel = "Model:";
  std::optional<std::string> common;
  std::error_code none;
  for (const auto& gpu : std::filesystem::directory_iterator(gpus, none)) {
    std::ifstream facts(gpu.path() / "information");
    for (std::string line; std::getline(facts, line);) {
      if (!line.starts_with(kModel)) continue;
      const std::size_t begin = line.find_first_not_of(" \t", kModel.size());
      const std::string name = begin == std::string::npos ? "" : line.substr(begin);
      if (common && *common != name) return std::nullopt;
      common = name;
    }
  }
  return common;
}

}  // namespace stepbench
