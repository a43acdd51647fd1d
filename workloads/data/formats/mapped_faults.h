// SPDX-License-Identifier: Apache-2.0
// What happens when a mapped file is cut, or its disk fails, while it is being read: instead of
// ending the process by SIGBUS, the pages that are gone read as zeros, and the mapping knows from
// where on.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace stepbench::data {

// Watches one mapping for as long as it lives. Any thread, and processes forked later: each finds
// out on its own. The first watch of a process takes over SIGBUS; a fault elsewhere goes to
// whoever had the signal before.
class FaultWatch {
 public:
  static constexpr std::uint64_t kWhole = UINT64_MAX;

  FaultWatch() = default;
  FaultWatch(const FaultWatch&) = delete;
  FaultWatch& operator=(const FaultWatch&) = delete;
  ~FaultWatch() { end(); }

  // `mapping` begins at a page. One among very many may stay unwatched.
  void begin(std::span<const std::byte> mapping);
  // To be called before the mapping is given up.
  void end();
  // The offset from which on the bytes are zeros that were never in the file; kWhole if none are.
  [[nodiscard]] std::uint64_t lost_from() const {
    return lost_from_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> lost_from_ = kWhole;
  std::size_t slot_ = SIZE_MAX;  // in the table that the signal's handler reads
};

}  // namespace stepbench::data
