// SPDX-License-Identifier: Apache-2.0
// Traces of every shape that analyses must accept: steps, fetches of data, nested ops on several
// threads, calls, launches of kernels, copies and sets on several streams and devices, rows without
// a call, calls without a row, missing steps.
#pragma once

#include <random>

#include "harness/traces/internal/trace_builder.h"
#include "tests/testing.h"
#include "tests/unit/traces/trace_maker.h"

namespace stepbench {

// A row as data, so that a test can shift, scale and permute them before a trace is made.
struct DrawnRow {
  traces::EventKind kind = traces::EventKind::kOp;
  std::string name = {};
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t correlation = 0;
  std::int64_t bytes = -1;
  std::int64_t tid = 0;  // of the host, or the stream
  int device = -1;       // -1: the host
  double blocks_per_sm = -1;
  double occupancy_percent = -1;
};

class RandomTrace {
 public:
  // Steps last `step_ns`; all times are multiples of `grain_ns`.
  explicit RandomTrace(std::uint32_t seed, std::int64_t step_ns = 200, std::int64_t grain_ns = 1)
      : random_(seed), step_ns_(step_ns), grain_ns_(grain_ns) {}

  std::vector<DrawnRow> rows() {
    devices_ = static_cast<int>(below(3));
    const std::int64_t first = below(40);
    const std::int64_t steps = 1 + below(4);
    std::int64_t now_ns = grain(1000);
    const bool marked = below(8) > 0;
    for (std::int64_t i = 0; i < steps; ++i) {
      const std::int64_t end_ns = now_ns + grain(step_ns_ / 2 + below(step_ns_));
      if (marked && below(12) > 0) {
        add({traces::EventKind::kAnnotation, "ProfilerStep#" + std::to_string(first + i), now_ns,
             end_ns - grain(below(5)), 0, -1, kMain});
      }
      step(now_ns, end_ns);
      now_ns = end_ns;
    }
    for (std::int64_t i = 0; i < below(4); ++i) device_row(0, grain(1000 + below(2 * step_ns_)));
    return std::move(rows_);
  }

 private:
  static constexpr std::int64_t kMain = 4711;

  std::int64_t below(std::int64_t bound) {
    return bound <= 0 ? 0 : std::uniform_int_distribution<std::int64_t>(0, bound - 1)(random_);
  }
  [[nodiscard]] std::int64_t grain(std::int64_t ns) const { return ns - ns % grain_ns_; }
  void add(DrawnRow row) { rows_.push_back(std::move(row)); }

  void step(std::int64_t begin_ns, std::int64_t end_ns) {
    std::int64_t now_ns = begin_ns;
    if (below(3) > 0) {
      const std::int64_t until_ns = std::min(end_ns, now_ns + grain(below(step_ns_ / 3)));
      add({traces::EventKind::kAnnotation, std::string(kSingleProcess), now_ns, until_ns, 0, -1,
           kMain});
      nest(kMain, now_ns, until_ns, 2);
      now_ns = until_ns;
    }
    nest(kMain, now_ns, end_ns, 0);
    for (std::int64_t thread = 1; thread <= below(3); ++thread) {
      nest(kMain + thread, begin_ns + grain(below(step_ns_ / 2)), end_ns, 1);
    }
  }

  void nest(std::int64_t tid, std::int64_t begin_ns, std::int64_t end_ns, int depth) {
    static constexpr std::string_view kNames[] = {
        "aten::mm", "aten::add",       "aten::to",
        "aten::to", "nccl:all_reduce", "autograd::engine::evaluate_function: MmBackward0"};
    for (std::int64_t now_ns = begin_ns + grain(below(20)); now_ns < end_ns;) {
      const std::int64_t until_ns = std::min(end_ns, now_ns + grain(below(step_ns_ / 3)));
      const std::int64_t what = below(10);
      if (what < 6 && depth < 4) {
        add({what == 0 ? traces::EventKind::kAnnotation : traces::EventKind::kOp,
             std::string(kNames[below(6)]), now_ns, until_ns, 0, -1, tid});
        nest(tid, now_ns, until_ns, depth + 1);
      } else if (what < 9) {
        call(tid, now_ns, until_ns);
      }
      now_ns = std::max(until_ns, now_ns + grain_ns_) + grain(below(10));
    }
  }

