// SPDX-License-Identifier: Apache-2.0
// The harness's own sections. Workloads add theirs in a catalogue of their own.
#include "harness/catalogue/catalogue.h"

namespace stepbench {

std::vector<Section> harness_sections() { return {}; }

const std::vector<Phase>& built_in_phases() {
  static const std::vector<Phase> phases = {
      {"data_wait", "Blocked in the loader's next()."},
      {"h2d", "Host-to-device copies of the batch."},
      {"zero_grad", "Clearing gradients."},
      {"forward", "The model's forward pass."},
      {"loss", "The loss function."},
      {"backward", "The backward pass."},
      {"grad_sync", "Waiting for gradients of other ranks."},
      {"optimizer", "The optimizer's update."},
      {"graph_replay", "Replay of a captured CUDA graph of the step."},
      {"other", "The rest of the step: period minus all phases."},
  };
  return phases;
}

const std::vector<Metric>& harness_metrics() {
  static const std::vector<Metric> metrics = {};
  return metrics;
}

}  // namespace stepbench
