// SPDX-License-Identifier: Apache-2.0
// Records device and CUDA API activity by CUPTI: kernels, copies, sets, calls, synchronisations,
// each with the operator that caused it; and sums it up per step. At most one collector per process
// may be collecting. Without CUPTI, a driver or permission, start() returns the reason and all
// other calls do nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/cuda/cuda_api.h"
#include "harness/cuda/internal/cupti_api.h"
#include "harness/ops/op_log.h"

namespace stepbench {
class ReportSink;
}  // namespace stepbench

namespace stepbench::cuda {

class ActivityCollector {
 public:
  ActivityCollector() = default;
  ActivityCollector(const ActivityCollector&) = delete;
  ActivityCollector& operator=(const ActivityCollector&) = delete;
  virtual ~ActivityCollector() = default;

  // Called before any step: takes the process's only CUPTI subscription, or returns why it cannot.
  // Main thread.
  [[nodiscard]] virtual std::optional<std::string> start() = 0;

  // Called around an operator or annotation, on the thread that runs it; any thread. Device work
  // launched in between carries the innermost id in DeviceActivity::external. Ids are above 0.
  virtual void push(std::uint64_t id) noexcept = 0;
  virtual void pop() noexcept = 0;

  // Main thread, outside windows: waits for the device and discards all records so far.
  virtual void discard() = 0;
  // Main thread, outside windows: waits for the device and appends the records since start() or
  // discard() to log.activities, in order of start_ns; adds the number of lost records to
  // log.dropped. Times are those of HostClock.
  virtual void collect(ops::OpLog& log) = 0;
  virtual void stop() = 0;  // releases the subscription; call collect() first

  // Why the records are incomplete, for people; nullopt if they are complete.
  [[nodiscard]] virtual std::optional<std::string> incomplete() const = 0;
};

// Uses the CUPTI that this process has already loaded. `device`: the CUDA ordinal that the process
// works on. Never null.
[[nodiscard]] std::unique_ptr<ActivityCollector> make_activity_collector(int device);

// The collector on injected interfaces, for tests.

struct CuptiCollectorOptions {
  int device = 0;  // CUDA ordinal
  std::size_t buffer_bytes = std::size_t{4} << 20;
  std::size_t most_bytes = std::size_t{2} << 30;  // for all buffers; drops records beyond
};

[[nodiscard]] std::unique_ptr<ActivityCollector> make_cupti_collector(
    CuptiApi cupti, CudaApi cuda, CuptiCollectorOptions options = {});

// The memory that CUPTI writes records into. CUPTI calls take() and give_back() on its own threads:
// they must not call CUDA.
class CuptiBuffers {
 public:
  struct Filled {
    std::uint8_t* data = nullptr;
    std::size_t size = 0;  // bytes of records
  };

  CuptiBuffers(std::size_t buffer_bytes, std::size_t most_bytes)
      : buffer_bytes_(buffer_bytes), most_(most_bytes / buffer_bytes) {}
  CuptiBuffers(const CuptiBuffers&) = delete;
  CuptiBuffers& operator=(const CuptiBuffers&) = delete;
  // Leaks buffers that CUPTI has not returned: it may still write to them, at the latest at process
  // exit.
  ~CuptiBuffers() {
    for (auto& buffer : all_) {
      const auto is_buffer = [&](const std::uint8_t* data) { return data == buffer.get(); };
      const bool returned = std::any_of(free_.begin(), free_.end(), is_buffer) ||
                            std::any_of(filled_.begin(), filled_.end(),
                                        [&](const Filled& each) { return is_buffer(each.data); });
      if (!returned) (void)buffer.release();
    }
  }

  [[nodiscard]] std::size_t buffer_bytes() const { return buffer_bytes_; }

  [[nodiscard]] std::uint8_t* take() {  // null: limit of memory for records reached
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      if (all_.size() >= most_) return nullptr;
      all_.push_back(std::make_unique<std::uint8_t[]>(buffer_bytes_));
      free_.push_back(all_.back().get());
    }
    std::uint8_t* buffer = free_.back();
    free_.pop_back();
    return buffer;
  }

  void give_back(std::uint8_t* data, std::size_t size, std::size_t dropped) {
    const std::lock_guard lock(mutex_);
    filled_.push_back({data, size});
    dropped_ += dropped;
  }

  [[nodiscard]] std::vector<Filled> take_filled() {
    const std::lock_guard lock(mutex_);
    return std::exchange(filled_, {});
  }
  void recycle(const std::vector<Filled>& read) {
    const std::lock_guard lock(mutex_);
    for (const Filled& each : read) free_.push_back(each.data);
  }
  [[nodiscard]] std::size_t take_dropped() {
    const std::lock_guard lock(mutex_);
    return std::exchange(dropped_, 0);
  }
  [[nodiscard]] std::size_t count() const {
    const std::lock_guard lock(mutex_);
    return all_.size();
  }

 private:
  std::size_t buffer_bytes_;
  std::size_t most_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<std::uint8_t[]>> all_;
  std::vector<std::uint8_t*> free_;
  std::vector<Filled> filled_;
  std::size_t dropped_ = 0;
};

// Summary of the activity per step in the recorded steps of a log.

// Sums over all steps of the log; divide by `steps`.
struct ActivitySummary {
  std::int64_t steps = 0;
  // From the first step's start to the last one's end, or to the end of the work that it launched.
  std::int64_t span_ns = 0;
  std::int64_t busy_ns = 0;  // part of span_ns with work on any stream of the device
  std::int64_t kernels = 0;
  std::int64_t launches = 0;  // calls that start kernels or graphs
  std::int64_t copies = 0;
  std::optional<std::int64_t> copied_bytes = 0;  // nullopt: the collector does not record it
  std::int64_t pageable_copies = 0;  // between host and device, from or to pageable memory
  // Waits of the host for an event, stream or context. nullopt: the host made blocking calls, but
  // the collector recorded no waits.
  std::optional<std::int64_t> synchronisations = 0;
  std::int64_t synchronisation_ns = 0;
};

// Covers calls and waits between the first and the last step mark, and the device work that these
// calls started; everything if there are no marks. Work without a known call counts by its start
// time.
[[nodiscard]] ActivitySummary summarise_activities(const ops::OpLog& log);

// Reports device_busy_ns, device_idle_ns, kernels, launches, copies, copied_bytes, pageable_copies,
// synchronisations, synchronisation_ns, each per step. Reports nothing if no device work was
// recorded.
void report(const ActivitySummary& summary, ReportSink& sink);

}  // namespace stepbench::cuda
