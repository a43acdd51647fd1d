// SPDX-License-Identifier: Apache-2.0
// Display names of windows and of parts of a step. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "harness/traces/analysis.h"

namespace stepbench::report {

// "host_step: from a ProfilerStep's start to the next one's"
[[nodiscard]] std::string words_of_window(traces::WindowKind window);
// "window " and those words, for the title of a table in that window.
[[nodiscard]] std::string window_subtitle(std::string_view window);
// Name of a part of step_parts(): "idle: loading data". Without a device the host is not called
// idle.
[[nodiscard]] std::string words_of_part(std::string_view part, traces::IdleScope scope);

}  // namespace stepbench::report
