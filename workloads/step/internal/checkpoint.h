// SPDX-License-Identifier: Apache-2.0
// Checkpoints of a training step: writes the state every N steps, in the step itself or in a thread
// during the next ones. Main thread.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <string>
#include <vector>

#include "harness/workload.h"
#include "workloads/model/model.h"

namespace stepbench::step {

class Checkpoint {
 public:
  // Throws ConfigError if checkpoint.path is not a writable folder.
  Checkpoint(const ResolvedCase& resolved, c10::Device device, const Clock& clock);
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;
  ~Checkpoint();  // waits for the writer, removes the file

  // Writes `state` if a checkpoint is scheduled for this step. Throws ConfigError if this or the
  // previous one cannot be written.
  void after_step(StepRecorder& step, const std::function<NamedTensors()>& state);
  void window(Edge edge);
  // Waits for the writer; throws as after_step().
  void finish();
  void report(ReportSink& sink) const;

 private:
  struct Written {
    std::int64_t bytes = 0;
    std::int64_t ns = 0;
  };
  [[nodiscard]] NamedTensors on_the_host(const NamedTensors& state);
  [[nodiscard]] Written write(const NamedTensors& tensors) const;
  void count(const Written& written);

  c10::Device device_;
  const Clock& clock_;
  std::int64_t every_ = 0;
  std::filesystem::path file_;  // this launch's file, with a unique name
  bool fsync_ = false;
  bool async_ = false;
  std::vector<at::Tensor> copies_;  // on the host, reused between checkpoints
  std::future<Written> writer_;
  // Within windows.
  bool in_window_ = false;
  std::int64_t window_begin_ns_ = 0;
  std::int64_t windows_ns_ = 0;
  std::int64_t blocked_ns_ = 0;
  std::int64_t checkpoints_ = 0;
  Written written_;
  std::int64_t writings_ = 0;
};

}  // namespace stepbench::step
