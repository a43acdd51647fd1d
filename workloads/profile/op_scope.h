// SPDX-License-Identifier: Apache-2.0
// Which of torch's record scopes the native engine listens to.
#pragma once

#include <ATen/record_function.h>

#include "harness/ops/op_log.h"

namespace stepbench {

[[nodiscard]] inline OpScope op_scope(at::RecordScope scope) {
  switch (scope) {
    case at::RecordScope::BACKWARD_FUNCTION:
      return OpScope::kBackwardFunction;
    case at::RecordScope::USER_SCOPE:
      return OpScope::kUserScope;
    default:
      return OpScope::kFunction;
  }
}

}  // namespace stepbench
