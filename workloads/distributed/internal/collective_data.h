// SPDX-License-Identifier: Apache-2.0
// Inputs and expected results of collectives: small integers that every type holds exactly, with a
// different sum per element, so that lost, doubled or misplaced parts are detected. Main thread.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>

#include "workloads/distributed/distributed_sections.h"

namespace stepbench::distributed {

struct CollectiveShape {
  CollectiveOp op = CollectiveOp::kAllReduce;
  int rank = 0;
  int world = 1;
  std::int64_t elements = 0;  // whole buffer
};

// Fills this rank's input of the collective.
void fill_sent(at::Tensor& sent, const CollectiveShape& shape);

// Returns the first wrong element: "element 5 is 3 and must be 2"; nullopt if all are right.
[[nodiscard]] std::optional<std::string> wrong_element(const at::Tensor& received,
                                                       const CollectiveShape& shape);

}  // namespace stepbench::distributed
