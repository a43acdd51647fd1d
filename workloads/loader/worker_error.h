// SPDX-License-Identifier: Apache-2.0
// A worker's exception on its way to the consumer, as text.
#pragma once

#include <exception>
#include <string>

namespace stepbench::loader {

// Inside a catch block: what was thrown, as a sentence.
[[nodiscard]] std::string current_error_text();
// What the consumer rethrows in place of a batch: message and worker reach the row, the type of the
// worker's exception does not.
[[nodiscard]] std::exception_ptr worker_error(int worker, const std::string& what);

}  // namespace stepbench::loader
