// SPDX-License-Identifier: Apache-2.0
// Reads the project's sources and their includes as text.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace stepbench::structure {

inline const std::string kRoot = STEPBENCH_SOURCE_DIR;

struct Include {
  std::string file;  // "harness/run/agenda.h", from the project root
  int line = 0;
  std::string target;  // between the quotes or brackets
  bool angled = false;
};

// Files tracked by git, in order; empty outside a clone (a source archive).
[[nodiscard]] std::vector<std::string> tracked_files(const std::filesystem::path& root);

// Every C++ file below root/folder, in order; paths from root. Excludes the examples: they are
// separate projects that see only the installed package.
[[nodiscard]] std::vector<std::string> sources(const std::filesystem::path& root,
                                               const std::string& folder);
// The installed headers, as written by CMake: the PUBLIC_HEADERS of all rooms, paths from the root.
[[nodiscard]] std::set<std::string> public_headers();

[[nodiscard]] std::string text_of(const std::filesystem::path& root, const std::string& file);
[[nodiscard]] std::vector<Include> includes_of(const std::filesystem::path& root,
                                               const std::string& file);

// The part that a path belongs to: "harness/run", "workloads/data", "tools/stepbench"; "harness"
// for files directly in it.
[[nodiscard]] std::string part_of(const std::string& path);

}  // namespace stepbench::structure
