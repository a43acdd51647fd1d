// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/kernel_sequences.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

namespace stepbench::analyze {
namespace {

constexpr std::uint32_t kNoSequence = std::numeric_limits<std::uint32_t>::max();
constexpr int kDoublings = 3;  // up to eight kernels

// The kernels of all streams one behind the other, with a gap between streams.
class SequenceFinder {
 public:
  SequenceFinder(const Timeline& timeline, const Steps& steps) {
    std::vector<TimeSpan> windows;
    for (const std::size_t i : steps.counted()) windows.push_back(steps.steps[i].window);
    least_ = std::max<std::int64_t>(2, std::ssize(windows));
    std::vector<std::vector<const trace::TraceEvent*>> streams(timeline.trace->lanes.size());
    for (const WorkRow& row : timeline.work) {
      if (!is_kernel(row)) continue;
      if (window_at(windows, timeline.placed_by_ns(row)))
        streams[row.event->lane].push_back(row.event);
    }
    for (const auto& stream : streams) {
      kernels_.insert(kernels_.end(), stream.begin(), stream.end());
      if (!stream.empty()) kernels_.push_back(nullptr);
    }
  }

  std::vector<KernelSequence> find() {
    // ids[level][i]: which sequence of 2^level kernels begins at i.
    std::vector<std::vector<std::uint32_t>> ids(1);
    for (const trace::TraceEvent* kernel : kernels_) {
      ids[0].push_back(kernel == nullptr ? kNoSequence : kernel->name);
    }
    for (int level = 0; level < kDoublings; ++level) ids.push_back(doubled(ids.back(), level));
    taken_.resize(kernels_.size());
    for (int level = kDoublings; level > 0; --level) {
      take(ids[static_cast<std::size_t>(level)], std::size_t{1} << level);
    }
    std::stable_sort(out_.begin(), out_.end(),
                     [](const KernelSequence& a, const KernelSequence& b) {
                       return a.between_ns > b.between_ns;
                     });
    return std::move(out_);
  }

 private:
  // A sequence that comes too rarely has none.
  std::vector<std::uint32_t> doubled(const std::vector<std::uint32_t>& halves, int level) const {
    const std::size_t half = std::size_t{1} << level;
    std::vector<std::uint32_t> ids(halves.size(), kNoSequence);
    std::unordered_map<std::uint64_t, std::uint32_t> known;
    std::vector<std::int64_t> times;
    for (std::size_t i = 0; i + half < halves.size(); ++i) {
      if (halves[i] == kNoSequence || halves[i + half] == kNoSequence) continue;
      const std::uint64_t pair = (std::uint64_t{halves[i]} << 32U) | halves[i + half];
      const auto [at, is_new] = known.try_emplace(pair, static_cast<std::uint32_t>(times.size()));
      if (is_new) times.push_back(0);
      ids[i] = at->second;
      ++times[at->second];
    }
    for (std::uint32_t& id : ids) {
      if (id != kNoSequence && times[id] < least_) id = kNoSequence;
    }
    return ids;
  }

  // Where no kernel is part of another sequence yet.
  void take(const std::vector<std::uint32_t>& ids, std::size_t length) {
    std::unordered_map<std::uint32_t, std::vector<std::size_t>> places;
    for (std::size_t i = 0; i + length <= ids.size(); ++i) {
      if (ids[i] == kNoSequence || is_taken(i, length)) continue;
      std::vector<std::size_t>& of_id = places[ids[i]];
      if (of_id.empty() || of_id.back() + length <= i) of_id.push_back(i);
    }
    std::vector<std::pair<KernelSequence, std::vector<std::size_t>>> found;
    for (auto& [id, at] : places) {
      if (std::ssize(at) >= least_) found.emplace_back(sequence_of(at, length), std::move(at));
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
      if (a.first.between_ns != b.first.between_ns) return a.first.between_ns > b.first.between_ns;
      return a.second.front() < b.second.front();
    });
    for (auto& [sequence, at] : found) {
      std::erase_if(at, [&](std::size_t i) { return is_taken(i, length); });
      if (std::ssize(at) < least_) continue;
      for (const std::size_t i : at) {
        for (std::size_t k = 0; k < length; ++k) taken_[i + k] = true;
      }
      out_.push_back(sequence_of(at, length));
    }
  }

  [[nodiscard]] bool is_taken(std::size_t begin, std::size_t length) const {
    return std::any_of(taken_.begin() + std::ptrdiff_t(begin),
                       taken_.begin() + std::ptrdiff_t(begin + length),
                       [](bool each) { return each; });
  }

  [[nodiscard]] KernelSequence sequence_of(const std::vector<std::size_t>& at,
                                           std::size_t length) const {
    KernelSequence sequence{.times = std::ssize(at)};
    for (std::size_t k = 0; k < length; ++k) {
      sequence.names.push_back(kernels_[at.front() + k]->name);
    }
    for (const std::size_t i : at) {
      for (std::size_t k = 0; k < length; ++k) {
        sequence.kernel_ns += kernels_[i + k]->duration_ns();
        if (k == 0) continue;
        const std::int64_t gap_ns = kernels_[i + k]->start_ns - kernels_[i + k - 1]->end_ns;
        sequence.between_ns += std::max<std::int64_t>(0, gap_ns);
      }
    }
    return sequence;
  }

  std::vector<const trace::TraceEvent*> kernels_;
  std::int64_t least_ = 2;
  std::vector<bool> taken_;
  std::vector<KernelSequence> out_;
};

}  // namespace

ValueOrReason<std::vector<KernelSequence>> find_kernel_sequences(const Timeline& timeline,
                                                                 const Steps& steps) {
  if (timeline.work.empty()) {
    return ValueOrReason<std::vector<KernelSequence>>::absent("the trace has no device rows");
  }
  return SequenceFinder(timeline, steps).find();
}

}  // namespace stepbench::analyze
