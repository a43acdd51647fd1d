// SPDX-License-Identifier: Apache-2.0
#include "workloads/profile/worker_spans.h"

#include "workloads/profile/string_table.h"

namespace stepbench {

void WorkerSpans::listen(bool on) {
  if (on) worker_span_listener = this;
  if (!on && worker_span_listener == this) worker_span_listener = nullptr;
}

void WorkerSpans::add_to(OpLog& log, std::int64_t from_ns, std::int64_t offset_ns) const {
  StringTable names(log.names);
  for (const auto& [pid, cost] : batches_) {
    if (cost.ended_ns + offset_ns < from_ns) continue;
    std::int64_t at = cost.began_ns + offset_ns;
    const auto add = [&, process = pid](const char* name, std::int64_t ns) {
      if (ns <= 0) return;
      log.foreign.push_back(
          {.start_ns = at, .end_ns = at + ns, .pid = process, .name = names.id(name)});
      at += ns;
    };
    add("fetch", cost.fetch_ns);
    add("decode", cost.decode_ns);
    add("collate", cost.collate_ns());
  }
}

}  // namespace stepbench
