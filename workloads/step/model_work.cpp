// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/model_work.h"

#include <algorithm>
#include <iterator>

#include "harness/cuda/cuda_api.h"

namespace stepbench::step {
namespace {

// TFLOP/s without sparsity; fp32 on the ordinary cores, bf16 and fp16 with sums in fp32. 0: the
// device has no such mode.
struct DevicePeak {
  double fp32, tf32, bf16, fp16;
};

struct NamedPeak {
  std::string_view name;  // whole, as the driver gives it, without the maker's
  DevicePeak peak;
};

// By data sheet; of dense products. A device that carries such a name and something more ("Laptop
// GPU", "D", "Ti", a part of a MIG device) is another one.
constexpr DevicePeak kGb200 = {80, 1250, 2500, 2500};         // NVIDIA GB200 NVL72, per GPU
constexpr DevicePeak kB200 = {75, 1125, 2250, 2250};          // NVIDIA HGX B200, per GPU
constexpr DevicePeak kHopperSxm = {67, 494.5, 989.5, 989.5};  // NVIDIA H100 SXM, H200 SXM, GH200
constexpr DevicePeak kHopperNvl = {60, 417.5, 835.5, 835.5};  // NVIDIA H100 NVL, H200 NVL
constexpr DevicePeak kH100Pcie = {51, 378, 756, 756};
constexpr DevicePeak kA100 = {19.5, 156, 312, 312};
constexpr DevicePeak kV100Sxm = {15.7, 0, 0, 125};
constexpr DevicePeak kV100Pcie = {14, 0, 0, 112};
constexpr DevicePeak kT4 = {8.1, 0, 0, 65};
// Ada and Ampere GA102 GPU architecture white papers, appendix A.
constexpr DevicePeak kRtx4090 = {82.6, 82.6, 165.2, 165.2};
constexpr DevicePeak kRtx3090 = {35.6, 35.6, 71, 71};

constexpr NamedPeak kPeaks[] = {
    {"GB200", kGb200},
    {"B200", kB200},
    {"H200", kHopperSxm},
    {"H200 NVL", kHopperNvl},
    {"GH200 480GB", kHopperSxm},
    {"GH200 144G HBM3e", kHopperSxm},
    {"H100 80GB HBM3", kHopperSxm},
    {"H100 NVL", kHopperNvl},
    {"H100 PCIe", kH100Pcie},
    {"A100-SXM4-40GB", kA100},
    {"A100-SXM4-80GB", kA100},
    {"A100-PCIE-40GB", kA100},
    {"A100-PCIE-80GB", kA100},
    {"A100 80GB PCIe", kA100},
    {"A40", {37.4, 74.8, 149.7, 149.7}},
    {"A30", {10.3, 82, 165, 165}},
    {"A10G", {31.5, 35, 70, 70}},
    {"A10", {31.2, 62.5, 125, 125}},
    {"L40S", {91.6, 183, 362, 362}},
    {"L40", {90.5, 90.5, 181, 181}},
    {"L4", {30.3, 60, 121, 121}},
    {"T4", kT4},
    {"V100-SXM2-16GB", kV100Sxm},
    {"V100-SXM2-32GB", kV100Sxm},
    {"V100-PCIE-16GB", kV100Pcie},
    {"V100-PCIE-32GB", kV100Pcie},
    {"GeForce RTX 4090", kRtx4090},
    {"GeForce RTX 3090", kRtx3090},
};

// "NVIDIA A100-SXM4-40GB", of older drivers "A100-SXM4-40GB"; "Tesla T4".
std::string_view without_maker(std::string_view name) {
  for (const std::string_view maker : {"NVIDIA ", "Tesla "}) {
    if (name.starts_with(maker)) name.remove_prefix(maker.size());
  }
  return name;
}

// As CUDA calls the device that the steps ran on: a part of a divided one bears a name of its own.
std::optional<double> peak_flops(const ResolvedCase& resolved) {
  if (resolved.has("model.device_peak_flops")) return resolved.number("model.device_peak_flops");
  const auto ordinal = cuda::cuda_ordinal(resolved.text("device"));
  if (!ordinal) return std::nullopt;
  const auto loaded = cuda::load_cuda_api();
  const auto* api = std::get_if<cuda::CudaApi>(&loaded);
  if (api == nullptr) return std::nullopt;
  return device_peak_flops(api->device_name(*ordinal), resolved.text("model.precision"));
}

}  // namespace

std::optional<double> device_peak_flops(std::string_view device_name, std::string_view precision) {
  const std::string_view name = without_maker(device_name);
  const auto* row = std::find_if(std::begin(kPeaks), std::end(kPeaks),
                                 [&](const NamedPeak& each) { return each.name == name; });
  if (row == std::end(kPeaks)) return std::nullopt;
  const DevicePeak& peak = row->peak;
  const double tera = precision == "fp16"   ? peak.fp16
                      : precision == "bf16" ? peak.bf16
                      : precision == "tf32" ? peak.tf32
                                            : peak.fp32;
  return tera > 0 ? std::optional(tera * 1e12) : std::nullopt;
}

void report_model_work(const ResolvedCase& resolved, double flops_per_step, ReportSink& sink) {
  if (flops_per_step > 0) sink.metric("model_flops_per_step", flops_per_step);
  if (const auto peak = peak_flops(resolved)) sink.metric("device_peak_flops", *peak);
}

}  // namespace stepbench::step
