// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace stepbench {

struct Death {
  int status = 0;  // of waitpid()
  bool oom_killed = false;
  std::optional<std::int64_t> memory_limit_bytes = {};
};

// "SIGSEGV (Segmentation fault)"
[[nodiscard]] std::string signal_text(int signal);

// Why a worker that gave no final line is dead: "exited with status 3", "was killed by SIGSEGV
// (Segmentation fault)", "was killed for lack of memory".
[[nodiscard]] std::string death_text(const Death& death);

}  // namespace stepbench
