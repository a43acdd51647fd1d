// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/device_peaks.h"

#include <algorithm>
#include <iterator>

namespace stepbench::ops {
namespace {

// In TFLOP/s.
struct Rates {
  double fp64, fp32, tf32, bf16, fp16, fp8;
  std::string_view source;
};

// Half of the data sheets' rates where these are with sparsity.
constexpr Rates kGb200 = {40, 80, 1250, 2500, 2500, 5000, "NVIDIA GB200 NVL72 data sheet, per GPU"};
constexpr Rates kB200 = {37, 75, 1125, 2250, 2250, 4500, "NVIDIA HGX B200 data sheet, per GPU"};
constexpr Rates kHopperSxm = {
    67, 67, 494.5, 989.5, 989.5, 1979, "NVIDIA H100 SXM, H200 SXM and GH200 data sheets"};
constexpr Rates kHopperNvl = {
    60, 60, 417.5, 835.5, 835.5, 1671, "NVIDIA H100 NVL and H200 NVL data sheets"};
constexpr Rates kH100Pcie = {51, 51, 378, 756, 756, 1513, "NVIDIA H100 PCIe data sheet"};
constexpr Rates kA100 = {19.5, 19.5, 156, 312, 312, 0, "NVIDIA A100 data sheet"};
constexpr Rates kA40 = {0, 37.4, 74.8, 149.7, 149.7, 0, "NVIDIA A40 data sheet"};
constexpr Rates kA30 = {10.3, 10.3, 82, 165, 165, 0, "NVIDIA A30 data sheet"};
constexpr Rates kA10g = {0, 31.5, 35, 70, 70, 0, "NVIDIA A10G data sheet"};
constexpr Rates kA10 = {0, 31.2, 62.5, 125, 125, 0, "NVIDIA A10 data sheet"};
constexpr Rates kL40s = {0, 91.6, 183, 362, 362, 733, "NVIDIA L40S data sheet"};
constexpr Rates kL40 = {0, 90.5, 90.5, 181, 181, 362, "NVIDIA L40 data sheet"};
constexpr Rates kL4 = {0, 30.3, 60, 121, 121, 242.5, "NVIDIA L4 data sheet"};
constexpr Rates kT4 = {0, 8.1, 0, 0, 65, 0, "NVIDIA T4 data sheet"};
constexpr Rates kV100Sxm = {
    7.8, 15.7, 0, 0, 125, 0, "NVIDIA V100 SXM2 and DGX Station data sheets"};
constexpr Rates kV100Pcie = {7, 14, 0, 0, 112, 0, "NVIDIA V100 PCIe data sheet"};
constexpr Rates kRtx4090 = {
    0, 82.6, 82.6, 165.2, 165.2, 330.3, "NVIDIA Ada GPU architecture white paper, appendix A"};
constexpr Rates kRtx3090 = {
    0, 35.6, 35.6, 71, 71, 0, "NVIDIA Ampere GA102 GPU architecture white paper, appendix A"};
constexpr Rates kMi355x = {
    78.6, 157.3, 0, 2516.6, 2516.6, 5033.2, "AMD Instinct MI355X data sheet"};
constexpr Rates kMi300x = {
    163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, "AMD Instinct MI300X and MI325X data sheets"};
// The device is one of a module's two dies.
constexpr Rates kMi250x = {
    47.9, 47.9, 0, 191.5, 191.5, 0, "AMD Instinct MI250X data sheet, per die"};
constexpr Rates kMi210 = {45.3, 45.3, 0, 181, 181, 0, "AMD Instinct MI210 data sheet"};

struct NamedRates {
  std::string_view name;  // without the maker's name
  Rates rates;
  double memory_gb;  // per second
};

constexpr NamedRates kDevices[] = {
    {"GB200", kGb200, 8000},
    {"B200", kB200, 8000},
    {"H200", kHopperSxm, 4800},
    {"H200 NVL", kHopperNvl, 4800},
    {"GH200 480GB", kHopperSxm, 4000},
    {"GH200 144G HBM3e", kHopperSxm, 4900},
    {"H100 80GB HBM3", kHopperSxm, 3350},
    {"H100 NVL", kHopperNvl, 3900},
    {"H100 PCIe", kH100Pcie, 2000},
    {"A100-SXM4-40GB", kA100, 1555},
    {"A100-SXM4-80GB", kA100, 2039},
    {"A100-PCIE-40GB", kA100, 1555},
    {"A100-PCIE-80GB", kA100, 1935},
    {"A100 80GB PCIe", kA100, 1935},
    {"A40", kA40, 696},
    {"A30", kA30, 933},
    {"A10G", kA10g, 600},
    {"A10", kA10, 600},
    {"L40S", kL40s, 864},
    {"L40", kL40, 864},
    {"L4", kL4, 300},
    {"T4", kT4, 320},
    {"V100-SXM2-16GB", kV100Sxm, 900},
    {"V100-SXM2-32GB", kV100Sxm, 900},
    {"V100-DGXS-16GB", kV100Sxm, 900},
    {"V100-DGXS-32GB", kV100Sxm, 900},
    {"V100-PCIE-16GB", kV100Pcie, 900},
    {"V100-PCIE-32GB", kV100Pcie, 900},
    {"GeForce RTX 4090", kRtx4090, 1008},
    {"GeForce RTX 3090", kRtx3090, 936},
    {"Instinct MI355X", kMi355x, 8000},
    {"Instinct MI325X", kMi300x, 6000},
    {"Instinct MI300X", kMi300x, 5300},
    {"Instinct MI250X", kMi250x, 1638},
    {"Instinct MI210", kMi210, 1638},
};

// "NVIDIA A100-SXM4-40GB" (older drivers: without NVIDIA), "Tesla T4", "AMD Instinct MI300X".
std::string_view without_maker(std::string_view name) {
  for (const std::string_view maker : {"NVIDIA ", "Tesla ", "AMD "}) {
    if (name.starts_with(maker)) name.remove_prefix(maker.size());
  }
  return name;
}

}  // namespace

std::optional<double> DevicePeaks::flops(Dtype dtype) const {
  const auto known = [](double rate) { return rate > 0 ? std::optional(rate) : std::nullopt; };
  switch (dtype) {
    case Dtype::kFp64:
      return known(fp64_flops);
    case Dtype::kFp32:
      return known(fp32_flops);
    case Dtype::kTf32:
      return known(tf32_flops);
    case Dtype::kBf16:
      return known(bf16_flops);
    case Dtype::kFp16:
      return known(fp16_flops);
    case Dtype::kFp8:
      return known(fp8_flops);
    default:
      return std::nullopt;
  }
}

std::optional<DevicePeaks> device_peaks(std::string_view device_name) {
  const std::string_view name = without_maker(device_name);
  const auto* row = std::ranges::find(kDevices, name, &NamedRates::name);
  if (row == std::end(kDevices)) return std::nullopt;
  constexpr double kTera = 1e12;
  const Rates& rates = row->rates;
  return DevicePeaks{.fp64_flops = rates.fp64 * kTera,
                     .fp32_flops = rates.fp32 * kTera,
                     .tf32_flops = rates.tf32 * kTera,
                     .bf16_flops = rates.bf16 * kTera,
                     .fp16_flops = rates.fp16 * kTera,
                     .fp8_flops = rates.fp8 * kTera,
                     .memory_bytes = row->memory_gb * 1e9,
                     .source = rates.source};
}

}  // namespace stepbench::ops
