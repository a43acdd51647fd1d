// SPDX-License-Identifier: Apache-2.0
// A worker's exception on its way to the consumer, as text.
#pragma once

#include <exception>
#include <string>

namespace stepbench::loader {

// Call inside a catch block: describes the current exception in a sentence.
[[nodiscard]] std::string current_error_text();
// The exception that the consumer rethrows in place of a batch: keeps message and worker, not the
// exception's type.
[[nodiscard]] std::exception_ptr worker_error(int worker, const std::string& what);

}  // namespace stepbench::loader
