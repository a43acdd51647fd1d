// SPDX-License-Identifier: Apache-2.0
// Options of many cases, read so that they share what they have in common: a file of a sweep has
// thousands of cases that differ in a few values. One thread.
#pragma once

#include <string_view>
#include <vector>

#include "harness/base/option_values.h"
#include "harness/json/line_object.h"

namespace stepbench::json {

class AlikeOptions {
 public:
  // The object `field` of a line, as LineObject::fields() reads it.
  [[nodiscard]] OptionValues read(const LineObject& source, std::string_view field);

 private:
  std::vector<OptionValues> known_;  // with other names each, the last one that fitted in front
};

}  // namespace stepbench::json
