// SPDX-License-Identifier: Apache-2.0
// Deduplicates texts referred to by index. A look-up is a hash and a comparison. One thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/ops/op_log.h"

namespace stepbench::trace {

// Hash index of texts that are stored elsewhere.
class TextIndex {
 public:
  static constexpr std::uint32_t kAbsent = ops::kNoIndex;

  [[nodiscard]] static std::uint64_t hash(std::string_view text);

  // Returns the index of an entry with this hash that `same(index)` accepts, or kAbsent.
  template <typename Same>
  [[nodiscard]] std::uint32_t find(std::uint64_t hash, const Same& same) const {
    if (slots_.empty()) return kAbsent;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash & mask; slots_[at].index != kAbsent; at = (at + 1) & mask) {
      const Slot& slot = slots_[at];
      if (slot.hash == hash && same(slot.index)) return slot.index;
    }
    return kAbsent;
  }
  void insert(std::uint64_t hash, std::uint32_t index);
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t index = kAbsent;
  };
  void grow();

  std::vector<Slot> slots_;  // size is a power of two; at most half full
  std::size_t size_ = 0;
};

}  // namespace stepbench::trace
