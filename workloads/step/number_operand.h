// SPDX-License-Identifier: Apache-2.0
// A number as an operand that does not change the type of a tensor expression.
#pragma once

#include <ATen/ScalarOps.h>

namespace stepbench::step {

// A number as Python passes it to mul_ or add_: a tensor that does not affect the result's type.
// For a plain number, C++ selects another overload, which calls a second operator inside.
[[nodiscard]] inline at::Tensor number_operand(double value) {
  return at::native::wrapped_scalar_tensor(value);
}

}  // namespace stepbench::step
