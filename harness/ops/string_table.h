// SPDX-License-Identifier: Apache-2.0
// Unique texts by index.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace stepbench::ops {

// Indexes unique texts in a vector of the caller.
class StringTable {
 public:
  explicit StringTable(std::vector<std::string>& texts) : texts_(texts) {}

  std::uint32_t id(std::string_view text) {
    const auto found = index_.find(std::string(text));
    if (found != index_.end()) return found->second;
    const auto id = static_cast<std::uint32_t>(texts_.size());
    index_.emplace(texts_.emplace_back(text), id);
    return id;
  }

 private:
  std::vector<std::string>& texts_;
  std::unordered_map<std::string, std::uint32_t> index_;
};

}  // namespace stepbench::ops
