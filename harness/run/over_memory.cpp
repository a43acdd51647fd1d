// SPDX-License-Identifier: Apache-2.0
#include "harness/run/over_memory.h"

#include "harness/text/numbers.h"

namespace stepbench::run {

std::string over_memory_text(std::int64_t used_bytes, std::int64_t allowed_bytes) {
  return "out of memory: it held " + text::byte_text(static_cast<double>(used_bytes)) +
         ", more than " + text::byte_text(static_cast<double>(allowed_bytes));
}

}  // namespace stepbench::run
