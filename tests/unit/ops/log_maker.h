// SPDX-License-Identifier: Apache-2.0
// Hand-made op logs for tests.
#pragma once

#include <random>

#include "harness/ops/op_log.h"
#include "harness/ops/op_table.h"
#include "harness/traces/op_table_of.h"
#include "harness/traces/trace_files.h"
#include "tests/testing.h"

namespace stepbench {

inline std::uint32_t index_of(std::vector<std::string>& texts, std::string_view text) {
  const auto found = std::find(texts.begin(), texts.end(), text);
  if (found != texts.end()) return static_cast<std::uint32_t>(found - texts.begin());
  texts.emplace_back(text);
  return static_cast<std::uint32_t>(texts.size() - 1);
}

class LogMaker {
 public:
  LogMaker() {
    log.process = 4711;
    log.threads = {{4711, "step"}, {4712, "autograd"}, {4713, "loader"}};
  }

  ops::OpEvent& op(std::string_view name, std::int64_t start_ns, std::int64_t end_ns,
                   std::uint32_t thread = 0) {
    log.ops.push_back({.start_ns = start_ns,
                       .end_ns = end_ns,
                       .name = index_of(log.names, name),
                       .thread = thread,
                       .end_thread = thread});
    return log.ops.back();
  }
  ops::OpEvent& shaped(std::string_view name, std::string_view shapes, std::int64_t start_ns,
                       std::int64_t end_ns) {
    ops::OpEvent& made = op(name, start_ns, end_ns);
    made.shapes = index_of(log.shapes, shapes);
    return made;
  }
  ops::OpEvent& annotation(std::string_view name, std::int64_t start_ns, std::int64_t end_ns) {
    ops::OpEvent& made = op(name, start_ns, end_ns);
    made.scope = ops::OpScope::kUserScope;
    return made;
  }
  ops::MemoryEvent& memory(std::int64_t at_ns, std::int64_t bytes,
                           std::uint32_t inside = ops::kNoIndex, std::int16_t device = -1) {
    total_ += bytes;
    log.memory.push_back({.at_ns = at_ns,
                          .bytes = bytes,
                          .address = 0x1000,
                          .total_allocated = total_,
                          .thread = inside == ops::kNoIndex ? 0 : log.ops[inside].thread,
                          .device = device});
    return log.memory.back();
  }
  ops::DeviceActivity& activity(ops::ActivityKind kind, std::string_view name,
                                std::int64_t start_ns, std::int64_t end_ns,
                                std::uint64_t correlation, std::uint32_t cause = ops::kNoIndex) {
    log.activities.push_back({.start_ns = start_ns,
                              .end_ns = end_ns,
                              .correlation = correlation,
                              .name = index_of(log.names, name),
                              .op = cause,
                              .stream = 7,
                              .kind = kind});
    return log.activities.back();
  }
  void step(std::int64_t index, std::int64_t start_ns, std::int64_t end_ns) {
    log.marks.push_back({start_ns, end_ns, index, ops::kNoIndex});
  }
  void phase(std::string_view name, std::int64_t step_index, std::int64_t start_ns,
             std::int64_t end_ns) {
    log.marks.push_back({start_ns, end_ns, step_index, index_of(log.names, name)});
  }

  ops::OpLog log;

 private:
  std::int64_t total_ = 0;
};

// Nested ops of every kind on three threads, with memory, runtime calls and kernels.
class RandomLog {
 public:
  explicit RandomLog(std::uint32_t seed) : random_(seed) {}

  ops::OpLog make(int roots = 12) {
    for (std::uint32_t thread = 0; thread < 3; ++thread) {
      std::int64_t now_ns = 1000 + below(50);
      for (int i = 0; i < roots; ++i) now_ns = nest(thread, now_ns, now_ns + 60 + below(900), 0);
    }
    for (int i = 0; i < 40; ++i) maker_.memory(900 + below(9000), below(4096) - 2048);
    return std::move(maker_.log);
  }

 private:
  std::int64_t below(std::int64_t bound) {
    return std::uniform_int_distribution<std::int64_t>(0, bound - 1)(random_);
  }

  // Some children touch or end with their parent, some have its name, some overlap it only partly.
  std::int64_t nest(std::uint32_t thread, std::int64_t start_ns, std::int64_t end_ns, int depth) {
    constexpr std::string_view kNames[] = {"aten::add",   "aten::mm",       "aten::to",
                                           "aten::copy_", "aten::_version", "ProfilerStep#3"};
    constexpr std::string_view kShapes[] = {"[[2, 3], [3, 4]]", "[[8], [8], []]"};
    const std::string_view name = kNames[below(6)];
    ops::OpEvent& made = maker_.op(name, start_ns, end_ns, thread);
    const auto index = static_cast<std::uint32_t>(maker_.log.ops.size() - 1);
    if (below(3) > 0) made.shapes = index_of(maker_.log.shapes, kShapes[below(2)]);
    if (below(8) == 0) made.scope = ops::OpScope::kUserScope;
    if (below(12) == 0) made.end_thread = 1 - thread % 2;
    if (below(3) == 0)
      maker_.memory(start_ns + below(end_ns - start_ns + 1), below(4096) - 1024, index);
    if (below(4) == 0 && end_ns - start_ns > 20 && !traces::is_bookkeeping(name)) {
      launch(index, start_ns + 5);
    }
    std::int64_t now_ns = start_ns + below(8);
    while (depth < 4 && now_ns + 12 < end_ns && below(5) > 0) {
      const std::int64_t stop_ns =
          std::min(end_ns + (below(20) == 0 ? 3 : 0), now_ns + 10 + below(200));
      now_ns = nest(thread, now_ns, stop_ns, depth + 1) + below(3);
    }
    return std::max(end_ns, now_ns);
  }

  void launch(std::uint32_t cause, std::int64_t at_ns) {
    const std::uint64_t correlation = maker_.log.activities.size() + 1;
    maker_.activity(ops::ActivityKind::kRuntime, "cudaLaunchKernel", at_ns, at_ns + 4, correlation,
                    cause);
    maker_.activity(ops::ActivityKind::kKernel, "gemm", at_ns + 100, at_ns + 100 + below(500),
                    correlation, cause);
  }

  std::mt19937 random_;
  LogMaker maker_;
};

inline ops::OpTable table_of(const ops::OpLog& log) {
  return traces::op_table_of(traces::trace_of(log));
}

// The row of that name, over all steps, phases, shapes and modules.
inline ops::OpRow row_of(const ops::OpTable& table, std::string_view name,
                         ops::OpKind kind = ops::OpKind::kOp) {
  for (const ops::OpRow& row : ops::grouped(table.rows, {})) {
    if (table.text(row.name) == name && row.kind == kind) return row;
  }
  return {};
}

}  // namespace stepbench
