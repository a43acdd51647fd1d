// SPDX-License-Identifier: Apache-2.0
// One launch: sets up a workload, runs it under its schedule, reports and tears it down. And the
// launch's report in addition to its samples. Main thread only.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "harness/protocol/messages.h"
#include "harness/worker/internal/loop.h"
#include "harness/worker/worker_main.h"

namespace stepbench::worker {

using SendMessage = std::function<void(const protocol::WorkerMessage&)>;

struct LaunchEvidence {
  std::int64_t set_up_ns = 0;
  std::int64_t tear_down_ns = 0;
  LoopOptions options = {};
  LifeCycle life_cycle = {};
  LoopResult loop = {};
  record::LaunchReport report = {};  // from workload and instruments
  std::vector<ops::OpFrame> ops = {};
};

[[nodiscard]] InstrumentSet make_instruments(std::span<const InstrumentType> types,
                                             const ResolvedCase& resolved, WorkerContext& context,
                                             LaunchEvidence& evidence, Pass pass = Pass::kTiming);
void collect(Workload& workload, const InstrumentSet& instruments, LaunchEvidence& evidence);
[[nodiscard]] record::LaunchReport make_report(const LaunchEvidence& evidence,
                                               std::span<const Series> cycles);

[[nodiscard]] protocol::CycleMessage cycle_message(std::int64_t cycle, const Series& columns);
void send_samples(std::int64_t cycle, const Series& columns, const SendMessage& send);

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
