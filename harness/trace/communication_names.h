// SPDX-License-Identifier: Apache-2.0
// Which rows exchange with other ranks, by their names: the names that libraries give their kernels
// and host rows, each with the source that it was read in. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace stepbench::trace {

enum class Exchanges : std::uint8_t {
  kNo,
  kYes,
  // "all_to_all", "dispatch", "combine" and the like, by a library that is not known: both ranks
  // and experts, or pieces of one attention, are dispatched and combined.
  kNotToldApart,
};

[[nodiscard]] Exchanges exchanges(std::string_view name);

// "nccl:all_reduce", "gloo:broadcast": a host row of a backend of torch.distributed.
[[nodiscard]] bool is_backend_row(std::string_view name);

}  // namespace stepbench::trace
