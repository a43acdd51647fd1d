// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/storage_shape.h"

#include <sys/mman.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <new>

#include "harness/base/error.h"
#include "workloads/data/philox.h"
#include "workloads/data/work.h"

namespace stepbench::data {
namespace {

constexpr std::uint32_t kLatencyDraws = 21;  // sequence of the generator

std::int64_t as_ns(StorageShape::Time time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

// The steady clock is CLOCK_MONOTONIC.
void sleep_until(std::int64_t ns) {
  ::prctl(PR_SET_TIMERSLACK, 1UL);  // 50 us otherwise, which is half a read of fast storage
  const timespec end{.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr) != 0) {
  }
}

Requires with_latency() {
  return {.option = "data.storage_latency_us",
          .op = Requires::Op::kGreater,
          .value = std::int64_t{0},
          .doc = "needs a latency (storage_latency_us > 0)"};
}

}  // namespace

StorageShape::StorageShape(const StorageShapeOptions& options) : options_(options) {
  constexpr std::size_t kBytes = sizeof(std::atomic<std::int64_t>);
  void* const memory =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw Error("data.storage_*: no memory to share among readers");
  free_ns_ = {new (memory) std::atomic<std::int64_t>(0),
              [](std::atomic<std::int64_t>* shared) { ::munmap(shared, kBytes); }};
}

double StorageShape::latency_us(std::uint64_t which) const {
  if (options_.cv <= 0) return options_.latency_us;
  Philox random(options_.seed, which, kLatencyDraws);
  return options_.latency_us * unit_gamma(random, 1 / (options_.cv * options_.cv));
}

StorageShape::Time StorageShape::due(Time began, std::uint64_t bytes,
                                     std::optional<std::uint64_t> which) const {
  std::int64_t passed = as_ns(began);
  if (options_.bandwidth_bytes_us > 0) {
    const auto takes = std::llround(1e3 * static_cast<double>(bytes) / options_.bandwidth_bytes_us);
    std::int64_t link_free = free_ns_->load(std::memory_order_relaxed);
    do {
      passed = std::max(as_ns(began), link_free) + takes;
    } while (!free_ns_->compare_exchange_weak(link_free, passed, std::memory_order_relaxed));
  }
  return Time(
      std::chrono::nanoseconds(passed + (which ? std::llround(1e3 * latency_us(*which)) : 0)));
}

void StorageShape::wait(Time began, std::uint64_t bytes, std::optional<std::uint64_t> which) const {
  const Time there = due(began, bytes, which);
  if (there > std::chrono::steady_clock::now()) sleep_until(as_ns(there));
}

std::vector<Option> storage_options() {
  return {
      {.name = "storage_latency_us",
       .type = OptionType::kNumber,
       .doc = "What if the files lay elsewhere? Each read takes at least so long until its first "
              "byte: 100 for an NVMe drive, 500 to 2,000 for NFS, 20,000 and more for an object "
              "store. A sample's file is one read, so is a record of a mapped file; a shard of "
              "webdataset has one latency, since it is read ahead.",
       .unit = "us",
       .default_value = 0.0,
       .min = 0,
       .max = 60e6,
       .identity_default = 0.0},
      {.name = "storage_bandwidth_mb_s",
       .type = OptionType::kNumber,
       .doc = "Megabytes (10^6) per second that all workers share. 0: no limit.",
       .unit = "MB/s",
       .default_value = 0.0,
       .min = 0,
       .max = 1e9,
       .identity_default = 0.0},
      {.name = "storage_cv",
       .type = OptionType::kNumber,
       .doc = "Standard deviation of the latency divided by its mean; a gamma distribution, drawn "
              "from (seed, sample), so it repeats exactly.",
       .default_value = 0.0,
       .min = 0,
       .max = 10,
       .identity_default = 0.0,
       .requires_ = with_latency()},
  };
}

std::shared_ptr<const StorageShape> storage_shape(const ResolvedCase& resolved) {
  const StorageShapeOptions options{
      .latency_us = resolved.number_or("data.storage_latency_us", 0),
      .bandwidth_bytes_us = resolved.number_or("data.storage_bandwidth_mb_s", 0),
      .cv = resolved.number_or("data.storage_cv", 0),
      .seed = static_cast<std::uint64_t>(resolved.integer_or("seed", 0))};
  if (options.latency_us <= 0 && options.bandwidth_bytes_us <= 0) return nullptr;
  return std::make_shared<StorageShape>(options);
}

}  // namespace stepbench::data
