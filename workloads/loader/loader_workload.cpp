// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/loader_workload.h"

#include <algorithm>

#include "workloads/data/make_dataset.h"
#include "workloads/loader/batch_marks.h"
#include "workloads/loader/loader_report.h"
#include "workloads/loader/make_loader.h"

namespace stepbench {

std::optional<std::string> LoaderWorkload::set_up() {
  dataset_ = make_dataset(resolved_);
  page_cache_.prepare(*dataset_);
  EpochOrder order = order_(*dataset_, loader_options(resolved_));
  loader_ = make_loader(*dataset_, resolved_, std::move(order), context_, others_, pinned_.get());
  stream_.emplace(*loader_, context_);
  if (resolved_.text("loader.engine") == "fork") stream_->begin();  // instruments may use CUDA
  return std::nullopt;
}

std::int64_t LoaderWorkload::steps_per_epoch() const {
  return std::max<std::int64_t>(0, loader_->batches_per_epoch());
}

void LoaderWorkload::before_cycle() { page_cache_.prepare(*dataset_); }

void LoaderWorkload::step(StepRecorder& step) { BatchMarks(stream_->next(step)).put_on(step); }

void LoaderWorkload::window(Edge edge) {
  if (edge == Edge::kBegin) stream_->window(edge);
}

void LoaderWorkload::steps_done() { stream_->window(Edge::kEnd); }

void LoaderWorkload::tear_down() { stepbench::tear_down(loader_, context_); }

Fingerprint LoaderWorkload::fingerprint() { return {}; }

void LoaderWorkload::report(ReportSink& sink) const {
  if (!stream_) return;
  stream_->report(sink, resolved_);
  report_idle_readers(*dataset_, loader_options(resolved_).num_workers, context_.world, sink);
  if (page_cache_.effective()) sink.effective("data.page_cache", *page_cache_.effective());
  if (pinned_ && pinned_->peak_bytes() > 0)
    sink.metric("loader_pinned_bytes", static_cast<double>(pinned_->peak_bytes()));
}

}  // namespace stepbench
