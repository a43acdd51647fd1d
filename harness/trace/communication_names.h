// SPDX-License-Identifier: Apache-2.0
// Identifies rows that communicate with other ranks by the names that libraries give their kernels
// and host rows. Each name lists its source. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace stepbench::trace {

enum class Exchanges : std::uint8_t {
  kNo,
  kYes,
  // "all_to_all", "dispatch", "combine" and similar names from an unknown library: they are used
  // for ranks as well as for experts or pieces of one attention.
  kAmbiguous,
};

[[nodiscard]] Exchanges exchanges(std::string_view name);

// "nccl:all_reduce", "gloo:broadcast": a host row of a backend of torch.distributed.
[[nodiscard]] bool is_backend_row(std::string_view name);

}  // namespace stepbench::trace
