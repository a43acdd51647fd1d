// SPDX-License-Identifier: Apache-2.0
// One worker process: how it is forked, watched by a pidfd and reaped, and its body.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "harness/base/clock.h"
#include "harness/os/descriptor.h"
#include "workloads/data/dataset.h"
#include "workloads/loader/batch_reader.h"
#include "workloads/loader/fork/shared_memory.h"

namespace stepbench::loader {

struct ForkWorker {
  int number = 0;
  int socket = -1;
  const data::Dataset& dataset;
  const BatchLayout& layout;
  const TaskBoard& board;
  const BatchRing* ring = nullptr;  // null: a fresh segment per field
  std::string segment_name;         // of this worker; used for one segment at a time
  ReaderOptions reader = {};
  std::int64_t threads = 1;
  int core = -1;  // -1: any
  const Clock& clock;
};

// Runs a forked worker: turns tasks into results until the consumer is gone.
void work(const ForkWorker& worker);

// A forked child that cannot outlive its parent. It starts with default signals. Its parent's
// sockets of AF_UNIX, pidfds and similar descriptors are closed except `keep`; files stay open,
// because a data set may read through them.
class ChildProcess {
 public:
  // Runs `body` in the child, which then exits with status 0. Call from the main thread: the child
  // is killed when the forking thread ends. Throws std::system_error.
  [[nodiscard]] static ChildProcess start(int keep, const std::function<void()>& body);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();  // kills it if it still runs, and reaps it

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] int descriptor() const { return descriptor_.value(); }  // readable once it ended
  // Describes the end of the child: "was killed by SIGSEGV", "exited with status 3". It must have
  // ended.
  [[nodiscard]] std::string ending() const;
  [[nodiscard]] bool ended_within(std::chrono::nanoseconds limit) const;

 private:
  ChildProcess(pid_t pid, os::Descriptor descriptor);
  pid_t pid_;
  os::Descriptor descriptor_;
};

}  // namespace stepbench::loader
