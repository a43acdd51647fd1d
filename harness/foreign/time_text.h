// SPDX-License-Identifier: Apache-2.0
// Dates as other programs write them. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stepbench::foreign {

// 2026-01-31T12:00:00Z of "2026-01-31", "2026.01.31 3:00:00 +0100", "2026/01/31 12:00",
// "2026-01-31T12:00:00.250+00:00", and of seconds, milli-, micro- or nanoseconds since 1970.
// Without a zone it is UTC. nullopt for anything else.
[[nodiscard]] std::optional<std::string> utc_of(std::string_view text);

// So many seconds later.
[[nodiscard]] std::string later(const std::string& utc, long seconds);

}  // namespace stepbench::foreign
