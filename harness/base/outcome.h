// SPDX-License-Identifier: Apache-2.0
// How one launch ended. A value type.
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/enum_names.h"

namespace stepbench {

// How one launch ended. An expected end is a value: it is recorded and the sweep goes on.
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
