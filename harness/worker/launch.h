// SPDX-License-Identifier: Apache-2.0
// One launch: sets up a workload, drives it under its schedule, reports and tears down. Main thread
// only.
#pragma once

#include <span>

#include "harness/protocol/messages.h"
#include "harness/worker/report.h"
#include "harness/worker/worker_main.h"

namespace stepbench::worker {

// The arguments of worker_main.
struct WorkerParts {
  const Catalogue& catalogue;
  std::span<const WorkloadType> workloads;
  std::span<const InstrumentType> instruments;
  const WorkerFacts& facts;
};

// Sends stages, cycles and samples and, as the last message, launch, skipped or failed. Exceptions
// of workload and instruments become `failed`. `began_ns`: start of the process on `clock`;
// limits.wall_s counts from it.
void run_case(const protocol::CaseMessage& message, const WorkerParts& parts, const Clock& clock,
              std::int64_t began_ns, const SendMessage& send);

}  // namespace stepbench::worker
