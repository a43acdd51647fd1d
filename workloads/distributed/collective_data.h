// SPDX-License-Identifier: Apache-2.0
// What ranks put into a collective, and what must come out of it: small whole numbers, which every
// type holds exactly, and of sums another one for each element, so that a lost, doubled or
// misplaced part shows. Main thread.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>

#include "workloads/distributed/collective_section.h"

namespace stepbench::distributed {

struct CollectiveShape {
  CollectiveOp op = CollectiveOp::kAllReduce;
  int rank = 0;
  int world = 1;
  std::int64_t elements = 0;  // of the whole buffer
};

// Of this rank before the collective.
void fill_sent(at::Tensor& sent, const CollectiveShape& shape);

// Where what came out differs from what must: "element 5 is 3 and must be 2"; nothing: all is
// right.
[[nodiscard]] std::optional<std::string> wrong_element(const at::Tensor& received,
                                                       const CollectiveShape& shape);

}  // namespace stepbench::distributed
