// SPDX-License-Identifier: Apache-2.0
// Tells memory that grows to the end of a window from memory that fluctuates or fills up: a worker
// that makes a batch holds its samples, and gives them back. Pure; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace stepbench::machine {

class MemoryGrowth {
 public:
  struct Rise {
    std::int64_t all = 0;
    std::int64_t first = 0;
  };
  explicit MemoryGrowth(std::int64_t begin_ns) : begin_ns_(begin_ns), next_ns_(begin_ns) {}

  [[nodiscard]] std::int64_t next_ns() const { return next_ns_; }  // time of the next add()
  // `bytes`: one value per process, always in the same order; `end_ns`: when they had been read.
  void add(std::int64_t now_ns, std::vector<std::int64_t> bytes, std::int64_t end_ns);
  // Bytes by which the lowest readings rise over a window that ends at `end_ns`: of all processes,
  // and of the first. 0 unless they rise throughout; nullopt: too few readings.
  [[nodiscard]] std::optional<Rise> lasting(std::int64_t end_ns) const;

 private:
  struct Reading {
    std::int64_t at_ns;
    std::vector<std::int64_t> bytes;
  };

  std::int64_t begin_ns_;
  std::int64_t next_ns_;
  std::vector<Reading> readings_;
};

}  // namespace stepbench::machine
