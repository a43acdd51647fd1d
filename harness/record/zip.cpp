// SPDX-License-Identifier: Apache-2.0
#include "harness/record/zip.h"

#include <libdeflate.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <new>

#include "harness/base/error.h"

namespace stepbench::record {
namespace {

constexpr std::uint64_t kTwoBytes = std::numeric_limits<std::uint16_t>::max();
constexpr std::uint64_t kFourBytes = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kFileSignature = 0x04034b50;
constexpr std::uint64_t kEntrySignature = 0x02014b50;
constexpr std::uint64_t kEndSignature = 0x06054b50;
constexpr std::uint64_t kVersion = 20;  // that introduced deflate
constexpr std::uint64_t kUtf8Names = 1 << 11;
constexpr std::uint64_t kDeflate = 8;
constexpr std::uint64_t kFirstDay = 1 << 5 | 1;  // 1980-01-01
constexpr int kZipLevel = 9;

void append(std::string& to, std::size_t bytes, std::uint64_t value) {
  for (std::size_t i = 0; i < bytes; ++i) to += static_cast<char>(value >> (8 * i) & 0xff);
}

std::string deflated(libdeflate_compressor* compressor, const std::string& text) {
  std::string packed(libdeflate_deflate_compress_bound(compressor, text.size()), '\0');
  packed.resize(libdeflate_deflate_compress(compressor, text.data(), text.size(), packed.data(),
                                            packed.size()));
  return packed;
}

// What the entry itself and the directory at the end both say of it.
std::string facts_of(const ZipEntry& entry, std::size_t packed) {
  std::string facts;
  append(facts, 2, kVersion);
  append(facts, 2, kUtf8Names);
  append(facts, 2, kDeflate);
  append(facts, 2, 0);  // midnight
  append(facts, 2, kFirstDay);
  append(facts, 4, libdeflate_crc32(0, entry.text.data(), entry.text.size()));
  append(facts, 4, packed);
  append(facts, 4, entry.text.size());
  append(facts, 2, entry.name.size());
  append(facts, 2, 0);  // no extra field
  return facts;
}

}  // namespace

std::string zip_archive(std::span<const ZipEntry> entries) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(kZipLevel), libdeflate_free_compressor);
  if (!compressor) throw std::bad_alloc();
  std::string archive;
  std::string directory;
  for (const ZipEntry& entry : entries) {
    const std::string packed = deflated(compressor.get(), entry.text);
    const std::string facts = facts_of(entry, packed.size());
    append(directory, 4, kEntrySignature);
    append(directory, 2, kVersion);  // that made it
    directory += facts;
    append(directory, 2, 0);  // no comment
    append(directory, 2, 0);  // first disk
    append(directory, 2, 0);  // internal attributes
    append(directory, 4, 0);  // external attributes
    append(directory, 4, archive.size());
    directory += entry.name;
    append(archive, 4, kFileSignature);
    archive += facts + entry.name + packed;
    if (entry.name.size() > kTwoBytes || entry.text.size() > kFourBytes ||
        archive.size() > kFourBytes) {
      throw ConfigError(entry.name, "is too large for a zip archive: 4 GiB at most");
    }
  }
  if (entries.size() >= kTwoBytes || directory.size() > kFourBytes) {
    throw ConfigError("zip archive", "has too many entries: 65534 at most");
  }
  const std::size_t begin = archive.size();
  archive += directory;
  append(archive, 4, kEndSignature);
  append(archive, 2, 0);  // this disk
  append(archive, 2, 0);  // that of the directory
  append(archive, 2, entries.size());
  append(archive, 2, entries.size());
  append(archive, 4, directory.size());
  append(archive, 4, begin);
  append(archive, 2, 0);  // no comment
  return archive;
}

}  // namespace stepbench::record
