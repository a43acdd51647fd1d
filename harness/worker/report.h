// SPDX-License-Identifier: Apache-2.0
// A launch's report in addition to its samples.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "harness/protocol/messages.h"
#include "harness/worker/loop.h"

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

[[nodiscard]] measure::InstrumentSet make_instruments(std::span<const InstrumentType> types,
                                                      const ResolvedCase& resolved,
                                                      WorkerContext& context,
                                                      LaunchEvidence& evidence,
                                                      Pass pass = Pass::kTiming);
void collect(Workload& workload, const measure::InstrumentSet& instruments,
             LaunchEvidence& evidence);
[[nodiscard]] record::LaunchReport make_report(const LaunchEvidence& evidence,
                                               std::span<const Series> cycles);

[[nodiscard]] protocol::CycleMessage cycle_message(std::int64_t cycle, const Series& columns);
void send_samples(std::int64_t cycle, const Series& columns, const SendMessage& send);

}  // namespace stepbench::worker
