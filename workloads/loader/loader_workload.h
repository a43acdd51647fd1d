// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "harness/workload.h"
#include "workloads/data/dataset.h"
#include "workloads/data/page_cache.h"
#include "workloads/loader/batch_stream.h"
#include "workloads/loader/loader.h"
#include "workloads/loader/make_loader.h"

namespace stepbench {

// `workload: loader`: each step takes one batch and drops it, so a step lasts as long as the loader
// needs. No torch.
class LoaderWorkload final : public Workload {
 public:
  LoaderWorkload(const ResolvedCase& resolved, WorkerContext& context, OtherEngines others = {},
                 std::unique_ptr<PinnedMemory> pinned = {}, OrderMaker order = make_order)
      : resolved_(resolved),
        context_(context),
        others_(std::move(others)),
        pinned_(std::move(pinned)),
        order_(std::move(order)),
        page_cache_(resolved) {}

  [[nodiscard]] static std::unique_ptr<Workload> make(const ResolvedCase& resolved,
                                                      WorkerContext& context) {
    return std::make_unique<LoaderWorkload>(resolved, context);
  }

  [[nodiscard]] std::optional<std::string> set_up() override;
  [[nodiscard]] std::int64_t steps_per_epoch() const override;
  void steps_done() override;
  void before_cycle() override;
  void step(StepRecorder& step) override;
  void window(Edge edge) override;
  void tear_down() override;
  [[nodiscard]] Fingerprint fingerprint() override;
  void report(ReportSink& sink) const override;

 private:
  ResolvedCase resolved_;
  WorkerContext& context_;
  OtherEngines others_;
  std::unique_ptr<PinnedMemory> pinned_;
  OrderMaker order_;
  std::unique_ptr<Dataset> dataset_;
  PageCache page_cache_;
  std::unique_ptr<Loader> loader_;
  std::optional<BatchStream> stream_;
};

}  // namespace stepbench
