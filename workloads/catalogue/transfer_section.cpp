// SPDX-License-Identifier: Apache-2.0
#include "workloads/catalogue/sections.h"

namespace stepbench {

Section transfer_section() {
  return {
      .name = "transfer",
      .doc = "How batches get from the loader's memory to the device.",
      .selector = {},
      .options =
          {
              {.name = "placement",
               .type = OptionType::kEnum,
               .doc = "Where the copy happens. inline: in the step, on the stream that computes. "
                      "none: batches stay "
                      "where the loader put them (device: cpu).",
               .default_value = std::string{"inline"},
               .choices = {"inline", "none"},
               .identity_default = std::string{"inline"}},
              {.name = "non_blocking",
               .type = OptionType::kBool,
               .doc = "Ask for asynchronous copies. They overlap with the host only from pinned "
                      "memory "
                      "(loader.pin_memory).",
               .default_value = false,
               .identity_default = false},
          },
  };
}

void check_transfer(ResolvedCase& resolved, const RuleFacts&, RuleSink& sink) {
  const bool on_cpu = resolved.text("device") == "cpu";
  if (!on_cpu && resolved.text("transfer.placement") == "none") {
    sink.error("transfer.placement", "none leaves batches in host memory, but the model is on " +
                                         resolved.text("device") + "; use inline, or device: cpu");
  }
}

}  // namespace stepbench
