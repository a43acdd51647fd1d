// SPDX-License-Identifier: Apache-2.0
// page.css and page.js as text in the program: CMake makes their .cpp from the files. Any thread.
#pragma once

#include <string_view>

namespace stepbench {

[[nodiscard]] std::string_view page_style();
[[nodiscard]] std::string_view page_script();

}  // namespace stepbench
