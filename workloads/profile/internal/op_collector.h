// SPDX-License-Identifier: Apache-2.0
// Interface of the two engines that record operations in a profiled launch. One at a time per
// process; all calls on the thread that runs the steps.
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

  virtual void start() = 0;  // throws Error if another collector is active
  // Keeps ops that begin from now on. `reserve`: space for this multiple of the records since
  // start().
  virtual void begin_window(double reserve) = 0;
  virtual void end_window() = 0;                        // stops recording
  [[nodiscard]] virtual std::uint64_t now() const = 0;  // a time stamp for ns_of()
  [[nodiscard]] virtual std::int64_t ns_of(std::uint64_t stamp) const = 0;  // after end_window()
  // Call once, after end_window(): returns the ops that began in the window, grouped by thread in
  // order of start. Ops that had not ended count as dropped.
  [[nodiscard]] virtual ops::OpLog take() = 0;
  // Offset from the log's clock to nanoseconds since 1970.
  [[nodiscard]] virtual std::int64_t unix_offset_ns() const = 0;
  // Why the log is incomplete, for people; valid after take().
  [[nodiscard]] virtual std::optional<std::string> incomplete() const { return std::nullopt; }
};

// Notified of each op's begin and end, on its thread, to associate device work with ops.
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

// Records one annotation with `collector`; returns why it was not recorded, or nullopt.
[[nodiscard]] std::optional<std::string> probe(OpCollector& collector);

}  // namespace stepbench::profile
