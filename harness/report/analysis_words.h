// SPDX-License-Identifier: Apache-2.0
// What windows and parts of a step are called. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "harness/analyze/idle.h"
#include "harness/analyze/steps.h"

namespace stepbench::report {

// "host_step: from a ProfilerStep's start to the next one's"
[[nodiscard]] std::string words_of_window(analyze::WindowKind window);
// "window " and those words, beside the title of what holds in it.
[[nodiscard]] std::string window_aside(std::string_view window);
// Of a part of step_parts(): "idle: loading data"; without a device the host is not idle meanwhile.
[[nodiscard]] std::string words_of_part(std::string_view part, analyze::IdleScope scope);

}  // namespace stepbench::report
