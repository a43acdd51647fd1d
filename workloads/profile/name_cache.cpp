// SPDX-License-Identifier: Apache-2.0
#include "workloads/profile/name_cache.h"

namespace stepbench::profile {

std::uint32_t NameCache::look_up(std::string_view text, Entry& entry) {
  auto found = index_.find(text);
  if (found == index_.end()) {
    const std::string& copy = names_.emplace_back(text);
    found = index_.emplace(copy, static_cast<std::uint32_t>(names_.size() - 1)).first;
  }
  entry = {found->first.data(), found->first.size(), found->second};
  return found->second;
}

}  // namespace stepbench::profile
