// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/step_options.h"

#include "workloads/step/device.h"

namespace stepbench {

StepOptions step_options(const ResolvedCase& resolved) {
  StepOptions options;
  options.device = parse_device(resolved.text("device"));
  if (resolved.text("model.precision") == "bf16") options.autocast = c10::ScalarType::BFloat16;
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
