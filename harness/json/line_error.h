// SPDX-License-Identifier: Apache-2.0
// The error of a line of JSON.
#pragma once

#include "harness/base/error.h"

namespace stepbench::json {

// A line of JSON that cannot be used: not JSON, not ours, of a later major version, or a field of
// the wrong type.
class LineError : public Error {
 public:
  using Error::Error;
};

}  // namespace stepbench::json
