// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/internal/model_work.h"

#include "harness/cuda/cuda_api.h"
#include "harness/ops/op_work.h"

namespace stepbench::step {
namespace {

// Uses CUDA's name of the device: a MIG slice has a different one.
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
  const std::optional<ops::DevicePeaks> peaks = ops::device_peaks(device_name);
  if (!peaks) return std::nullopt;
  const ops::Dtype dtype = ops::dtype_named(precision);
  return peaks->flops(dtype == ops::Dtype::kUnknown ? ops::Dtype::kFp32 : dtype);
}

void report_model_work(const ResolvedCase& resolved, double flops_per_step, ReportSink& sink) {
  if (flops_per_step > 0) sink.metric("model_flops_per_step", flops_per_step);
  if (const auto peak = peak_flops(resolved)) sink.metric("device_peak_flops", *peak);
}

}  // namespace stepbench::step
