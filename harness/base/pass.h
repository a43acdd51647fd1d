// SPDX-License-Identifier: Apache-2.0
// The purpose of a launch.
#pragma once

#include <cstdint>

#include "harness/base/enum_names.h"

namespace stepbench {

// The purpose of a launch: times; operations recorded by one of two engines; or a run under the
// user's own profiler.
enum class Pass : std::uint8_t { kTiming, kNative, kKineto, kWrapped };  // written to disk by name
constexpr EnumNames<4> names_of(Pass) { return {"timing", "native", "kineto", "wrapped"}; }

[[nodiscard]] constexpr bool is_profiling(Pass pass) {
  return pass == Pass::kNative || pass == Pass::kKineto;
}

}  // namespace stepbench
