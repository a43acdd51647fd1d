// SPDX-License-Identifier: Apache-2.0
// Units of other programs in those of a history: times in ns, memory in bytes, all else as it is.
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "harness/catalogue/catalogue.h"

namespace stepbench::foreign {

struct Unit {
  std::string name = {};  // "ns", "bytes", or what was given
  double factor = 1;      // a value times this is in that unit
};
[[nodiscard]] Unit unit_of(std::string_view text);

// `better`: "lower", "higher", "neither"; empty: a time or memory is better when it is lower, a
// rate when it is higher. Throws ConfigError for --better where that does not tell.
[[nodiscard]] Direction direction_of(std::string_view better, const Unit& unit,
                                     std::string_view metric);

}  // namespace stepbench::foreign
