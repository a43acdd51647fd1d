// SPDX-License-Identifier: Apache-2.0
// Reads a tar shard entry by entry and groups its entries to samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stepbench::data {

// The regular files of a tar archive, in order. One thread. Throws Error naming the archive and the
// entry's offset.
class TarReader {
 public:
  explicit TarReader(std::string path);
  ~TarReader();
  TarReader(const TarReader&) = delete;
  TarReader& operator=(const TarReader&) = delete;

  struct Entry {
    std::string name;
    std::uint64_t offset = 0;  // of its header
    std::uint64_t bytes = 0;
  };
  // Returns false at the end. A file without entries that is not an empty archive is an error.
  [[nodiscard]] bool next(Entry& entry);
  // Reads the content of the last entry.
  void read(const Entry& entry, std::uint64_t max_bytes, std::vector<std::byte>& content);

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::unique_ptr<void, void (*)(void*)> archive_;  // struct archive
  bool any_ = false;
};

// One sample as stored in its shard.
struct WebSample {
  std::string key;           // its entries' common name
  std::uint64_t offset = 0;  // of its first entry
  std::vector<std::byte> image;
  std::int64_t label = -1;
  std::int64_t number = 0;  // in its shard
};

// The samples of one tar shard, in order. One thread.
class WebSamples {
 public:
  explicit WebSamples(std::string path) : tar_(std::move(path)) {}

  // Returns false at the end. Reuses the memory of `sample`. Throws Error naming shard and offset;
  // after an incomplete sample the next one can be read, after a damaged archive broken() is true.
  [[nodiscard]] bool next(WebSample& sample);
  [[nodiscard]] bool broken() const { return broken_; }
  [[nodiscard]] const std::string& path() const { return tar_.path(); }

 private:
  [[nodiscard]] bool read(WebSample& sample);
  [[nodiscard]] std::string missing_part_text(const WebSample& sample) const;
  [[nodiscard]] bool advance();
  void take(WebSample& sample);
  [[nodiscard]] std::int64_t parse_label() const;

  TarReader tar_;
  std::optional<TarReader::Entry> pending_;  // read, but not part of the last sample
  std::vector<std::byte> text_;
  std::vector<std::string> extensions_;  // of the sample that was read last
  bool bad_ = false;                     // it has an entry .__bad__
  std::int64_t count_ = 0;
  bool ended_ = false;
  bool broken_ = false;
};

}  // namespace stepbench::data
