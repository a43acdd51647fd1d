// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/flops.h"

#include "harness/ops/op_work.h"

namespace stepbench::ops {

std::optional<std::int64_t> flops(std::string_view name, std::string_view shapes,
                                  std::string_view arguments) {
  if (is_counted_elsewhere(name)) return std::nullopt;
  const std::optional<OpWork> work = work_of(name, shapes, arguments);
  return work ? std::optional(work->flops) : std::nullopt;
}

}  // namespace stepbench::ops
