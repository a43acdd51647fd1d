// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/batch_stream.h"

#include <optional>
#include <string>
#include <utility>

#include "harness/error.h"
#include "workloads/loader/loader_findings.h"
#include "workloads/loader/loader_report.h"

namespace stepbench {

void BatchStream::begin() {
  const std::int64_t began = context_.clock.now_ns();
  loader_.begin_epoch(++epoch_);
  begin_ns_ = context_.clock.now_ns() - began;
}

Batch BatchStream::next(StepRecorder& step) {
  std::optional<Batch> batch;
  const bool first = !yielded_;
  const std::int64_t began = context_.clock.now_ns();
  if (!first) {
    const auto scope = step.phase(PhaseId::kDataWait);
    batch = loader_.next();
    if (!batch) step.first_of_epoch();  // inside the phase: finding the end belongs to the gap
  }
  if (!batch) {
    const auto scope = step.phase(PhaseId::kDataWait);
    if (!first || epoch_ < 0) loader_.begin_epoch(++epoch_);
    const std::int64_t asked = context_.clock.now_ns();
    batch = loader_.next();
    const std::int64_t now = context_.clock.now_ns();
    if (first) {
      context_.life_cycle.first_batch_ns = begin_ns_ + now - began;
      step.first_batch();
    } else if (in_window_) {
      ++window_.borders;
      window_.border_ns += now - began;
      window_.border_next_ns += now - asked;
    }
  }
  if (!batch) {
    throw Error("epoch " + std::to_string(epoch_) +
                " of the loader has no batch: the data set is smaller than one " +
                "batch and loader.drop_last is set");
  }
  yielded_ = true;
  step.add(Count::kSamples, batch->size);
  step.add(Count::kBytes, static_cast<std::int64_t>(batch->bytes()));
  if (batch->partial) step.partial_batch();
  return std::move(*batch);
}

void BatchStream::window(Edge edge) {
  in_window_ = edge == Edge::kBegin;
  if (in_window_) {
    loader_.reset_metrics();
    at_begin_ = read_window_facts(context_.clock);
  } else {
    measured_.add(loader_.metrics());
    window_.add_span(at_begin_, read_window_facts(context_.clock));
  }
}

void BatchStream::report(ReportSink& sink, const ResolvedCase& resolved) const {
  report_loader(measured_, window_, sink);
  LoaderFacts facts = loader_facts(resolved, measured_, window_);
  facts.first_batch_ns = context_.life_cycle.first_batch_ns;
  for (Finding& finding : loader_findings(facts)) sink.finding(std::move(finding));
}

}  // namespace stepbench
