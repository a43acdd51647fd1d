// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/text_index.h"

#include <xxhash.h>

namespace stepbench::trace {

std::uint64_t TextIndex::hash(std::string_view text) {
  return XXH3_64bits(text.data(), text.size());
}

void TextIndex::insert(std::uint64_t hash, std::uint32_t index) {
  if (slots_.size() < 2 * (size_ + 1)) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].index != kAbsent) at = (at + 1) & mask;
  slots_[at] = {hash, index};
  ++size_;
}

void TextIndex::grow() {
  constexpr std::size_t kFirst = 256;
  std::vector<Slot> old(slots_.empty() ? kFirst : slots_.size() * 2);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.index == kAbsent) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].index != kAbsent) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace stepbench::trace
