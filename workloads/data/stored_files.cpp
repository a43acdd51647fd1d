// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/stored_files.h"

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
#include <system_error>

#include "harness/base/error.h"
#include "harness/os/descriptor.h"
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

namespace {

namespace fs = std::filesystem;

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
      throw ConfigError(kOption, "cold is impossible for " + file.string() +
                                     ": it lies on tmpfs, which is only in memory");
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
