// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/stored_size.h"

#include <algorithm>
#include <cmath>
#include <system_error>

#include "workloads/data/data_kinds.h"

namespace stepbench::data {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kFilesLookedAt = 1000;

// Ignores files that no longer exist.
std::optional<StoredSize> size_of_files_of_samples(const Dataset& dataset) {
  const std::int64_t asked = std::min(dataset.size(), kFilesLookedAt);
  double sum = 0, squares = 0;
  std::int64_t found = 0;
  for (std::int64_t i = 0; i < asked; ++i) {
    std::error_code error;
    const auto size = fs::file_size(dataset.file_of(i * dataset.size() / asked), error);
    if (error) continue;
    const auto bytes = static_cast<double>(size);
    sum += bytes;
    squares += bytes * bytes;
    ++found;
  }
  if (found == 0) return std::nullopt;
  const auto n = static_cast<double>(found);
  const double mean = sum / n;
  return StoredSize{
      .files = dataset.size(),
      .bytes = std::llround(mean * static_cast<double>(dataset.size())),
      .samples = dataset.size(),
      .record_bytes = mean,
      .record_bytes_sd = found < 2 ? 0 : std::sqrt(std::max(0.0, squares - sum * mean) / (n - 1))};
}

}  // namespace

std::vector<fs::path> files_below(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::recursive_directory_iterator(path, fs::directory_options::follow_directory_symlink)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

std::optional<StoredSize> stored_size(const ResolvedCase& resolved, const Dataset& dataset) {
  if (data_kind(resolved).open == nullptr || !resolved.has("data.path")) return std::nullopt;
  if (dataset.size() > 0 && !dataset.file_of(0).empty()) return size_of_files_of_samples(dataset);
  try {
    StoredSize found{.samples = std::max<std::int64_t>(0, dataset.size())};
    for (const fs::path& file : files_below(resolved.text("data.path"))) {
      found.bytes += static_cast<std::int64_t>(fs::file_size(file));
      ++found.files;
    }
    return found;
  } catch (const fs::filesystem_error&) {
    return std::nullopt;  // files are gone; keep the measurement
  }
}

}  // namespace stepbench::data
