// SPDX-License-Identifier: Apache-2.0
// Ids for the names of operations, for one thread.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace stepbench::profile {

// Ids for the names on one thread, in order of first use. Names are copied: those of backward
// functions and annotations are only valid during their call. Allocates only for a new name.
class NameCache {
 public:
  [[nodiscard]] std::uint32_t id(const char* text) {
    const std::size_t size = std::strlen(text);
    Entry& entry = entries_[slot(text, size)];
    if (entry.size == size && std::memcmp(entry.text, text, size) == 0) [[likely]]
      return entry.id;
    return look_up({text, size}, entry);
  }
  [[nodiscard]] const std::deque<std::string>& names() const { return names_; }

 private:
  struct Entry {
    const char* text = "";
    std::size_t size = SIZE_MAX;
    std::uint32_t id = 0;
  };
  static constexpr std::size_t kEntries = 1024;

  // Mixes head and tail, because names share prefixes (aten::, autograd::engine::evaluate_function:
  // ).
  [[nodiscard]] static std::size_t slot(const char* text, std::size_t size) {
    std::uint64_t head = 0;
    std::uint64_t tail = 0;
    if (size >= 2 * sizeof head) {
      std::memcpy(&head, text + size - 2 * sizeof head, sizeof head);
      std::memcpy(&tail, text + size - sizeof tail, sizeof tail);
    } else if (size >= sizeof head) {
      std::memcpy(&head, text, sizeof head);
      std::memcpy(&tail, text + size - sizeof tail, sizeof tail);
    } else {
      std::memcpy(&tail, text, size);
    }
    constexpr std::uint64_t kHashMultiplier = 0x9E3779B97F4A7C15U;  // 2^64 / golden ratio
    const std::uint64_t mixed = ((head ^ (tail << 7U) ^ (tail >> 13U)) + size) * kHashMultiplier;
    return static_cast<std::size_t>(mixed >> 54U);
  }
  static_assert(kEntries == std::size_t{1} << (64U - 54U));

  std::uint32_t look_up(std::string_view text, Entry& entry);

  std::array<Entry, kEntries> entries_{};
  std::deque<std::string> names_;
  std::unordered_map<std::string_view, std::uint32_t> index_;  // into names_
};

}  // namespace stepbench::profile
