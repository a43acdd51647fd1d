// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/mark_index.h"

#include <algorithm>

namespace stepbench {

void MarkIndex::Lane::sort() {
  std::stable_sort(marks_.begin(), marks_.end(),
                   [](const StepMark& a, const StepMark& b) { return a.start_ns < b.start_ns; });
}

const StepMark* MarkIndex::Lane::at(std::int64_t time_ns) {
  if (next_ > 0 && marks_[next_ - 1].start_ns > time_ns) {  // back in time: another thread
    next_ = static_cast<std::size_t>(std::upper_bound(marks_.begin(), marks_.end(), time_ns,
                                                      [](std::int64_t time, const StepMark& mark) {
                                                        return time < mark.start_ns;
                                                      }) -
                                     marks_.begin());
  }
  while (next_ < marks_.size() && marks_[next_].start_ns <= time_ns) ++next_;
  if (next_ == 0) return nullptr;
  const StepMark& mark = marks_[next_ - 1];
  return time_ns < mark.end_ns ? &mark : nullptr;
}

MarkIndex::MarkIndex(const std::vector<StepMark>& marks) {
  for (const StepMark& mark : marks) (mark.phase == kNoIndex ? steps_ : phases_).add(mark);
  steps_.sort();
  phases_.sort();
}

MarkIndex::Place MarkIndex::at(std::int64_t time_ns) {
  Place place;
  if (const StepMark* step = steps_.at(time_ns)) place.step = step->index;
  if (const StepMark* phase = phases_.at(time_ns)) place.phase = phase->phase;
  return place;
}

}  // namespace stepbench
