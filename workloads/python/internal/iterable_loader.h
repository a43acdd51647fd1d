// SPDX-License-Identifier: Apache-2.0
// loader.engine: iterable. Wraps the result of loader() in the user's file in the interface of
// loader.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/loader/loader.h"
#include "workloads/python/internal/in_python.h"
#include "workloads/python/internal/python_dataset.h"
#include "workloads/python/internal/tensor_batch.h"

namespace stepbench {
struct WorkerContext;
}  // namespace stepbench

namespace stepbench::python {

// The inside of an iterable is not observable: all of next() counts as `blocked`, and its workers
// are the threads and processes started before its first batch.
class IterableLoader final : public loader::Loader {
 public:
  // All arguments must outlive it. Calls loader() with the `options` that it accepts. `gil` counts
  // the time that next() waits for the interpreter's lock.
  IterableLoader(const PythonDataset& dataset, const loader::LoaderOptions& options,
                 const WorkerContext& context, GilWait& gil);
  ~IterableLoader() override;

  void begin_epoch(std::int64_t epoch) override;
  [[nodiscard]] std::optional<Batch> next() override;
  [[nodiscard]] std::int64_t batches_per_epoch() const override { return batches_per_epoch_; }
  [[nodiscard]] std::vector<loader::WorkerThread> worker_threads() const override;
  [[nodiscard]] const loader::LoaderMetrics& metrics() const override { return metrics_; }
  void reset_metrics() override;

  // Releases the iterable: there are no further batches. Returns a sentence on its threads and
  // processes that continue; empty: none.
  [[nodiscard]] std::string close();

 private:
  [[nodiscard]] std::optional<Batch> take(std::int64_t& got);
  [[nodiscard]] bool is_like_the_first(const Batch& batch) const;
  void count(std::int64_t began, std::int64_t got);

  const PythonDataset& dataset_;
  const loader::LoaderOptions options_;
  const Clock& clock_;
  GilWait& gil_;
  TensorBatches tensors_;
  OwnedPyObject users_;
  OwnedPyObject iterator_;
  std::vector<FieldSpec> first_;  // first batch's fields
  std::int64_t epoch_ = 0;
  std::int64_t yielded_ = 0;
  std::int64_t batches_per_epoch_ = -1;
  loader::LoaderMetrics metrics_;
};

}  // namespace stepbench::python
