// SPDX-License-Identifier: Apache-2.0
// The table of all kinds of data sets, in the order of the catalogue: the only place that names all
// of them. The section `data`, its rule and the data set of a case are made from it. And the files
// of that data set: their size, and their pages in the kernel's page cache.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/resolved_case.h"
#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"
#include "workloads/data/dataset.h"
#include "workloads/data/internal/generate/maker.h"

namespace stepbench::data {

class PythonParts;

[[nodiscard]] const std::vector<DataKind>& data_kinds();

// Throws ConfigError("data.kind", ...) if the name is unknown.
[[nodiscard]] const DataKind& data_kind(std::string_view name);
[[nodiscard]] const DataKind& data_kind(const ResolvedCase& resolved);

// Opens the data set that the section `data` describes. Throws ConfigError naming the invalid file
// or folder. `python` opens data sets that the user wrote in Python; null: they are rejected.
[[nodiscard]] std::unique_ptr<Dataset> make_dataset(const ResolvedCase& resolved,
                                                    PythonParts* python = nullptr);

// All makers of `stepbench data make`, in the order of the table.
[[nodiscard]] std::vector<const Maker*> makers();

[[nodiscard]] Section data_section();

// Kinds that read no files have no data.page_cache.
void check_data(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

// The files of a data set: their size on disk, and their pages in the kernel's page cache
// (data.page_cache), which can be loaded or evicted.

struct StoredSize {
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::int64_t samples = 0;  // 0: unknown
  // Bytes per sample, from at most a thousand samples; nullopt if samples do not have one file
  // each.
  std::optional<double> record_bytes = {};
  std::optional<double> record_bytes_sd = {};
};

// `path`, or all regular files below it if it is a folder.
[[nodiscard]] std::vector<std::filesystem::path> files_below(const std::filesystem::path& path);

// nullopt if the data is not in files, or is read by user code. With one file per sample, `bytes`
// is extrapolated from the files examined. Takes milliseconds.
[[nodiscard]] std::optional<StoredSize> stored_size(const ResolvedCase& resolved,
                                                    const Dataset& dataset);

// The part of a set of files that is in the page cache.
struct Residency {
  std::int64_t pages = 0;
  std::int64_t resident = 0;
};

// Both throw ConfigError(data.page_cache) naming the file.
void read_into_page_cache(const std::vector<std::filesystem::path>& files);
// Has no effect on pages that a process has mapped and touched: call Dataset::release_pages()
// first. Rejects files on tmpfs, whose pages are the only copy.
void evict_from_page_cache(const std::vector<std::filesystem::path>& files);
// Examines at most a thousand files, evenly spaced; nullopt if the kernel does not report it
// (before Linux 6.5, for files that this process may not write).
[[nodiscard]] std::optional<Residency> residency(const std::vector<std::filesystem::path>& files);

// Brings the files of a case into the state that data.page_cache requests. Main thread.
class PageCache {
 public:
  explicit PageCache(const ResolvedCase& resolved);  // without the option, calls do nothing

  // Reads or evicts every file, untimed; `dataset` is their reader in this process.
  void prepare(const Dataset& dataset);
  // State found after the last prepare(): "cold, 0.0 % resident", with the reason if files that
  // should be cold are not; nullopt without the option.
  [[nodiscard]] const std::optional<std::string>& effective() const { return effective_; }

 private:
  std::string wanted_;
  std::vector<std::filesystem::path> files_;
  std::optional<std::string> effective_;
};

}  // namespace stepbench::data
