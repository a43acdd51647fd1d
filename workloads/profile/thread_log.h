// SPDX-License-Identifier: Apache-2.0
// The native collector's records of one thread while steps run. Written only by its thread, except
// the end of an op that ends on another one; read after the collector has stopped.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/ops/op_log.h"
#include "workloads/profile/blocks.h"
#include "workloads/profile/name_cache.h"
#include "workloads/profile/shape_words.h"

namespace stepbench::profile {

class OpListener;
struct ThreadLog;

struct OpRecord {
  std::uint64_t start = 0;            // ticks
  std::atomic<std::uint64_t> end{0};  // ticks; 0: not ended
  std::int64_t sequence = -1;
  ThreadLog* log = nullptr;
  OpRecord* enclosing = nullptr;  // innermost open op on this thread at its begin
  const void* module = nullptr;
  const std::int64_t* shapes = nullptr;  // ShapeWords
  std::uint32_t name = 0;
  std::uint32_t ordinal = 0;         // in its thread's log
  std::uint32_t forward_thread = 0;  // torch's number; 0: none
  std::uint32_t end_thread = 0;      // torch's number
  std::uint8_t scope = 0;            // OpScope
  bool async = false;
  alignas(8) std::byte context[16];  // torch's observer context lives here: no allocation per op
};

struct MemoryRecord {
  std::uint64_t at = 0;  // ticks
  std::int64_t bytes = 0;
  std::uint64_t address = 0;
  std::int64_t total_allocated = 0;
  std::int64_t total_reserved = 0;
  const OpRecord* op = nullptr;  // innermost open op
  std::int16_t device = -1;
};

struct ThreadLog {
  ThreadLog(std::uint32_t index, std::uint32_t torch_thread, OpListener* listener);

  const std::uint32_t index;         // among the collector's threads
  const std::uint32_t torch_thread;  // at::RecordFunction::currentThreadId()
  const std::int64_t kernel_thread;  // gettid()
  const std::string thread_name;
  OpListener* const listener;     // may be null
  OpRecord* innermost = nullptr;  // innermost open op
  std::uint32_t next_ordinal = 0;
  const void* module = nullptr;  // currently running on this thread
  Blocks<OpRecord, 8192> ops;
  Blocks<MemoryRecord, 4096> memory;
  ShapeWords shapes;
  NameCache names;

  // Id for the device tracer; unique over threads and above 0.
  [[nodiscard]] std::uint64_t id_of(const OpRecord& op) const {
    return (static_cast<std::uint64_t>(index) << 32U) + op.ordinal + 1;
  }
};

}  // namespace stepbench::profile
