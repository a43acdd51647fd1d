// SPDX-License-Identifier: Apache-2.0
#include "harness/os/held_memory.h"

#include <malloc.h>

#include <string>
#include <string_view>

#include "harness/os/text_file.h"

namespace stepbench::os {

std::optional<std::int64_t> held_bytes() {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  const auto free = static_cast<std::int64_t>(::mallinfo2().fordblks);
  const std::string status = read_text("/proc/self/status").value_or("");
  std::int64_t kib = 0;
  for (const std::string_view field : {"RssAnon", "RssShmem"}) {
    const auto value = parse_integer(find_field(status, field).value_or(""));
    if (!value) return std::nullopt;
    kib += *value;
  }
  return kib * 1024 - free;
#else
  return std::nullopt;
#endif
}

}  // namespace stepbench::os
