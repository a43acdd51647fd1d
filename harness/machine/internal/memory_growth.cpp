// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/internal/memory_growth.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace stepbench::machine {
namespace {

constexpr std::size_t kParts = 3;     // of a window
constexpr std::size_t kEachPart = 2;  // readings at least
// Several readings while a worker makes a batch, of a window of any length.
constexpr std::int64_t kShortestRestNs = 10'000'000;
constexpr std::int64_t kReadings = 256;  // while the window's length grows by itself
// Times as long as a reading took; no longer than that, since a busy machine interrupts a reading.
constexpr std::int64_t kReadingRest = 200;
constexpr std::int64_t kLongestRestNs = 250'000'000;
// From each part to the next, at least this part of the growth.
constexpr std::int64_t kShare = 4;

void take_lower(std::vector<std::int64_t>& lowest, const std::vector<std::int64_t>& bytes) {
  for (std::size_t i = 0; i < lowest.size(); ++i) lowest[i] = std::min(lowest[i], bytes[i]);
}

}  // namespace

void MemoryGrowth::add(std::int64_t now_ns, std::vector<std::int64_t> bytes, std::int64_t end_ns) {
  readings_.push_back({now_ns, std::move(bytes)});
  const std::int64_t dear_ns = std::min(kReadingRest * (end_ns - now_ns), kLongestRestNs);
  next_ns_ = now_ns + std::max({kShortestRestNs, (now_ns - begin_ns_) / kReadings, dear_ns});
}

std::optional<MemoryGrowth::Rise> MemoryGrowth::lasting(std::int64_t end_ns) const {
  std::array<std::vector<std::int64_t>, kParts> lowest;
  std::array<std::size_t, kParts> counts{};
  for (const Reading& reading : readings_) {
    const auto of_parts = static_cast<double>(reading.at_ns - begin_ns_) * kParts /
                          static_cast<double>(std::max<std::int64_t>(end_ns - begin_ns_, 1));
    const std::size_t part = std::min(static_cast<std::size_t>(of_parts), kParts - 1);
    if (counts[part]++ == 0) lowest[part] = reading.bytes;
    take_lower(lowest[part], reading.bytes);
  }
  if (*std::ranges::min_element(counts) < kEachPart) return std::nullopt;
  const auto bytes = [&](std::size_t part) {
    return std::accumulate(lowest[part].begin(), lowest[part].end(), std::int64_t{0});
  };
  const std::int64_t rise = bytes(kParts - 1) - bytes(0);
  if (rise <= 0) return Rise{};
  for (std::size_t part = 1; part < kParts; ++part) {
    if (kShare * (bytes(part) - bytes(part - 1)) < rise) return Rise{};
  }
  // The lowest readings of two parts are two thirds of a window apart.
  const auto over_window = [](std::int64_t between) {
    return between * static_cast<std::int64_t>(kParts) / static_cast<std::int64_t>(kParts - 1);
  };
  return Rise{.all = over_window(rise),
              .first = over_window(lowest.back().front() - lowest.front().front())};
}

}  // namespace stepbench::machine
