// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/formats/web_samples.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/base/format.h"
#include "harness/os/descriptor.h"
#include "harness/text/words.h"
#include "workloads/data/internal/unreadable_files.h"

namespace stepbench::data {
namespace {

constexpr std::uint64_t kMaxImageBytes = std::uint64_t{1} << 28;
constexpr std::uint64_t kMaxLabelBytes = 64;
constexpr std::int64_t kNoNumber = -2;

struct Name {
  std::string_view key;   // empty: the entry belongs to no sample
  std::string extension;  // in lower case
};

// Entries about the whole archive: "__meta__", "__index__/x.json".
bool is_meta(std::string_view path) {
  const std::string_view first = path.substr(0, path.find('/'));
  return first.size() >= 4 && first.starts_with("__") && first.ends_with("__");
}

// Splits a path like webdataset's base_plus_ext: the extension begins at the first dot of the last
// component. Between the last dot before that one and it, a component must begin and not be empty;
// otherwise there is no key ("./.DS_Store", ".gitkeep").
Name split(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::size_t dot = path.find('.', slash == std::string_view::npos ? 0 : slash);
  if (is_meta(path) || dot == std::string_view::npos || dot == 0) return {};
  const std::size_t before = path.substr(0, dot).rfind('.');
  if (before != std::string_view::npos) {
    const std::size_t folder = path.find('/', before);
    // Its expression skips folders by ".*", which ends at a newline.
    if (folder + 1 == dot || path.substr(0, folder).find('\n') != std::string_view::npos) return {};
  }
  std::string extension(path.substr(dot + 1));
  std::ranges::transform(extension, extension.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return {path.substr(0, dot), extension};
}

constexpr std::string_view kBad = "__bad__";

bool is_image(std::string_view extension) { return extension == "jpg" || extension == "jpeg"; }

}  // namespace

bool WebSamples::next(WebSample& sample) {
  do {
    if (!read(sample)) return false;
  } while (bad_);
  if (sample.label == kNoNumber) {
    throw file_error(path(), sample.offset, sample.key + ".cls is not a class number");
  }
  if (sample.image.empty() || sample.label < 0) {
    throw file_error(path(), sample.offset, missing_part_text(sample));
  }
  return true;
}

bool WebSamples::read(WebSample& sample) {
  if (ended_ || broken_) return false;
  if (!pending_ && !advance()) return false;
  sample.key = split(pending_->name).key;
  sample.offset = pending_->offset;
  sample.image.clear();
  sample.label = -1;
  sample.number = count_++;
  extensions_.clear();
  bad_ = false;
  while (pending_ && split(pending_->name).key == sample.key) {
    take(sample);
    pending_.reset();
    if (!advance()) break;
  }
  return true;
}

std::string WebSamples::missing_part_text(const WebSample& sample) const {
  const bool image = sample.image.empty();
  if (image && std::ranges::any_of(extensions_, is_image)) {
    return formatted("sample '{}': its image is empty", sample.key);
  }
  std::string text = formatted("sample '{}' has no {} entry; it has .{}", sample.key,
                               image ? ".jpg" : ".cls", text::join(extensions_, ", ."));
  const bool dotted = std::ranges::any_of(
      extensions_, [](const std::string& each) { return each.find('.') != std::string::npos; });
  if (dotted) text += "; a key ends at the first dot";
  try {
    TarReader again(path());
    TarReader::Entry entry;
    while (again.next(entry)) {
      const Name name = split(entry.name);
      const bool wanted = image ? is_image(name.extension) : name.extension == "cls";
      if (name.key != sample.key || !wanted) continue;
      return formatted(
          "{}; its .{} is at offset {}, apart from it: `tar --sort=name` keeps the entries of a "
          "sample together",
          text, name.extension, entry.offset);
    }
  } catch (const Error&) {
    return text;  // damage further on is reported when it is read
  }
  return text;
}

bool WebSamples::advance() {
  TarReader::Entry entry;
  try {
    do {
      ended_ = !tar_.next(entry);
    } while (!ended_ && split(entry.name).key.empty());
  } catch (...) {
    broken_ = true;
    throw;
  }
  if (!ended_) pending_ = std::move(entry);
  return !ended_;
}

void WebSamples::take(WebSample& sample) {
  const TarReader::Entry& entry = *pending_;
  const std::string extension = split(entry.name).extension;
  const bool twice = std::ranges::find(extensions_, extension) != extensions_.end();
  if (twice || extension == "__key__" || extension == "__url__") {
    broken_ = true;
    throw file_error(
        path(), entry.offset,
        formatted("{}: sample '{}' has a .{} already", entry.name, sample.key, extension));
  }
  extensions_.push_back(extension);
  bad_ = bad_ || (extension == kBad && entry.bytes > 0);
  const bool image = is_image(extension);
  if (!image && extension != "cls") return;
  if (extension == "jpeg" && std::ranges::find(extensions_, "jpg") != extensions_.end()) return;
  try {
    tar_.read(entry, image ? kMaxImageBytes : kMaxLabelBytes, image ? sample.image : text_);
  } catch (...) {
    broken_ = true;
    throw;
  }
  if (!image) sample.label = parse_label();
}

std::int64_t WebSamples::parse_label() const {
  std::string_view text(reinterpret_cast<const char*>(text_.data()), text_.size());
  constexpr std::string_view kBlanks = " \t\n\r\f\v";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  text.remove_suffix(text.size() - (text.find_last_not_of(kBlanks) + 1));
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t label = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), label);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && label >= 0 ? label : kNoNumber;
}

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
                     formatted("{} has {} bytes, more than the limit of {}", entry.name,
                               entry.bytes, max_bytes));
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
      throw file_error(
          path_, entry.offset,
          formatted("{}: the archive ends after {} of {} bytes", entry.name, had, entry.bytes));
    }
  }
}

}  // namespace stepbench::data
