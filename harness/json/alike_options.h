// SPDX-License-Identifier: Apache-2.0
// Reads the options of many cases and shares common values: a file of a sweep has thousands of
// cases that differ in a few values. One thread.
#pragma once

#include <string_view>
#include <vector>

#include "harness/base/option_values.h"
#include "harness/json/line_object.h"

namespace stepbench::json {

class AlikeOptions {
 public:
  // Reads the object `field` of a line like LineObject::fields().
  [[nodiscard]] OptionValues read(const LineObject& source, std::string_view field);

 private:
  std::vector<OptionValues> known_;  // one per set of names, most recently used first
};

}  // namespace stepbench::json
