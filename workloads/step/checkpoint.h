// SPDX-License-Identifier: Apache-2.0
// Checkpoints of a training step: the state is written every so many steps, by the step itself or
// by a thread beside the next ones. Main thread.
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
  // Throws ConfigError where checkpoint.path is no folder that can be written.
  Checkpoint(const ResolvedCase& resolved, c10::Device device, const Clock& clock);
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;
  ~Checkpoint();  // waits for the writer, removes the file

  // Writes what `state` says where it is this step's turn. Throws ConfigError when this or the one
  // before cannot be written.
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
  std::filesystem::path file_;  // of this launch alone, under a name that nobody guesses
  bool fsync_ = false;
  bool async_ = false;
  std::vector<at::Tensor> copies_;  // on the host, kept from one checkpoint to the next
  std::future<Written> writer_;
  // Of the windows.
  bool in_window_ = false;
  std::int64_t window_begin_ns_ = 0;
  std::int64_t windows_ns_ = 0;
  std::int64_t blocked_ns_ = 0;
  std::int64_t checkpoints_ = 0;
  Written written_;
  std::int64_t writings_ = 0;
};

}  // namespace stepbench::step
