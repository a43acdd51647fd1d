// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/nsight_kernel.h"

#include <algorithm>
#include <limits>

#include "harness/trace/nsight_database.h"

namespace stepbench::trace {
namespace {

using nsight::small_of;

// Products within CUDA's limits do not overflow; values of a damaged file may.
bool is_sane(const ops::DeviceActivity& shape) {
  constexpr double kMaxBlocks = 1e11;
  constexpr double kMaxThreads = 1 << 16;
  constexpr std::int32_t kMaxRegisters = 1 << 16;
  double blocks = 1;
  double threads = 1;
  for (const std::int32_t extent : shape.grid) blocks *= std::max(extent, 1);
  for (const std::int32_t extent : shape.block) threads *= std::max(extent, 1);
  return blocks < kMaxBlocks && threads <= kMaxThreads &&
         shape.registers_per_thread <= kMaxRegisters;
}

}  // namespace

KernelDetail nsight_kernel(const ForeignDatabase::Row& row, const Trace& trace) {
  ops::DeviceActivity shape;
  for (std::size_t i = 0; i < 3; ++i) {
    shape.grid[i] = small_of(row, 8 + i, 0);
    shape.block[i] = small_of(row, 11 + i, 0);
  }
  KernelDetail detail;
  std::copy(std::begin(shape.grid), std::end(shape.grid), std::begin(detail.grid));
  std::copy(std::begin(shape.block), std::end(shape.block), std::begin(detail.block));
  detail.registers_per_thread = small_of(row, 14, -1);
  const std::int64_t shared =
      std::int64_t{small_of(row, 15, 0)} + std::int64_t{small_of(row, 16, 0)};
  detail.shared_memory_bytes = static_cast<std::int32_t>(
      std::min<std::int64_t>(shared, std::numeric_limits<std::int32_t>::max()));
  detail.context = small_of(row, 17, -1);
  detail.graph_node = row.integer_or(18, -1);
  shape.registers_per_thread = std::max(detail.registers_per_thread, 0);
  const ops::TraceDevice* const device = trace.device(small_of(row, 2, 0));
  if (device == nullptr || !is_sane(shape)) return detail;
  constexpr double kHundredth = 100;
  if (device->multiprocessors > 0) {
    detail.blocks_per_sm =
        static_cast<double>(ops::blocks_per_sm_hundredths(shape, *device)) / kHundredth;
    detail.warps_per_sm =
        static_cast<double>(ops::warps_per_sm_hundredths(shape, *device)) / kHundredth;
  }
  const std::int64_t occupancy = ops::occupancy_percent(shape, *device);
  if (occupancy > 0) detail.occupancy_percent = static_cast<double>(occupancy);
  return detail;
}

}  // namespace stepbench::trace
