// SPDX-License-Identifier: Apache-2.0
// What a file or URL that is to be exported holds, told by its content. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stepbench::report {

enum class ExportSource : std::uint8_t { kRun, kVerdict, kNight, kHistory };
// "a run", "a verdict", "a night's verdict", "a history"
[[nodiscard]] std::string_view describe(ExportSource source);

// A folder and whatever is not recognised is taken for a run: reading it says what is wrong.
[[nodiscard]] ExportSource export_source(const std::string& path);

}  // namespace stepbench::report
