// SPDX-License-Identifier: Apache-2.0
// Groups the entries of a tar shard into samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/data/formats/tar_reader.h"

namespace stepbench::data {

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
