// SPDX-License-Identifier: Apache-2.0
// Which of torch's record scopes the native engine listens to.
#pragma once

#include <ATen/record_function.h>

#include "harness/ops/op_log.h"

namespace stepbench::profile {

[[nodiscard]] inline ops::OpScope op_scope(at::RecordScope scope) {
  switch (scope) {
    case at::RecordScope::BACKWARD_FUNCTION:
      return ops::OpScope::kBackwardFunction;
    case at::RecordScope::USER_SCOPE:
      return ops::OpScope::kUserScope;
    default:
      return ops::OpScope::kFunction;
  }
}

}  // namespace stepbench::profile
