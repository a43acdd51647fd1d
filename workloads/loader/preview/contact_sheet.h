// SPDX-License-Identifier: Apache-2.0
// Pictures side by side with a few words below each, and their way into a PNG file.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "workloads/loader/preview/picture.h"

namespace stepbench::loader {

struct LabelledPicture {
  Picture picture;
  std::vector<std::string> lines;  // below it; a line that is too long is cut, which ".." marks
};

// Four in a row on white. Small pictures are enlarged by whole factors, large ones shrunk.
[[nodiscard]] Picture contact_sheet(std::span<const LabelledPicture> pictures);

// A new file. Throws ConfigError naming it where there is one already or none can be written.
void write_png(const Picture& picture, const std::filesystem::path& file);

}  // namespace stepbench::loader
