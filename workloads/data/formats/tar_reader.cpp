// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/formats/tar_reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <system_error>
#include <utility>

#include "harness/os/descriptor.h"
#include "workloads/data/file_kind.h"

namespace stepbench::data {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 18;

struct archive* as_archive(void* pointer) {
  return static_cast<struct archive*>(pointer);
}

void free_archive(void* pointer) { archive_read_free(as_archive(pointer)); }

// libarchive's error text, as the end of a sentence.
std::string reason(struct archive* archive) {
  const char* text = archive_error_string(archive);
  std::string words = text == nullptr ? "damaged" : text;
  if (words.size() > 1 && words[0] >= 'A' && words[0] <= 'Z' && words[1] >= 'a') {
    words[0] = static_cast<char>(words[0] - 'A' + 'a');
  }
  return words;
}

// Throws ConfigError unless the file can be a tar archive. Returns true for an empty archive: it
// starts with the end marker.
bool expect_tar(const std::string& path) {
  std::array<std::byte, 512> start{};
  // O_NONBLOCK: it may be a pipe.
  const os::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const auto refuse = [&](const char* what) {
    throw ConfigError(path, std::string(what) + ": " + std::generic_category().message(errno));
  };
  if (!file.is_open()) refuse("cannot be opened");
  struct stat status {};
  if (::fstat(file.value(), &status) != 0) refuse("cannot be inspected");
  if (!S_ISREG(status.st_mode)) throw ConfigError(path, "is not a regular file");
  const ssize_t got = ::pread(file.value(), start.data(), start.size(), 0);
  if (got < 0) refuse("cannot be read");
  const auto bytes = std::span<const std::byte>(start).first(static_cast<std::size_t>(got));
  if (bytes.empty()) throw ConfigError(path, "is empty");
  const std::string_view kind = file_kind(bytes);
  if (!kind.empty() && kind != "tar") {
    throw file_error(path, 0, "expected a tar archive" + looks_like(bytes));
  }
  return bytes.size() == start.size() &&
         std::ranges::all_of(bytes, [](std::byte each) { return each == std::byte{0}; });
}

}  // namespace

TarReader::TarReader(std::string path)
    : path_(std::move(path)), archive_(archive_read_new(), free_archive) {
  any_ = expect_tar(path_);
  struct archive* archive = as_archive(archive_.get());
  archive_read_support_format_tar(archive);
  archive_read_support_format_gnutar(archive);
  if (archive_read_open_filename(archive, path_.c_str(), kBlockBytes) != ARCHIVE_OK) {
    throw file_error(path_, 0, "expected a tar archive: " + reason(archive));
  }
}

TarReader::~TarReader() = default;

bool TarReader::next(Entry& entry) {
  struct archive* archive = as_archive(archive_.get());
  for (;;) {
    struct archive_entry* header = nullptr;
    const int status = archive_read_next_header(archive, &header);
    if (status == ARCHIVE_EOF) {
      if (!any_) throw file_error(path_, 0, "expected a tar archive, found no entry");
      return false;
    }
    if (status < ARCHIVE_WARN) {
      // Bytes consumed so far: the unreadable header starts there.
      const la_int64_t taken = archive_filter_bytes(archive, 0);
      throw file_error(path_, static_cast<std::uint64_t>(std::max<la_int64_t>(taken, 0)),
                       "the archive cannot be read from here on: " + reason(archive));
    }
    const auto offset = static_cast<std::uint64_t>(archive_read_header_position(archive));
    any_ = true;
    // A hard link has no content of its own.
    if (archive_entry_filetype(header) != AE_IFREG || archive_entry_hardlink(header) != nullptr)
      continue;
    const char* name = archive_entry_pathname(header);
    if (name == nullptr) name = archive_entry_pathname_utf8(header);
    entry.name = name == nullptr ? "" : name;
    entry.offset = offset;
    entry.bytes = static_cast<std::uint64_t>(archive_entry_size(header));
    return true;
  }
}

void TarReader::read(const Entry& entry, std::uint64_t max_bytes, std::vector<std::byte>& content) {
  struct archive* archive = as_archive(archive_.get());
  if (entry.bytes > max_bytes) {
    throw file_error(path_, entry.offset,
                     entry.name + " has " + std::to_string(entry.bytes) +
                         " bytes, more than the limit of " + std::to_string(max_bytes));
  }
  content.clear();
  // Grows with the data read: the size in the header is untrusted.
  while (content.size() < entry.bytes) {
    const std::size_t had = content.size();
    content.resize(std::min<std::size_t>(entry.bytes, had + kBlockBytes));
    const la_ssize_t got = archive_read_data(archive, content.data() + had, content.size() - had);
    if (got < 0) throw file_error(path_, entry.offset, entry.name + ": " + reason(archive));
    content.resize(had + static_cast<std::size_t>(got));
    if (got == 0) {
      throw file_error(path_, entry.offset,
                       entry.name + ": the archive ends after " + std::to_string(had) + " of " +
                           std::to_string(entry.bytes) + " bytes");
    }
  }
}

}  // namespace stepbench::data
