// SPDX-License-Identifier: Apache-2.0
#include "harness/os/near_file.h"

#include <algorithm>
#include <system_error>
#include <vector>

#include "harness/text/words.h"

namespace stepbench::os {
namespace {

namespace fs = std::filesystem;

// The nearest name with the same extension, or the same stem with another extension: train.yml is
// train.yaml.
std::string similar_in(const fs::path& folder, const fs::path& name) {
  std::vector<std::string> stems;
  std::vector<std::string> kinds;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, ignored)) {
    const fs::path other = entry.path().filename();
    if (!entry.exists(ignored)) continue;  // a dangling link, possibly the file in question
    if (other.stem() == name.stem()) kinds.push_back(other.string());
    if (other.extension() == name.extension()) stems.push_back(other.stem().string());
  }
  std::sort(stems.begin(), stems.end());
  std::sort(kinds.begin(), kinds.end());
  const std::string kind = text::nearest(name.string(), kinds);
  if (!kind.empty()) return (folder / kind).string();
  const std::string similar = text::nearest(name.stem().string(), stems);
  return similar.empty() ? similar : (folder / (similar + name.extension().string())).string();
}

}  // namespace

std::string similar_file_hint(const fs::path& path) {
  const fs::path name = path.filename();
  std::string similar = similar_in(path.parent_path(), name);
  if (similar.empty()) similar = similar_in(path.parent_path() / "configs", name);
  return text::did_you_mean(similar);
}

}  // namespace stepbench::os
