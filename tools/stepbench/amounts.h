// SPDX-License-Identifier: Apache-2.0
// Parse amounts with a unit on the command line. Throw ConfigError with the option's name.
#pragma once

#include <string>

namespace stepbench::cli {

// "90s", "20m", "1.5h"
[[nodiscard]] double seconds_of(const std::string& option, const std::string& text);
// "512MiB", "20GiB"
[[nodiscard]] double bytes_of(const std::string& option, const std::string& text);

}  // namespace stepbench::cli
