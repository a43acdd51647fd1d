// SPDX-License-Identifier: Apache-2.0
// Parser of arrays of arrays of integers, which are nearly all bytes of a result file. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace stepbench::json {

struct NumberArrays {
  std::vector<std::vector<std::int64_t>> values;
  std::string_view tail;  // text after the outer closing bracket
};

// Reads `[[1,2],[3,4]]`, strict JSON integers within 64 bits. The text must be followed by a byte
// that JSON does not allow there ('\n' or NUL). Throws LineError naming array and element.
[[nodiscard]] NumberArrays parse_number_arrays(std::string_view text);

}  // namespace stepbench::json
