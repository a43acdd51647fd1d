// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/unreadable_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <system_error>
#include <tuple>
#include <vector>

#include "harness/base/format.h"
#include "harness/text/words.h"

namespace stepbench::data {
namespace {

// Long enough, with blanks and only printable characters: binary numbers do not look like that.
bool is_text(std::string_view start) {
  constexpr std::size_t kMinTextBytes = 256;
  constexpr std::size_t kLookedAt = 4096;
  const std::string_view seen = start.substr(0, kLookedAt);
  return seen.size() >= kMinTextBytes && seen.find_first_of(" \n") != std::string_view::npos &&
         std::ranges::all_of(seen, [](char c) {
           return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t';
         });
}

}  // namespace

std::string_view file_kind(std::span<const std::byte> start) {
  using namespace std::string_view_literals;
  struct Magic {
    std::size_t offset;
    std::string_view bytes;
    std::string_view name;
  };
  constexpr std::array kMagics = {Magic{0, "\xff\xd8\xff"sv, "JPEG"},
                                  Magic{0, "\x89PNG\r\n"sv, "PNG"},
                                  Magic{0, "GIF8"sv, "GIF"},
                                  Magic{8, "WEBP"sv, "WebP"},
                                  Magic{0, "II*\0"sv, "TIFF"},
                                  Magic{0, "MM\0*"sv, "TIFF"},
                                  Magic{0, "\x1f\x8b\x08"sv, "gzip"},
                                  Magic{0, "PK\x03\x04"sv, "zip"},
                                  Magic{0, "BZh"sv, "bzip2"},
                                  Magic{0, "\xfd\x37zXZ\0"sv, "xz"},
                                  Magic{0, "\x28\xb5\x2f\xfd"sv, "Zstandard"},
                                  Magic{257, "ustar"sv, "tar"},
                                  Magic{0, "\x93NUMPY"sv, "NumPy"},
                                  Magic{0, "\x89HDF\r\n"sv, "HDF5"},
                                  Magic{0, "PAR1"sv, "Parquet"},
                                  Magic{0, "\x80\x04\x95"sv, "Python pickle"},
                                  Magic{0, "version https://git-lfs"sv, "Git LFS pointer"},
                                  Magic{0, "<!DOCTYPE"sv, "HTML"},
                                  Magic{0, "\0\x05\x16\x07"sv, "Mac's AppleDouble"},
                                  Magic{0, "BM"sv, "BMP"},
                                  Magic{0, "P5\n"sv, "PGM"},
                                  Magic{0, "P6\n"sv, "PPM"}};
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  for (const Magic& magic : kMagics) {
    if (text.size() > magic.offset && text.substr(magic.offset).starts_with(magic.bytes)) {
      return magic.name;
    }
  }
  return is_text(text) ? "text" : std::string_view{};
}

std::string looks_like(std::span<const std::byte> start) {
  const std::string_view kind = file_kind(start);
  return kind.empty() ? "" : formatted("; this looks like a {} file", kind);
}

ConfigError file_error(const std::string& path, std::uint64_t offset, const std::string& what) {
  return {path, formatted("offset {}: {}", offset, what)};
}

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMissingNamed = 3;
// Numbers with a wider gap are probably dates or ids, not a sequence.
constexpr std::int64_t kWidestGap = 1000;

// "train-000003.tar" is {"train-", "000003", ".tar"}: the last run of digits is the file's number.
struct NumberedName {
  std::string_view head;
  std::string_view digits;
  std::string_view tail;
  std::int64_t number = -1;  // negative: none
};

NumberedName numbered(std::string_view path) {
  constexpr std::string_view kDigits = "0123456789";
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t last = name.find_last_of(kDigits);
  if (last == std::string_view::npos) return {.head = name, .digits = {}, .tail = {}};
  const std::size_t before = name.find_last_not_of(kDigits, last);
  const std::size_t first = before == std::string_view::npos ? 0 : before + 1;
  NumberedName parts{.head = name.substr(0, first),
                     .digits = name.substr(first, last + 1 - first),
                     .tail = name.substr(last + 1)};
  const char* end = parts.digits.data() + parts.digits.size();
  const auto [stop, error] = std::from_chars(parts.digits.data(), end, parts.number);
  if (error != std::errc()) parts.number = -1;
  return parts;
}

std::string name_of(const NumberedName& like, std::int64_t number) {
  std::string digits = std::to_string(number);
  if (digits.size() < like.digits.size()) digits.insert(0, like.digits.size() - digits.size(), '0');
  return std::string(like.head) + digits + std::string(like.tail);
}

}  // namespace

void SkippedFiles::add(const fs::directory_entry& entry) {
  std::error_code error;
  const fs::file_status status = entry.status(error);
  if (status.type() == fs::file_type::fifo) {
    ++pipes;
  } else if (status.type() == fs::file_type::socket) {
    ++sockets;
  } else if (status.type() == fs::file_type::not_found) {
    ++dangling_links;
  } else if (error == std::errc::too_many_symbolic_link_levels) {
    ++looping_links;
  } else {
    ++others;
  }
}

SkippedFiles& SkippedFiles::operator+=(const SkippedFiles& more) {
  dangling_links += more.dangling_links;
  looping_links += more.looping_links;
  pipes += more.pipes;
  sockets += more.sockets;
  others += more.others;
  return *this;
}

std::optional<std::string> skipped_files_note(const SkippedFiles& skipped_files,
                                              std::int64_t kept) {
  const std::int64_t count = skipped_files.count();
  if (count == 0) return std::nullopt;
  std::vector<std::string> kinds;
  const auto add = [&](std::int64_t some, const char* noun) {
    if (some > 0) kinds.push_back(text::counted(some, noun));
  };
  add(skipped_files.dangling_links, "dangling link");
  add(skipped_files.looping_links, "looping link");
  add(skipped_files.pipes, "pipe");
  add(skipped_files.sockets, "socket");
  add(skipped_files.others, "special file");
  return formatted("{} of {}{} left out: {}", count, text::counted(kept + count, "file"),
                   count == 1 ? " is" : " are", text::join_and(kinds));
}

std::optional<std::string> missing_files_note(std::span<const std::string> paths) {
  std::vector<NumberedName> names;
  for (const std::string& path : paths) names.push_back(numbered(path));
  std::ranges::stable_sort(names, {}, [](const NumberedName& name) {
    return std::tuple(name.head, name.tail, name.number);
  });
  std::vector<std::string> missing;
  std::int64_t count = 0;
  for (std::size_t i = 1; i < names.size(); ++i) {
    const NumberedName& before = names[i - 1];
    const NumberedName& name = names[i];
    if (before.number < 0 || before.head != name.head || before.tail != name.tail) continue;
    const std::int64_t gap = name.number - before.number - 1;
    if (gap >= kWidestGap) continue;
    for (std::int64_t number = before.number + 1; number < name.number; ++number) {
      if (count++ < kMissingNamed) missing.push_back(name_of(before, number));
    }
  }
  if (missing.empty()) return std::nullopt;
  const std::int64_t more = count - static_cast<std::int64_t>(missing.size());
  if (more > 0) missing.push_back(formatted("{} more", more));
  return formatted("{}{} missing, although there are files with lower and higher numbers",
                   text::join_and(missing), count == 1 ? " is" : " are");
}

}  // namespace stepbench::data
