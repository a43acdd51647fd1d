// SPDX-License-Identifier: Apache-2.0
// Texts as one zip archive, in memory. Pure; any thread.
#pragma once

#include <span>
#include <string>

namespace stepbench::record {

struct ZipEntry {
  std::string name;  // "README.txt", with / between folders
  std::string text;
};

// The same entries give the same bytes: all are of 1980-01-01. Format: PKWARE APPNOTE.TXT 6.3.10,
// without zip64. Throws ConfigError for what is too large for that, 4 GiB or 65534 entries.
[[nodiscard]] std::string zip_archive(std::span<const ZipEntry> entries);

}  // namespace stepbench::record
