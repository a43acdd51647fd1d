// SPDX-License-Identifier: Apache-2.0
// What a launch is for.
#pragma once

#include <cstdint>

#include "harness/base/enum_names.h"

namespace stepbench {

// What a launch is for: times, the operations of its steps by one of two engines, or a profiler of
// the user's around it.
enum class Pass : std::uint8_t { kTiming, kNative, kKineto, kWrapped };  // written to disk by name
constexpr EnumNames<4> names_of(Pass) { return {"timing", "native", "kineto", "wrapped"}; }

[[nodiscard]] constexpr bool is_profiling(Pass pass) {
  return pass == Pass::kNative || pass == Pass::kKineto;
}

}  // namespace stepbench
