// SPDX-License-Identifier: Apache-2.0
// Turns torch's exceptions into Error.
#pragma once

#include <c10/util/Exception.h>

#include "harness/base/error.h"

namespace stepbench::step {

// Runs `body`; an error of torch becomes an Error with torch's message and without its stack trace,
// fit for a row.
template <typename Body>
decltype(auto) with_torch_errors(Body&& body) {
  try {
    return body();
  } catch (const c10::Error& error) {
    throw Error(error.what_without_backtrace());
  }
}

}  // namespace stepbench::step
