// SPDX-License-Identifier: Apache-2.0
// One number that another program measured, with all that its file says of it. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/value.h"
#include "harness/catalogue/catalogue.h"

namespace stepbench::foreign {

struct Measurement {
  std::string where = {};        // "nights.csv:12": for messages
  std::string started_utc = {};  // 2026-01-31T12:00:00Z
  std::string commit = {};
  std::string branch = {};
  std::string host = {};
  Fields options = {};  // of its case: what tells it from others of the file
  Fields machine = {};  // of another one it is another series
  Fields cohort = {};   // what may change under a series: a new level begins then
  std::string metric = {};
  std::string unit = {};
  Direction direction = Direction::kLowerIsBetter;
  std::optional<double> value = {};  // nothing: it failed; a gap
  std::int64_t steps = 1;            // how many rounds or iterations the number is of
};

struct Measurements {
  std::string format = {};      // "pytest-benchmark"
  std::string experiment = {};  // where nobody gave a name
  std::vector<Measurement> all = {};
  std::vector<std::string> notes = {};
};

}  // namespace stepbench::foreign
