// SPDX-License-Identifier: Apache-2.0
// Activity of a loader's workers, and the part that the step waited for. Only for stepbench's own
// traces, in which each batch has rows. Pure; any thread.
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

}  // namespace stepbench::analyze