  void call(std::int64_t tid, std::int64_t begin_ns, std::int64_t end_ns) {
    static constexpr std::string_view kCalls[] = {
        "cudaLaunchKernel", "cudaLaunchKernel", "cudaGraphLaunch",       "cudaMemcpyAsync",
        "cudaMemsetAsync",  "cudaMalloc",       "cudaStreamSynchronize", "cuLaunchKernel"};
    const std::string_view name = kCalls[below(8)];
    const bool driver = name.starts_with("cuL");
    add({driver ? traces::EventKind::kDriver : traces::EventKind::kRuntime, std::string(name),
         begin_ns, end_ns, ++correlation_, -1, tid});
    if (devices_ == 0 || name == "cudaMalloc" || name == "cudaStreamSynchronize") return;
    const std::uint64_t correlation = correlation_;
    const std::int64_t rows = name == "cudaGraphLaunch" ? below(3) : below(12) > 0 ? 1 : 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      device_row(correlation, begin_ns + grain(below(step_ns_ / 4)));
    }
  }

  void device_row(std::uint64_t correlation, std::int64_t begin_ns) {
    static constexpr std::string_view kKernels[] = {"gemm", "relu", "ampere_h1688_gemm",
                                                    "ncclDevKernel_AllReduce_Sum_f32_RING_LL"};
    if (devices_ == 0) return;
    DrawnRow row;
    row.begin_ns = begin_ns;
    row.end_ns = begin_ns + grain(below(step_ns_ / 5));
    row.correlation = correlation;
    row.device = static_cast<int>(below(devices_));
    row.tid = 7 + below(3);
    const std::int64_t what = below(6);
    if (what == 0) {
      row.kind = traces::EventKind::kMemcpy;
      row.name =
          below(2) == 0 ? "Memcpy HtoD (Pageable -> Device)" : "Memcpy DtoH (Device -> Pinned)";
      row.bytes = 1 + below(100000);
    } else if (what == 1) {
      row.kind = traces::EventKind::kMemset;
      row.name = "Memset (Device)";
      row.bytes = 1 + below(1000);
    } else {
      row.kind = traces::EventKind::kKernel;
      row.name = kKernels[below(4)];
      row.blocks_per_sm = static_cast<double>(below(16)) / 8;
      row.occupancy_percent = static_cast<double>(below(100));
    }
    add(std::move(row));
  }

  std::mt19937 random_;
  std::int64_t step_ns_;
  std::int64_t grain_ns_;
  int devices_ = 0;
  std::uint64_t correlation_ = 100;
  std::vector<DrawnRow> rows_;
};

inline traces::Trace trace_of_rows(const std::vector<DrawnRow>& rows) {
  traces::TraceBuilder builder;
  for (const DrawnRow& row : rows) {
    const std::uint32_t lane = row.device < 0 ? builder.host_lane(4711, row.tid)
                                              : builder.stream_lane(row.device, row.tid);
    std::uint32_t detail = ops::kNoIndex;
    if (row.kind == traces::EventKind::kKernel) {
      traces::KernelDetail kernel;
      kernel.blocks_per_sm = row.blocks_per_sm;
      kernel.occupancy_percent = row.occupancy_percent;
      detail = builder.detail(kernel);
    }
    traces::TraceEvent& event = builder.add(lane, row.kind, row.name, row.begin_ns, row.end_ns);
    event.correlation = row.correlation;
    event.value = row.bytes;
    event.detail = detail;
  }
  return builder.finish();
}

}  // namespace stepbench
