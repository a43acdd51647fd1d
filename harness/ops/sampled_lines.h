// SPDX-License-Identifier: Apache-2.0
// Stack samples by line of the user's code. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/ops/op_table.h"

namespace stepbench::ops {

struct SampledLine {
  std::string part;   // fetch or collate
  std::string place;  // "my_data.py:42 in __getitem__"
  std::string code;   // empty: unknown
  std::string calls;  // function that most samples were in; empty: the line itself
  std::int64_t samples = 0;
};

// Sorted by descending samples.
[[nodiscard]] std::vector<SampledLine> sampled_lines(const OpTable& table);

// "my_data.py:42 in __getitem__, `Image.open(path)`, in PIL.Image.open"
[[nodiscard]] std::string in_words(const SampledLine& line);

}  // namespace stepbench::ops
