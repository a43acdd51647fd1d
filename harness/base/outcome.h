// SPDX-License-Identifier: Apache-2.0
// The result state of one launch. A value type.
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/enum_names.h"

namespace stepbench {

// Result state of one launch. Expected failures are values, not exceptions: they are recorded and
// the sweep continues.
struct Outcome {
  enum class Kind : std::uint8_t { kMeasured, kSkipped, kFailed };  // written to disk by name
  Kind kind = Kind::kMeasured;
  std::string reason;  // empty when measured

  [[nodiscard]] static Outcome measured() { return {}; }
  [[nodiscard]] static Outcome skipped(std::string why) { return {Kind::kSkipped, std::move(why)}; }
  [[nodiscard]] static Outcome failed(std::string why) { return {Kind::kFailed, std::move(why)}; }
};
constexpr EnumNames<3> names_of(Outcome::Kind) { return {"measured", "skipped", "failed"}; }

}  // namespace stepbench
