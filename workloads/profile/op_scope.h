// SPDX-License-Identifier: Apache-2.0
// The record scopes of torch that the native engine records.
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
