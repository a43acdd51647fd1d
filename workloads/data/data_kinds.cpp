// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/data_kinds.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/os/descriptor.h"
#include "workloads/data/internal/formats/cifar_bin.h"
#include "workloads/data/internal/formats/mnist_idx.h"
#include "workloads/data/internal/formats/tensor_files.h"
#include "workloads/data/internal/formats/token_bin.h"
#include "workloads/data/internal/formats/web_dataset.h"
#include "workloads/data/internal/generate/make_formats.h"
#include "workloads/data/internal/generate/make_jpeg_files.h"
#include "workloads/data/internal/jpeg/jpeg_folder.h"
#include "workloads/data/internal/synthetic/synthetic.h"
#include "workloads/data/internal/synthetic/synthetic_tokens.h"
#include "workloads/data/python_parts.h"
#include "workloads/data/sample_lengths.h"

namespace stepbench::data {
namespace {

DataKind made(DataKind kind, const Maker& maker) {
  kind.maker = &maker;
  return kind;
}

// The catalogue's digest depends on this order: append new kinds.
std::vector<DataKind> table() {
  return {
      made(jpeg_folder_kind(), jpeg_folder_maker()),
      synthetic_kind(),
      synthetic_tokens_kind(),
      made(mnist_idx_kind(), mnist_idx_maker()),
      made(cifar_bin_kind(), cifar_bin_maker()),
      made(token_bin_kind(), token_bin_maker()),
      made(safetensors_kind(), safetensors_maker()),
      made(raw_tensor_kind(), raw_tensor_maker()),
      made(webdataset_kind(), webdataset_maker()),
      python_kind(),
  };
}

}  // namespace

const std::vector<DataKind>& data_kinds() {
  static const std::vector<DataKind> all = table();
  return all;
}

const DataKind& data_kind(std::string_view name) {
  for (const DataKind& kind : data_kinds()) {
    if (kind.variant.name == name) return kind;
  }
  throw ConfigError("data.kind", formatted("unknown data kind '{}'", name));
}

const DataKind& data_kind(const ResolvedCase& resolved) {
  return data_kind(resolved.text("data.kind"));
}

std::unique_ptr<Dataset> make_dataset(const ResolvedCase& resolved, PythonParts* python) {
  const DataKind& kind = data_kind(resolved);
  if (kind.open != nullptr) return kind.open(resolved);
  if (python == nullptr) {
    throw ConfigError("data.kind", kind.variant.name + " is read only by stepbench-worker");
  }
  return python->open_dataset(resolved);
}

std::vector<const Maker*> makers() {
  std::vector<const Maker*> all;
  for (const DataKind& kind : data_kinds()) {
    if (kind.maker != nullptr) all.push_back(kind.maker);
  }
  return all;
}

Section data_section() {
  Section section{
      .name = "data",
      .doc = "Where the samples come from and how one becomes a tensor.",
      .selector = "kind",
      .options =
          {
              {.name = "kind",
               .type = OptionType::kEnum,
               .doc = "The format of the data set.",
               .default_value = std::string{"synthetic"},
               .choices = {},
               .also_called = {"format", "dataset"},
               .values_called = {{"image_folder", "jpeg_folder"},
                                 {"imagefolder", "jpeg_folder"},
                                 {"imagenet", "jpeg_folder"},
                                 {"cifar", "cifar_bin"},
                                 {"cifar10", "cifar_bin"},
                                 {"cifar100", "cifar_bin"},
                                 {"mnist", "mnist_idx"},
                                 {"wds", "webdataset"},
                                 {"fake_data", "synthetic"},
                                 {"random", "synthetic"}}},
              {.name = "id",
               .type = OptionType::kString,
               .doc = "A name for the content of the data set. Cases with different ids are "
                      "different cases; the path alone makes no difference."},
              {.name = "page_cache",
               .type = OptionType::kEnum,
               .doc = "State of the data set's files before the loader is made and before each "
                      "cycle of the schedule, its warm-up included. warm: read once. cold: "
                      "evicted, as far as no process has them mapped; what the warm-up and a pass "
                      "over the data read is warm again. What was reached is recorded. Unset: as "
                      "they are.",
               .choices = {"warm", "cold"}},
          },
      .variants = {},
  };
  for (const DataKind& kind : data_kinds()) {
    section.options[0].choices.push_back(kind.variant.name);
    section.variants.push_back(kind.variant);
  }
  return section;
}

void check_data(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  if (resolved.has("data.page_cache") && !resolved.has("data.path")) {
    if (!facts.swept) {
      sink.error("data.page_cache",
                 formatted("data.kind {} reads no files", resolved.text("data.kind")));
    }
    resolved.options["data.page_cache"] = Value{};
  }
  check_lengths(resolved, facts, sink);
}

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

namespace {

constexpr const char* kOption = "data.page_cache";
constexpr std::size_t kFilesAsked = 1000;
constexpr std::size_t kBlock = 1U << 20U;
constexpr std::int64_t kStay = 100;  // a file is cold if at most one page in so many is resident

os::Descriptor open_file(const fs::path& file) {
  os::Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened.is_open()) {
    throw ConfigError(kOption, file.string() + ": " + std::generic_category().message(errno));
  }
  return opened;
}

struct CacheRange {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;  // 0: to the end
};
struct CacheCounts {
  std::uint64_t cached = 0;
  std::array<std::uint64_t, 4> others = {};  // dirty, writeback, evicted, recently evicted
};

// cachestat(2) has no wrapper in Debian 12's C library. It knows no page of a file on overlayfs, as
// in most containers: the pages belong to the file below.
bool ask_kernel(int file, CacheCounts& counts) {
  constexpr long kCachestat = 451;
  struct statfs facts {};
  if (::fstatfs(file, &facts) == 0 && facts.f_type == OVERLAYFS_SUPER_MAGIC) return false;
  CacheRange whole;
  return ::syscall(kCachestat, file, &whole, &counts, 0U) == 0;
}

// mincore(2), used where cachestat does not answer. It reports nothing for a file without write
// permission.
bool ask_mincore(const fs::path& path, int file, std::size_t bytes, std::size_t page,
                 CacheCounts& counts) {
  if (::access(path.c_str(), W_OK) != 0) return false;
  if (bytes == 0) return true;
  void* const memory = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) return false;
  std::vector<unsigned char> pages((bytes + page - 1) / page);
  const bool succeeded = ::mincore(memory, bytes, pages.data()) == 0;
  ::munmap(memory, bytes);
  counts.cached = static_cast<std::uint64_t>(
      std::ranges::count_if(pages, [](unsigned char byte) { return (byte & 1U) != 0; }));
  return succeeded;
}

