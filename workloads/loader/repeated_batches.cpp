// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/repeated_batches.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace stepbench::loader {

void RepeatedBatches::observe(const Batch& batch) {
  constexpr std::size_t kMaxBytes = 1 << 16;  // per tensor: enough to distinguish it
  constexpr std::size_t kMix = 0x9e3779b97f4a7c15;
  if (digests_.size() >= wanted()) return;
  std::size_t digest = static_cast<std::size_t>(batch.size);
  for (const BatchField& field : batch.fields) {
    const std::size_t bytes = field.spec->bytes() * static_cast<std::size_t>(batch.size);
    const std::string_view content(reinterpret_cast<const char*>(field.data),
                                   std::min(bytes, kMaxBytes));
    digest = digest * kMix + std::hash<std::string_view>{}(content);
  }
  digests_.push_back(digest);
}

bool RepeatedBatches::repeat() const {
  if (wanted() == 0 || digests_.size() < wanted()) return false;
  for (std::size_t i = 0; i < digests_.size(); ++i) {
    if (digests_[i] != digests_[i / workers_ * workers_]) return false;
  }
  return digests_.front() != digests_.back();
}

}  // namespace stepbench::loader
