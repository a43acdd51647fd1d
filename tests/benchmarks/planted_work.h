// SPDX-License-Identifier: Apache-2.0
// Mistakes of a training loop, of a known size: what planted-worker adds to each step.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace stepbench {

class PlantedWork {
 public:
  PlantedWork() = default;
  PlantedWork(const PlantedWork&) = delete;
  PlantedWork& operator=(const PlantedWork&) = delete;
  virtual ~PlantedWork() = default;
  virtual void once() = 0;
};

// "KIND=SIZE" for a device such as "cpu" or "cuda:0"; null for an empty text. Throws Error for a
// text that it does not know. Kinds, each by its number per step:
//   items         values read by .item()
//   tiny_ops      operators on one element
//   allocations   blocks of 32 MiB: made, written, given back to the system
//   pageable      copies of 4 MiB from pageable memory to the device
//   synchronous   copies of 4 MiB from pinned memory whose call waits
[[nodiscard]] std::unique_ptr<PlantedWork> make_planted_work(std::string_view text,
                                                             const std::string& device);

}  // namespace stepbench