std::string percent(const Residency& found) {
  const double share = found.pages == 0 ? 0
                                        : 100 * static_cast<double>(found.resident) /
                                              static_cast<double>(found.pages);
  std::array<char, 32> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), share, std::chars_format::fixed, 1);
  return std::string(text.data(), end) + " % resident";
}

}  // namespace

void read_into_page_cache(const std::vector<fs::path>& files) {
  std::vector<char> block(kBlock);
  for (const fs::path& file : files) {
    const os::Descriptor opened = open_file(file);
    while (::read(opened.value(), block.data(), block.size()) > 0) {
    }
  }
}

void evict_from_page_cache(const std::vector<fs::path>& files) {
  for (const fs::path& file : files) {
    const os::Descriptor opened = open_file(file);
    struct statfs facts {};
    if (::fstatfs(opened.value(), &facts) == 0 && facts.f_type == TMPFS_MAGIC) {
      throw ConfigError(
          kOption, formatted("cold is impossible for {}: it lies on tmpfs, which is only in memory",
                             file.string()));
    }
    (void)::fdatasync(opened.value());  // dirty pages cannot be evicted
    (void)::posix_fadvise(opened.value(), 0, 0, POSIX_FADV_DONTNEED);
  }
}

std::optional<Residency> residency(const std::vector<fs::path>& files) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t asked = std::min(files.size(), kFilesAsked);
  Residency found;
  for (std::size_t i = 0; i < asked; ++i) {
    const fs::path& file = files[i * files.size() / asked];
    CacheCounts counts;
    const os::Descriptor opened = open_file(file);
    const auto bytes = static_cast<std::size_t>(fs::file_size(file));
    if (!ask_kernel(opened.value(), counts) &&
        !ask_mincore(file, opened.value(), bytes, page, counts)) {
      return std::nullopt;
    }
    found.pages += static_cast<std::int64_t>((bytes + page - 1) / page);
    found.resident += static_cast<std::int64_t>(counts.cached);
  }
  return found;
}

PageCache::PageCache(const ResolvedCase& resolved) {
  if (!resolved.has(kOption) || !resolved.has("data.path")) return;
  wanted_ = resolved.text(kOption);
  files_ = files_below(resolved.text("data.path"));
}

void PageCache::prepare(const Dataset& dataset) {
  if (wanted_.empty()) return;
  if (wanted_ == "warm") {
    read_into_page_cache(files_);
  } else {
    dataset.release_pages();
    evict_from_page_cache(files_);
  }
  const std::optional<Residency> found = residency(files_);
  effective_ = wanted_ + ", " + (found ? percent(*found) : "residency unknown");
  if (wanted_ == "cold" && found && found->resident * kStay > found->pages) {
    *effective_ += ": another process, as a worker that stays, has them mapped or in use";
  }
}

}  // namespace stepbench::data
