// SPDX-License-Identifier: Apache-2.0
// Mistakes of a known size in a training loop, added to each step by planted-worker.
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

// Reads "KIND=SIZE" for a device such as "cpu" or "cuda:0"; null for an empty text. Throws Error
// for an unknown text. Kinds, each with its number per step:
//   items         values read by .item()
//   tiny_ops      operators on one element
//   allocations   blocks of 32 MiB: made, written, returned to the system
//   pageable      copies of 4 MiB from pageable memory to the device
//   synchronous   copies of 4 MiB from pinned memory with a blocking call
[[nodiscard]] std::unique_ptr<PlantedWork> make_planted_work(std::string_view text,
                                                             const std::string& device);

}  // namespace stepbench
