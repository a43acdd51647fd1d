// SPDX-License-Identifier: Apache-2.0
// Which clock or counter a number was read from. Plain data; any thread may read it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

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

struct SourceName {
  Source source = Source::kUnknown;
  std::string_view name;  // "cuda_events"; empty: unsaid
  std::string_view doc;   // one sentence, for users
};

// All but kUnknown, in order.
[[nodiscard]] std::span<const SourceName> sources();
[[nodiscard]] std::string_view name_of(Source source);
[[nodiscard]] std::optional<Source> source_named(std::string_view name);

}  // namespace stepbench
