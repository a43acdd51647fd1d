// SPDX-License-Identifier: Apache-2.0
// Data loading in a trace: how long each fetch on the step thread took, what the loader's workers
// did for it, and how much of both the step and the device waited for. Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/traces/internal/steps.h"
#include "harness/traces/internal/summary.h"

namespace stepbench::traces {

struct LoaderCall {
  TimeSpan at = {};
  std::uint32_t name =
      ops::kNoIndex;  // Trace::names; trace/name_facts.h gives the iterator's class
  std::optional<std::size_t> step = {};  // index of the step whose window it begins in
  std::int64_t exposed_ns = 0;           // while no device worked; everything without device rows
};

struct DataLoading {
  std::vector<LoaderCall> calls = {};  // sorted by time, including those outside all steps
  std::int64_t first_ns = 0;           // duration of the first call, which starts the workers
  Summary later = {};                  // durations of all other calls, in ns
  Summary interval = {};               // between the starts of consecutive calls, in ns
};

// Absent if the step thread fetches no data.
[[nodiscard]] ValueOrReason<DataLoading> find_data_loading(const Timeline& timeline,
                                                           const Steps& steps);

// Workers are only visible in stepbench's own traces, in which each batch has rows.

enum class LoaderPart : std::uint8_t {
  kFetch,
  kDecode,
  kCollate,
  kHandOver  // no worker was making a batch: it was in transit, or not begun
};
constexpr EnumNames<4> names_of(LoaderPart) { return {"fetch", "decode", "collate", "hand_over"}; }
inline constexpr std::size_t kLoaderPartCount = 4;

struct LoaderWork {
  using Parts = std::array<std::int64_t, kLoaderPartCount>;

  bool in_step_thread = false;  // no workers: the step thread reads the batches itself
  std::int64_t workers = 0;     // workers that made a batch; 1 for the step thread
  Summary batch = {};           // time of one batch in a worker, for batches that end in the steps
  Parts work_ns = {};           // sum over these batches; kHandOver is 0
  // Activity of the workers while the step waited for data, in the counted steps. Workers that make
  // batches at the same time share the moment. Sums exactly to the exposed data loading.
  Parts exposed_ns = {};
  // Busy share of the workers' time, in the counted steps and while the step waited. The time after
  // a worker's last batch is excluded, because what it made then never arrived.
  double busy_share = 0;
  double busy_share_waiting = 0;

  [[nodiscard]] std::int64_t exposed_total_ns() const;
  [[nodiscard]] LoaderPart largest_exposed() const;
};

[[nodiscard]] ValueOrReason<LoaderWork> find_loader_work(const Timeline& timeline,
                                                         const Steps& steps);

}  // namespace stepbench::traces
