// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/formats/tar_reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

#include "workloads/data/file_kind.h"

namespace stepbench {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 18;

struct archive* as_archive(void* pointer) {
  return static_cast<struct archive*>(pointer);
}

void free_archive(void* pointer) { archive_read_free(as_archive(pointer)); }

std::string reason(struct archive* archive) {
  const char* text = archive_error_string(archive);
  return text == nullptr ? "damaged" : text;
}

void expect_tar(const std::string& path) {
  std::array<char, 512> start{};
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), start.size());
  const auto bytes = std::as_bytes(std::span(start)).first(static_cast<std::size_t>(file.gcount()));
  if (bytes.empty()) throw ConfigError(path, "is empty");
  const std::string_view kind = file_kind(bytes);
  if (!kind.empty() && kind != "tar") {
    throw file_error(path, 0, "expected a tar archive" + looks_like(bytes));
  }
}

}  // namespace

TarReader::TarReader(std::string path)
    : path_(std::move(path)), archive_(archive_read_new(), free_archive) {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) {
    throw ConfigError(path_, "cannot be opened: " + std::generic_category().message(errno));
  }
  if (!S_ISREG(status.st_mode)) throw ConfigError(path_, "is not a regular file");
  expect_tar(path_);
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
    const auto offset = static_cast<std::uint64_t>(archive_read_header_position(archive));
    if (status == ARCHIVE_EOF) {
      if (!any_) throw file_error(path_, 0, "expected a tar archive, found no entry");
      return false;
    }
    if (status < ARCHIVE_WARN) throw file_error(path_, offset, "the archive is " + reason(archive));
    any_ = true;
    if (archive_entry_filetype(header) != AE_IFREG) continue;
    const char* name = archive_entry_pathname(header);
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
  // Grows with what is there, whatever the header announces.
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

}  // namespace stepbench
