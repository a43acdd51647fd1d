// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/step_options.h"

#include "workloads/step/device.h"

namespace stepbench {

StepOptions step_options(const ResolvedCase& resolved) {
  StepOptions options;
  options.device = parse_device(resolved.text("device"));
  const std::string& precision = resolved.text("model.precision");
  if (precision == "bf16") options.autocast = c10::ScalarType::BFloat16;
  if (precision == "fp16") options.autocast = c10::ScalarType::Half;
  options.tf32 = precision == "tf32";
  options.cuda_graph = resolved.flag("model.cuda_graph");
  options.cudnn_benchmark = resolved.flag("model.cudnn_benchmark");
  if (resolved.text("model.memory_format") == "channels_last") {
    options.memory_format = c10::MemoryFormat::ChannelsLast;
  }
  options.seed = static_cast<std::uint64_t>(resolved.integer("seed"));
  if (resolved.has("model.accumulate")) options.accumulate = resolved.integer("model.accumulate");
  if (resolved.has("optimizer.clip_norm"))
    options.clip_norm = resolved.number("optimizer.clip_norm");
  if (resolved.has("optimizer.set_to_none"))
    options.set_to_none = resolved.flag("optimizer.set_to_none");
  return options;
}

}  // namespace stepbench
