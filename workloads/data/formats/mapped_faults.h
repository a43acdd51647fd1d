// SPDX-License-Identifier: Apache-2.0
// Handles a mapped file that is truncated, or whose disk fails, while it is being read: the lost
// pages read as zeros instead of SIGBUS ending the process, and the mapping knows where they start.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace stepbench::data {

// Watches one mapping for its lifetime. Any thread, and processes forked later: each detects faults
// on its own. The first watch of a process installs a SIGBUS handler, which passes other faults on
// to the previous handler.
class FaultWatch {
 public:
  static constexpr std::uint64_t kWhole = UINT64_MAX;

  FaultWatch() = default;
  FaultWatch(const FaultWatch&) = delete;
  FaultWatch& operator=(const FaultWatch&) = delete;
  ~FaultWatch() { end(); }

  // `mapping` must begin at a page. With very many mappings, further ones stay unwatched.
  void begin(std::span<const std::byte> mapping);
  // Call before unmapping.
  void end();
  // The offset from which on bytes are substituted zeros; kWhole: none are.
  [[nodiscard]] std::uint64_t lost_from() const {
    return lost_from_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> lost_from_ = kWhole;
  std::size_t slot_ = SIZE_MAX;  // in the signal handler's table
};

}  // namespace stepbench::data
