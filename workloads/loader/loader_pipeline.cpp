// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/loader_pipeline.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "workloads/data/data_kinds.h"
#include "workloads/data/python_parts.h"
#include "workloads/loader/analysis/loader_report.h"
#include "workloads/loader/analysis/padding.h"

namespace stepbench::loader {
namespace {

std::int64_t memory_bytes() {
  return ::sysconf(_SC_PHYS_PAGES) * std::int64_t{::sysconf(_SC_PAGESIZE)};
}

}  // namespace

LoaderPipeline::LoaderPipeline(const ResolvedCase& resolved, WorkerContext& context,
                               OrderMaker order, const std::vector<Engine>& table)
    : resolved_(resolved),
      context_(context),
      order_(std::move(order)),
      table_(table),
      page_cache_(resolved) {}

void LoaderPipeline::open(std::unique_ptr<PinnedMemory> pinned, BatchUpload* upload) {
  pinned_ = std::move(pinned);
  options_ = loader_options(resolved_);
  options_.rank = context_.rank;
  options_.world = context_.world;
  dataset_ = data::make_dataset(resolved_, context_.python);
  page_cache_.prepare(*dataset_);
  loader_ = make_loader(*dataset_, resolved_, order(), context_, table_, pinned_.get(), upload);
  stream_.emplace(*loader_, context_);
  const Engine* engine = find_engine(table_, resolved_.text("loader.engine"));
  if (engine != nullptr && engine->forks) stream_->begin();
}

std::int64_t LoaderPipeline::batches_per_epoch() const {
  return std::max<std::int64_t>(0, loader_->batches_per_epoch());
}

void LoaderPipeline::window(Edge edge) {
  if (edge == Edge::kBegin) stream_->window(edge);
  if (context_.python != nullptr) context_.python->window(edge);
}

void LoaderPipeline::steps_done() { stream_->window(Edge::kEnd); }

void LoaderPipeline::tear_down() { stepbench::loader::tear_down(loader_, context_); }

void LoaderPipeline::report(ReportSink& sink) const {
  if (!stream_) return;
  stream_->report(sink, resolved_, padding_of_epoch(*dataset_, options_, order(), kSortedBatches));
  if (context_.python != nullptr) context_.python->report(sink);
  if (data::data_kind(resolved_).open == nullptr) sink.effective("data.digest", dataset_->digest());
  if (const auto stored = data::stored_size(resolved_, *dataset_)) {
    report_stored(*stored, sink);
    if (resolved_.number_or("emulated.step_us", 0) > 0 &&
        resolved_.text_or("data.page_cache", "") != "cold") {
      note_data_in_memory(*stored, memory_bytes(), sink);
    }
  }
  report_idle_readers(*dataset_, options_.num_workers, context_.world, sink);
  for (std::string& note : dataset_->facts().notes) sink.note(std::move(note));
  if (page_cache_.effective()) sink.effective("data.page_cache", *page_cache_.effective());
  if (pinned_ && pinned_->peak_bytes() > 0) {
    sink.metric("loader_pinned_bytes", static_cast<double>(pinned_->peak_bytes()));
  }
}

}  // namespace stepbench::loader
