// SPDX-License-Identifier: Apache-2.0
// Thrown by code of a workload that set_up() does not call directly.
#pragma once

#include "harness/base/error.h"

namespace stepbench {

// The case cannot be measured here through no fault of the user: it becomes a skipped row with this
// reason.
class NotMeasurable : public Error {
 public:
  using Error::Error;
};

}  // namespace stepbench
