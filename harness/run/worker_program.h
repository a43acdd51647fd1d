// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace stepbench {

struct WorkerProgram {
  std::filesystem::path path;
  std::string build_id;  // the linker's, or of the file's content (a script): two equal ones
                         // measure the same code
};

// `asked` is --worker; when empty the worker is looked for beside the program in `program_dir`.
// Throws ConfigError.
[[nodiscard]] WorkerProgram find_worker(const std::string& asked,
                                        const std::filesystem::path& program_dir);

// The GNU build id of an ELF file, else the digest of the file's content.
[[nodiscard]] std::string program_build_id(const std::filesystem::path& file);

}  // namespace stepbench
