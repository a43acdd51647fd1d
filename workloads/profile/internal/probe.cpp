// SPDX-License-Identifier: Apache-2.0
#include <ATen/record_function.h>

#include <algorithm>
#include <chrono>

#include "workloads/profile/internal/op_collector.h"

namespace stepbench::profile {

std::int64_t unix_now_ns() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::optional<std::string> probe(OpCollector& collector) {
  constexpr const char* kName = "stepbench::probe";
  collector.start();
  collector.begin_window(0);
  {
    at::RecordFunction annotation(at::RecordScope::USER_SCOPE);
    if (annotation.isActive()) annotation.before(kName);
  }
  collector.end_window();
  const ops::OpLog log = collector.take();
  const bool seen = std::any_of(log.ops.begin(), log.ops.end(), [&](const ops::OpEvent& op) {
    return log.names[op.name] == kName;
  });
  if (seen) return std::nullopt;
  return "libtorch called no observer: this build records no operations";
}

}  // namespace stepbench::profile
