// SPDX-License-Identifier: Apache-2.0
// What a path that leads nowhere was probably meant to be. Reads folders; any thread.
#pragma once

#include <filesystem>
#include <string>

namespace stepbench::os {

// " (did you mean 'configs/quickstart.yaml'?)": the entry beside `path`, or in a `configs` beside
// it, whose name is nearest. Empty where none is near.
[[nodiscard]] std::string near_file(const std::filesystem::path& path);

}  // namespace stepbench::os
