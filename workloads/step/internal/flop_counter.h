// SPDX-License-Identifier: Apache-2.0
// Counts the FLOPs of the operations in a scope.
#pragma once

#include <cstdint>

namespace stepbench::step {

// Counts the FLOPs of all operators called during its lifetime, on all threads: matrix products,
// convolutions and attention, forward and backward, from the shapes of their inputs. Excludes
// elementwise work and recomputation to save memory: these are the model's operations, as in MFU
// (Chowdhery et al. 2022, appendix B). One at a time.
class FlopCounter {
 public:
  FlopCounter();
  FlopCounter(const FlopCounter&) = delete;
  FlopCounter& operator=(const FlopCounter&) = delete;
  ~FlopCounter();

  [[nodiscard]] std::int64_t flops() const;

 private:
  std::uint64_t callback_;
};

}  // namespace stepbench::step
