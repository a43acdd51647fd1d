// SPDX-License-Identifier: Apache-2.0
// data.on_error: skip. Reads the next readable sample in place of an unreadable one.
#pragma once

#include <algorithm>
#include <string>

#include "harness/base/error.h"
#include "workloads/data/dataset.h"

namespace stepbench::data {

inline constexpr std::int64_t kMaxSkipsInARow = 100;

// Calls read_one(key); if it throws Error, reads the next readable sample of the set instead and
// counts the skip.
template <typename ReadOne>
void read_skipping(const SampleKey& key, std::int64_t size, ReadCost& cost, ReadOne&& read_one) {
  const std::int64_t tries = std::min(size, kMaxSkipsInARow);
  std::string first_error;
  for (std::int64_t i = 0; i < tries; ++i) {
    SampleKey next = key;
    next.index = (key.index + i) % size;
    try {
      return read_one(next);
    } catch (const Error& error) {
      if (i > 0) continue;
      ++cost.skipped;
      first_error = error.what();
    }
  }
  throw Error("data.on_error: skip found " + std::to_string(tries) +
              " unreadable samples in a row; the first: " + first_error);
}

}  // namespace stepbench::data
