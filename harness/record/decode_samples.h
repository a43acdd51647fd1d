// SPDX-License-Identifier: Apache-2.0
// Private to decode. The numbers of samples rows are nearly all bytes of a file: they are read by a
// parser of their own, the rest of the line by simdjson's.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/record/rows.h"

namespace stepbench {

struct NumberArrays {
  std::vector<std::vector<std::int64_t>> values;
  std::string_view tail;  // what follows the outer closing bracket
};

// Reads `[[1,2],[3,4]]`, strict JSON integers within 64 bits. The text must be followed by a byte
// that is none of JSON's ('\n' or NUL). Throws LineError naming array and element.
[[nodiscard]] NumberArrays parse_number_arrays(std::string_view text);

// Throws LineError unless there are as many arrays as columns, all of one length, which is `steps`
// unless that is negative.
void check_shape(const Series& series, std::int64_t steps);

}  // namespace stepbench
