// SPDX-License-Identifier: Apache-2.0
// loader.record_arrivals: a loader as it is, and when each of its batches arrived. Costs two
// readings of the clock a batch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/rule.h"
#include "harness/workload.h"
#include "workloads/loader/arrivals.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

// One consumer thread.
class RecordingLoader final : public Loader {
 public:
  // Both as in BatchArrivals.
  RecordingLoader(std::unique_ptr<Loader> loader, std::int64_t ahead, std::int64_t workers,
                  const Clock& clock);

  void begin_epoch(std::int64_t epoch) override;
  [[nodiscard]] std::optional<Batch> next() override;
  [[nodiscard]] std::int64_t batches_per_epoch() const override {
    return loader_->batches_per_epoch();
  }
  [[nodiscard]] std::optional<std::int64_t> ready() const override { return loader_->ready(); }
  [[nodiscard]] std::optional<OwnOrder> own_order() const override { return loader_->own_order(); }
  [[nodiscard]] std::vector<WorkerThread> worker_threads() const override {
    return loader_->worker_threads();
  }
  [[nodiscard]] const LoaderMetrics& metrics() const override { return loader_->metrics(); }
  void reset_metrics() override { loader_->reset_metrics(); }

  void window(Edge edge) { in_window_ = edge == Edge::kBegin; }
  [[nodiscard]] const BatchArrivals& arrivals() const { return arrivals_; }

 private:
  std::unique_ptr<Loader> loader_;
  const Clock& clock_;
  std::int64_t began_ns_;
  std::optional<std::int64_t> epoch_asked_ns_;  // the next batch is the first of its epoch
  bool in_window_ = false;
  BatchArrivals arrivals_;
};

[[nodiscard]] Option record_option();
// What is recorded has no arrivals of its own where it is played back.
void check_recording(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

// Of a case's loader, before its first batch: how many batches it makes ahead. `loader` for what is
// seen of it where its options do not say.
[[nodiscard]] std::int64_t batches_ahead(const ResolvedCase& resolved, const Loader& loader);

// Writes them into RUN/arrivals/CASE-LAUNCH.jsonl and says what a step of another time cannot learn
// from them. Throws ConfigError where they cannot be written.
void keep_arrivals(const BatchArrivals& arrivals, const ResolvedCase& resolved,
                   const WorkerContext& context, ReportSink& sink);

}  // namespace stepbench::loader
