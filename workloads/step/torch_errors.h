// SPDX-License-Identifier: Apache-2.0
// Converts torch's exceptions to Error.
#pragma once

#include <c10/util/Exception.h>

#include "harness/base/error.h"

namespace stepbench::step {

// Runs `body`; converts an error of torch to an Error with its message but without its stack trace,
// short enough for a table row.
template <typename Body>
decltype(auto) with_torch_errors(Body&& body) {
  try {
    return body();
  } catch (const c10::Error& error) {
    throw Error(error.what_without_backtrace());
  }
}

}  // namespace stepbench::step
