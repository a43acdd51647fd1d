// SPDX-License-Identifier: Apache-2.0
// What a real device answered to each question, written down and told again: tests of what is made
// of the answers run on every machine.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>

#include "harness/machine/nvml_api.h"

namespace stepbench::gpu {

struct Answer {
  int code = 0;         // nvmlReturn_t
  std::int64_t ns = 0;  // that the call took
  std::string value = {};
};

// By question: "0.power", of device 0; "0.clock.1" with an argument; "driver_version".
using Answers = std::map<std::string, Answer>;

// The same functions, which note what they answer; a question that is asked again keeps its last
// answer. `answers` outlives them.
[[nodiscard]] machine::NvmlApi recording(machine::NvmlApi api, Answers& answers);
// Tells them again; what was never asked is not supported.
[[nodiscard]] machine::NvmlApi replaying(const Answers& answers);

// Question, code, nanoseconds and value, a line each, with tabs between.
void write(const Answers& answers, std::ostream& out);
[[nodiscard]] Answers read_answers(std::istream& in);  // throws Error at a line that is none

}  // namespace stepbench::gpu
