// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/analysis/handing_over.h"

#include <string>

#include "harness/findings/severity.h"
#include "harness/text/numbers.h"

namespace stepbench::loader {
namespace {

// Of the training thread's time, and of the workers'.
constexpr double kMinReceiveShare = 0.1;
constexpr double kMinSendShare = 0.2;

// What else a batch that is finished and not yet there may wait for.
std::string late_for(const LoaderFacts& facts, const LoaderAnalysis& r) {
  std::string text;
  const double queued_ns =
      static_cast<double>(facts.measured.queue_thread_wait_ns.value_or(0)) / r.calls;
  if (queued_ns >= kMinGilWaitNs) {
    text += "; a finished batch waits " + text::duration(queued_ns) +
            " for its worker's lock (GIL) or for a CPU";
  }
  const double of_training = r.training_waited.value_or(0);
  if (of_training >= kMinWaitForCpu) {
    text +=
        "; the training thread waits " + text::percent_text(of_training) + " of its time for a CPU";
  }
  return text;
}

}  // namespace

std::optional<Finding> handing_over(const LoaderFacts& facts, const LoaderAnalysis& r) {
  const double receiving = static_cast<double>(facts.measured.receive_ns) / r.elapsed_ns;
  const double sending =
      r.worker_ns > 0
          ? static_cast<double>(facts.measured.transport_ns - facts.measured.receive_ns) /
                r.worker_ns
          : 0;
  if (receiving < kMinReceiveShare && sending < kMinSendShare) return std::nullopt;
  if (r.utilisation() >= kMinBusy &&
      (facts.measured.receive_ns < facts.measured.blocked_ns || r.gil_wait_ns > 0)) {
    return std::nullopt;  // for batches that are not there, or for workers that are busy
  }
  Finding finding{.id = "loader.transport",
                  .severity = findings::severity_of_share(receiving),
                  .text = "handing batches over takes " + text::percent_text(receiving) +
                          " of the training thread's time and " + text::percent_text(sending) +
                          " of the workers'" + late_for(facts, r),
                  .value = receiving >= kMinReceiveShare ? receiving : sending,
                  .threshold = receiving >= kMinReceiveShare ? kMinReceiveShare : kMinSendShare,
                  .unit = "ratio",
                  .share = receiving,
                  .evidence = {"loader_transport_ns", "loader_next_receive_ns"},
                  .remedy = "Hand over fewer, larger batches."};
  if (facts.transport == "torch_fd") {
    finding.remedy = "Hand batches over in memory that stays mapped.";
    finding.set = {{.option = "loader.transport", .value = "shm_ring"}};
  }
  return finding;
}

}  // namespace stepbench::loader
