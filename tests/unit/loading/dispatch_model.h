// SPDX-License-Identifier: Apache-2.0
// When the consumer gets each batch, by arithmetic: a model of every engine's dispatch that shares
// no line with the loaders. Times in nanoseconds from the first epoch's begin.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <vector>

#include "workloads/data/philox.h"

namespace stepbench::test {

using CostOfBatch = std::function<std::int64_t(std::int64_t)>;  // of the batch with this number

inline constexpr std::int64_t kCost = 24'000'000;  // a multiple of every number of workers

inline CostOfBatch constant_cost() {
  return [](std::int64_t) { return kCost; };
}

// Log-normal: most batches near kCost, some several times that.
inline CostOfBatch random_cost(std::uint64_t seed, double sigma) {
  return [seed, sigma](std::int64_t batch) {
    data::Philox random(seed, static_cast<std::uint64_t>(batch));
    const double radius = std::sqrt(-2 * std::log1p(-random.uniform()));
    const double normal = radius * std::cos(6.283185307179586 * random.uniform());
    return std::llround(static_cast<double>(kCost) * std::exp(sigma * normal));
  };
}

struct Dispatch {
  std::int64_t workers = 1;
  std::int64_t prefetch_factor = 2;
  std::int64_t consumer_ns = 0;  // between getting a batch and asking for the next
  std::int64_t epoch = 0;        // batches of a separate epoch; 0: joined
  CostOfBatch cost_ns;
};

// Calls `some` with the first batch, the batches and the begin of each epoch; it returns when the
// consumer gets each.
template <typename OneEpoch>
std::vector<std::int64_t> epoch_by_epoch(const Dispatch& d, std::int64_t batches,
                                         const OneEpoch& one_epoch) {
  std::vector<std::int64_t> got;
  std::int64_t begin_ns = 0;
  while (std::ssize(got) < batches) {
    const std::int64_t count = d.epoch > 0 ? d.epoch : batches;
    for (const std::int64_t ns : one_epoch(std::ssize(got), count, begin_ns)) got.push_back(ns);
    begin_ns = got.back() + d.consumer_ns;
  }
  got.resize(static_cast<std::size_t>(batches));
  return got;
}

inline std::vector<std::int64_t> inline_times(const Dispatch& d, std::int64_t batches) {
  std::vector<std::int64_t> got;
  std::int64_t now = 0;
  for (std::int64_t i = 0; i < batches; ++i) {
    got.push_back(now += d.cost_ns(i));
    now += d.consumer_ns;
  }
  return got;
}

// Each worker has a queue of its own and they take turns (thread and fork, in order).
inline std::vector<std::int64_t> turn_times(const Dispatch& d, std::int64_t batches) {
  return epoch_by_epoch(
      d, batches, [&d](std::int64_t first, std::int64_t count, std::int64_t begin) {
        const std::int64_t ahead = d.workers * d.prefetch_factor;
        std::vector<std::int64_t> made, got;
        const auto at = [](const std::vector<std::int64_t>& times, std::int64_t i) {
          return times[static_cast<std::size_t>(i)];
        };
        for (std::int64_t i = 0; i < count; ++i) {
          const std::int64_t sent = i < ahead ? begin : at(got, i - ahead);
          const std::int64_t free = i < d.workers ? begin : at(made, i - d.workers);
          made.push_back(std::max(sent, free) + d.cost_ns(first + i));
          const std::int64_t asked = i == 0 ? begin : got.back() + d.consumer_ns;
          got.push_back(std::max(asked, made.back()));
        }
        return got;
      });
}

// All workers share one queue (torch_cpp).
inline std::vector<std::int64_t> shared_queue_times(const Dispatch& d, std::int64_t batches) {
  return epoch_by_epoch(
      d, batches, [&d](std::int64_t first, std::int64_t count, std::int64_t begin) {
        const std::int64_t ahead = d.workers * d.prefetch_factor;
        std::vector<std::int64_t> got;
        std::vector<std::int64_t> free(static_cast<std::size_t>(d.workers), begin);
        for (std::int64_t i = 0; i < count; ++i) {
          const std::int64_t sent = i < ahead ? begin : got[static_cast<std::size_t>(i - ahead)];
          auto worker = std::ranges::min_element(free);
          *worker = std::max(sent, *worker) + d.cost_ns(first + i);
          const std::int64_t asked = i == 0 ? begin : got.back() + d.consumer_ns;
          got.push_back(std::max(asked, *worker));
        }
        return got;
      });
}

// Out of order a batch goes to the worker that made the one just taken: each has prefetch_factor of
// them on its way at all times, and the consumer takes what was finished first.
inline std::vector<std::int64_t> first_finished_times(const Dispatch& d, std::int64_t batches) {
  struct Made {
    std::int64_t ns = 0;
    std::size_t worker = 0;
  };
  std::vector<Made> waiting;
  std::vector<std::int64_t> free(static_cast<std::size_t>(d.workers), 0);
  std::int64_t number = 0;
  const auto send = [&](std::size_t worker, std::int64_t now) {
    free[worker] = std::max(free[worker], now) + d.cost_ns(number++);
    waiting.push_back({free[worker], worker});
  };
  for (std::int64_t i = 0; i < d.prefetch_factor; ++i) {
    for (std::size_t worker = 0; worker < free.size(); ++worker) send(worker, 0);
  }
  std::vector<std::int64_t> got;
  for (std::int64_t asked = 0; std::ssize(got) < batches; asked = got.back() + d.consumer_ns) {
    const auto next = std::ranges::min_element(waiting, {}, &Made::ns);
    const Made taken = *next;
    waiting.erase(next);
    got.push_back(std::max(asked, taken.ns));
    send(taken.worker, got.back());
  }
  return got;
}

}  // namespace stepbench::test
