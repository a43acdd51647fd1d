// SPDX-License-Identifier: Apache-2.0
// data.storage_*: reads that take as long as they would on other storage, without a server.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "harness/base/resolved_case.h"
#include "harness/catalogue/catalogue.h"

namespace stepbench::data {

struct StorageShapeOptions {
  double latency_us = 0;          // of a read, until its first byte
  double bandwidth_bytes_us = 0;  // that all readers share; 0: no limit
  double cv = 0;                  // of the latency
  std::uint64_t seed = 0;
};

// Readers share one link: a read's bytes pass it one after the other with those of other reads,
// while its latency runs beside them. Threads, and processes forked after it was made, share it.
class StorageShape {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Throws Error when there is no memory to share.
  explicit StorageShape(const StorageShapeOptions& options);

  // When a read of so many bytes that began then is there, behind those that were asked for before
  // it. `which` draws its latency; without, it has none.
  [[nodiscard]] Time due(Time began, std::uint64_t bytes, std::optional<std::uint64_t> which) const;
  // Until then; at once where the read took longer.
  void wait(Time began, std::uint64_t bytes, std::optional<std::uint64_t> which) const;
  [[nodiscard]] double latency_us(std::uint64_t which) const;

 private:
  StorageShapeOptions options_;
  std::shared_ptr<std::atomic<std::int64_t>> free_ns_;  // when the link has passed what was asked
};

[[nodiscard]] std::vector<Option> storage_options();
// Null where the case's storage is taken as it is.
[[nodiscard]] std::shared_ptr<const StorageShape> storage_shape(const ResolvedCase& resolved);

}  // namespace stepbench::data
