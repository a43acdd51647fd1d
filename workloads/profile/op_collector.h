// SPDX-License-Identifier: Apache-2.0
// What the instrument of a profiled launch drives: one of two engines that record operations. One
// at a time in a process; all calls on the thread that runs the steps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/ops/op_log.h"

namespace stepbench::profile {

class OpCollector {
 public:
  OpCollector() = default;
  OpCollector(const OpCollector&) = delete;
  OpCollector& operator=(const OpCollector&) = delete;
  virtual ~OpCollector() = default;

  virtual void start() = 0;  // throws Error when another collector is at work
  // What begins from now on is kept. `reserve`: room for so many times what came since start().
  virtual void begin_window(double reserve) = 0;
  virtual void end_window() = 0;                        // nothing is recorded after it
  [[nodiscard]] virtual std::uint64_t now() const = 0;  // a stamp, to be mapped by ns_of()
  [[nodiscard]] virtual std::int64_t ns_of(std::uint64_t stamp) const = 0;  // after end_window()
  // Once, after end_window(): what began in the window. Calls of a thread stand together in order
  // of their start. What had not ended is counted as dropped.
  [[nodiscard]] virtual ops::OpLog take() = 0;
  // The log's clock plus this is nanoseconds since 1970.
  [[nodiscard]] virtual std::int64_t unix_offset_ns() const = 0;
  // Why the log lacks something, for people; after take().
  [[nodiscard]] virtual std::optional<std::string> incomplete() const { return std::nullopt; }
};

// Told of each op as it begins and ends, on its thread: whoever joins device work with ops.
class OpListener {
 public:
  OpListener() = default;
  OpListener(const OpListener&) = delete;
  OpListener& operator=(const OpListener&) = delete;
  virtual ~OpListener() = default;
  virtual void push(std::uint64_t id) noexcept = 0;  // ids are above 0
  virtual void pop() noexcept = 0;
};

struct OpCollectorOptions {
  bool shapes = true;
  bool memory = true;
  bool modules = true;
  bool cuda = false;
};

[[nodiscard]] std::int64_t unix_now_ns();

// Runs one annotation through `collector`; why it did not see it, or nullopt.
[[nodiscard]] std::optional<std::string> probe(OpCollector& collector);

}  // namespace stepbench::profile
