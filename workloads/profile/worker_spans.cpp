// SPDX-License-Identifier: Apache-2.0
#include "workloads/profile/worker_spans.h"

#include <array>

#include "workloads/profile/string_table.h"

namespace stepbench::profile {

void WorkerSpans::listen(bool on) {
  if (on) loader::worker_span_listener = this;
  if (!on && loader::worker_span_listener == this) loader::worker_span_listener = nullptr;
}

void WorkerSpans::add_to(ops::OpLog& log, std::int64_t from_ns, std::int64_t offset_ns) const {
  StringTable names(log.names);
  for (const Made& made : batches_) {
    const loader::BatchCost& cost = made.cost;
    if (cost.ended_ns + offset_ns < from_ns) continue;
    const bool has_process = made.pid != 0;
    const std::int64_t track =
        made.worker == kConsumer ? ops::kStepLoaderTrack : ops::kFirstWorkerTrack + made.worker;
    const std::array<std::int64_t, ops::kLoaderParts.size()> parts = {cost.fetch_ns, cost.decode_ns,
                                                                      cost.collate_ns()};
    std::int64_t at = cost.began_ns + offset_ns;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i] <= 0) continue;
      log.foreign.push_back({.start_ns = at,
                             .end_ns = at + parts[i],
                             .pid = has_process ? made.pid : log.process,
                             .name = names.id(ops::kLoaderParts[i]),
                             .tid = has_process ? 0 : track});
      at += parts[i];
    }
  }
}

}  // namespace stepbench::profile
