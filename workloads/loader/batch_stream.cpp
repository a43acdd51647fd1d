// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/batch_stream.h"

#include <optional>
#include <string>
#include <utility>

#include "harness/error.h"
#include "workloads/loader/loader_report.h"

namespace stepbench {

Batch BatchStream::next(StepRecorder& step) {
  std::optional<Batch> batch;
  const bool first = epoch_ < 0;
  if (!first) {
    const auto scope = step.phase(PhaseId::kDataWait);
    batch = loader_.next();
    if (!batch) step.first_of_epoch();  // inside the phase: finding the end belongs to the gap
  }
  if (!batch) {
    const std::int64_t began = context_.clock.now_ns();
    const auto scope = step.phase(PhaseId::kDataWait);
    loader_.begin_epoch(++epoch_);
    batch = loader_.next();
    if (first) {
      context_.life_cycle.first_batch_ns = context_.clock.now_ns() - began;
      step.first_batch();
    }
  }
  if (!batch) {
    throw Error("epoch " + std::to_string(epoch_) +
                " of the loader has no batch: the data set is smaller than one " +
                "batch and loader.drop_last is set");
  }
  step.add(Count::kSamples, batch->size);
  step.add(Count::kBytes, static_cast<std::int64_t>(batch->bytes()));
  if (batch->partial) step.partial_batch();
  return std::move(*batch);
}

void BatchStream::window(Edge edge) {
  if (edge == Edge::kBegin) {
    loader_.reset_metrics();
  } else {
    measured_.add(loader_.metrics());
  }
}

void BatchStream::report(ReportSink& sink) const { report_loader(measured_, sink); }

}  // namespace stepbench
