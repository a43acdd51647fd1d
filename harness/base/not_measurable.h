// SPDX-License-Identifier: Apache-2.0
// Thrown by a workload where set_up() is far away.
#pragma once

#include "harness/base/error.h"

namespace stepbench {

// The case cannot be measured here, and nobody made a mistake: it becomes a skipped row with this
// reason.
class NotMeasurable : public Error {
 public:
  using Error::Error;
};

}  // namespace stepbench
