// SPDX-License-Identifier: Apache-2.0
// The body of a worker process.
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/clock.h"
#include "workloads/data/dataset.h"
#include "workloads/loader/batch_layout.h"
#include "workloads/loader/batch_reader.h"
#include "workloads/loader/fork/batch_ring.h"
#include "workloads/loader/fork/task_board.h"

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

}  // namespace stepbench::loader
