// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/model_work.h"

#include "workloads/step/device_peaks.h"

namespace stepbench {
namespace {

std::optional<double> peak_flops(const ResolvedCase& resolved, bool on_cuda) {
  if (resolved.has("model.device_peak_flops")) return resolved.number("model.device_peak_flops");
  if (!on_cuda) return std::nullopt;
  if (has_divided_device()) return std::nullopt;
  const auto name = nvidia_device_name();
  return name ? device_peak_flops(*name, resolved.text("model.precision")) : std::nullopt;
}

}  // namespace

void report_model_work(const ResolvedCase& resolved, double flops_per_step, bool on_cuda,
                       ReportSink& sink) {
  if (flops_per_step > 0) sink.metric("model_flops_per_step", flops_per_step);
  if (const auto peak = peak_flops(resolved, on_cuda)) sink.metric("device_peak_flops", *peak);
}

}  // namespace stepbench
