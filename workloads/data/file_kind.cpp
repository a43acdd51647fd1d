// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/file_kind.h"

#include <algorithm>
#include <array>

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
  return kind.empty() ? "" : "; this looks like a " + std::string(kind) + " file";
}

ConfigError file_error(const std::string& path, std::uint64_t offset, const std::string& what) {
  return {path, "offset " + std::to_string(offset) + ": " + what};
}

}  // namespace stepbench::data
