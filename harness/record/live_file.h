// SPDX-License-Identifier: Apache-2.0
// Whether the program that writes a result file still lives: it holds a lock (flock) on the file,
// which the kernel takes back when it dies. Any thread.
#pragma once

#include <filesystem>

namespace stepbench {

// For as long as the file is open. Where a file system knows no locks nothing is said of the file.
void mark_as_being_written(int descriptor);
[[nodiscard]] bool is_being_written(const std::filesystem::path& file);

}  // namespace stepbench
