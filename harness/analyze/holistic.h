// SPDX-License-Identifier: Apache-2.0
// HolisticTraceAnalysis' view of a device, in exact nanoseconds and by category instead of by
// stream number: what was launched before the last step began. Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analyze/steps.h"
#include "harness/analyze/value_or_reason.h"

namespace stepbench::analyze {

// Device rows of the window: indices of Timeline::work by start. With two steps or more those whose
// call began before the last step did; all others otherwise.
[[nodiscard]] std::vector<std::size_t> holistic_rows(const Timeline& timeline, const Steps& steps);

// kernel_time = idle + compute + non_compute.
struct HolisticTemporal {
  std::int64_t kernel_time_ns = 0;  // first row's start to the last one's end
  std::int64_t idle_ns = 0;
  std::int64_t compute_ns = 0;      // kernels, without NCCL's
  std::int64_t non_compute_ns = 0;  // the rest: copies, sets, communication
};

// Where compute, communication and memory work overlapped: seven disjoint parts of the busy time.
struct HolisticOverlaps {
  // Index: 1 computation + 2 communication + 4 memory.
  std::array<std::int64_t, 8> ns = {};
};

// Why a stream stood still between two of its rows.
enum class HolisticIdle : std::uint8_t { kHostWait, kKernelWait, kOther };
[[nodiscard]] std::string_view name_of(HolisticIdle idle);  // "host_wait", as HTA's

struct HolisticStream {
  int device = 0;
  std::int64_t stream = 0;
  std::array<std::int64_t, 3> idle_ns = {};  // by HolisticIdle
  std::array<std::int64_t, 3> gaps = {};     // how many
};
// A gap shorter than this, of which the host was not the cause, is the device's own.
inline constexpr std::int64_t kKernelWaitNs = 30'000;

// Of one kind of copy or set: what was moved at once, over all moments at which that changed.
struct HolisticBandwidth {
  std::string kind = {};  // "Memcpy HtoD", "Memset"
  std::int64_t count = 0;
  double min = 0;  // GB/s, as what follows
  double mean = 0;
  double sd = 0;
  double p25 = 0;
  double median = 0;
  double p75 = 0;
  double max = 0;
};

struct Holistic {
  static constexpr WindowKind kWindow = WindowKind::kHolistic;

  HolisticTemporal temporal = {};
  HolisticOverlaps overlaps = {};
  // Of communication: while something computed, 0..1; absent without communication.
  std::optional<double> overlap_share = {};
  std::vector<HolisticStream> streams = {};       // by device and stream
  std::vector<HolisticBandwidth> bandwidth = {};  // by kind; absent where rows say no bytes
};

[[nodiscard]] ValueOrReason<Holistic> holistic_breakdown(const Timeline& timeline,
                                                         const Steps& steps);

}  // namespace stepbench::analyze
