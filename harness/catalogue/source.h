// SPDX-License-Identifier: Apache-2.0
// The clock or counter behind a number. Plain data; any thread may read it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "harness/base/enum_names.h"

namespace stepbench {

// Written to disk by name.
enum class Source : std::uint8_t {
  kUnknown,
  kHostClock,
  kCudaEvents,
  kEventsAndHost,
  kCupti,
  kAllocator,
  kSystem,
  kCounted,
  kInstructions,
  kNvml
};
constexpr EnumNames<10> names_of(Source) {
  return {"",
          "host_clock",
          "cuda_events",
          "cuda_events+host_clock",
          "cupti",
          "cuda_allocator",
          "system",
          "counted",
          "instruction_counter",
          "nvml"};
}

struct SourceName {
  constexpr SourceName(Source of, std::string_view words)
      : source(of), name(name_of(of)), doc(words) {}
  Source source;
  std::string_view name;
  std::string_view doc;  // one sentence, for users
};

// All but kUnknown, in order.
[[nodiscard]] std::span<const SourceName> sources();

}  // namespace stepbench
