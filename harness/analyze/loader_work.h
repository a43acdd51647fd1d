// SPDX-License-Identifier: Apache-2.0
// What a loader's workers did, and what of it the step waited for: of our own traces, in which each
// batch has its rows. Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "harness/analyze/steps.h"
#include "harness/analyze/summary.h"
#include "harness/analyze/value_or_reason.h"
#include "harness/base/enum_names.h"

namespace stepbench::analyze {

enum class LoaderPart : std::uint8_t {
  kFetch,
  kDecode,
  kCollate,
  kHandOver  // no worker was making a batch: it was on its way, or not begun
};
constexpr EnumNames<4> names_of(LoaderPart) { return {"fetch", "decode", "collate", "hand_over"}; }
inline constexpr std::size_t kLoaderPartCount = 4;

struct LoaderWork {
  using Parts = std::array<std::int64_t, kLoaderPartCount>;

  bool in_step_thread = false;  // without workers: it reads the batches itself
  std::int64_t workers = 0;     // that made a batch; 1 of the step thread
  Summary batch = {};           // time of one batch in a worker: of those that end in the steps
  Parts work_ns = {};           // sum of what these batches took; nothing is handed over
  // Of the counted steps: what was being done while the step waited for data. Where several workers
  // made batches at once, they share the moment. Sums to the exposed data loading exactly.
  Parts exposed_ns = {};
  // Of the workers' time, in the counted steps and while the step waited. Behind its last batch a
  // worker is not looked at: what it made then never arrived.
  double busy_share = 0;
  double busy_share_waiting = 0;

  [[nodiscard]] std::int64_t exposed_total_ns() const;
  [[nodiscard]] LoaderPart largest_exposed() const;
};

[[nodiscard]] ValueOrReason<LoaderWork> find_loader_work(const Timeline& timeline,
                                                         const Steps& steps);

}  // namespace stepbench::analyze
