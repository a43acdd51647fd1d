// SPDX-License-Identifier: Apache-2.0
#include "workloads/profile/native_collector.h"

#include "workloads/profile/native_recorder.h"

namespace stepbench::profile {

NativeCollector::NativeCollector(const OpCollectorOptions& options, OpListener* listener, bool tsc)
    : recorder_(std::make_unique<NativeRecorder>(options, listener, tsc && has_invariant_tsc())) {}

NativeCollector::~NativeCollector() {
  recorder_->remove();
  // An op that is still open somewhere will write its end to its record: leak that memory.
  if (recorder_->has_open_ops()) (void)recorder_.release();
}

void NativeCollector::start() { recorder_->install(); }

void NativeCollector::begin_window(double reserve) {
  for (const auto& log : recorder_->threads()) {
    const auto times = [&](std::size_t size) {
      return static_cast<std::size_t>(static_cast<double>(size) * reserve);
    };
    log->ops.reserve(times(log->ops.size()));
    log->memory.reserve(times(log->memory.size()));
    log->shapes.reserve(times(log->shapes.size()));
  }
  // Not earlier: torch.profiler also ignores memory blocks from before its window.
  recorder_->watch_memory();
  recorder_->map.begin();
  recorder_->window_begin = now();
}

void NativeCollector::end_window() {
  recorder_->window_end = now();
  recorder_->map.end();
  recorder_->remove();
}

std::uint64_t NativeCollector::now() const { return ticks_of(recorder_->tsc); }

std::int64_t NativeCollector::ns_of(std::uint64_t stamp) const { return recorder_->map.ns(stamp); }

std::int64_t NativeCollector::unix_offset_ns() const {
  return unix_now_ns() - static_cast<std::int64_t>(monotonic_ns());
}

ops::OpLog NativeCollector::take() { return make_op_log(*recorder_); }

std::uint32_t NativeCollector::op_of(std::uint64_t id) const {
  const std::size_t thread = id >> 32U;
  const std::size_t ordinal = (id & 0xFFFFFFFFU) - 1;
  const auto& index = recorder_->op_of_ordinal;
  if (thread >= index.size() || ordinal >= index[thread].size()) return ops::kNoIndex;
  return index[thread][ordinal];
}

}  // namespace stepbench::profile
