// SPDX-License-Identifier: Apache-2.0
// Records the values that a real device returned for each query and replays them, so that tests of
// their use run on every machine.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>

#include "harness/machine/device_state.h"

namespace stepbench::gpu {

struct Answer {
  int code = 0;         // nvmlReturn_t
  std::int64_t ns = 0;  // of the call
  std::string value = {};
};

// By query: "0.power" of device 0; "0.clock.1" with an argument; "driver_version".
using Answers = std::map<std::string, Answer>;

// The same functions, recording their results; a repeated query keeps the last one. `answers` must
// outlive them.
[[nodiscard]] machine::NvmlApi recording(machine::NvmlApi api, Answers& answers);
// Replays recorded results; other queries are not supported.
[[nodiscard]] machine::NvmlApi replaying(const Answers& answers);

// A line each: query, code, nanoseconds and value, separated by tabs.
void write(const Answers& answers, std::ostream& out);
[[nodiscard]] Answers read_answers(std::istream& in);  // throws Error at an invalid line

}  // namespace stepbench::gpu
