// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/internal/instrument_set.h"

#include <algorithm>

namespace stepbench::worker {

InstrumentSet::InstrumentSet(std::vector<std::unique_ptr<Instrument>> instruments)
    : owned_(std::move(instruments)), actions_(owned_.size(), Action::kNone) {
  for (const auto& instrument : owned_) order_.push_back(instrument.get());
}

void InstrumentSet::change_one(std::size_t i, Action next) {
  if (actions_[i] == next && !begins_next_window(next)) return;
  order_[i]->change(actions_[i], next);
  actions_[i] = next;
}

bool InstrumentSet::begins_next_window(Action next) const {
  return action_ == Action::kRecordAndSave && next >= Action::kRecord;
}

void InstrumentSet::change(Action next) {
  const bool next_window = begins_next_window(next);
  if (next == action_ && !next_window) return;
  if (next > action_ || next_window) {
    for (std::size_t i = 0; i < order_.size(); ++i) change_one(i, next);
  } else {
    for (std::size_t i = order_.size(); i-- > 0;) change_one(i, next);
  }
  action_ = next;
}

void InstrumentSet::window_ends() {
  for (std::size_t i = order_.size(); i-- > 0;) order_[i]->window_ends();
}

void InstrumentSet::unwind() noexcept {
  action_ = Action::kNone;
  for (std::size_t i = order_.size(); i-- > 0;) {
    try {
      change_one(i, Action::kNone);
    } catch (...) {  // NOLINT(bugprone-empty-catch): the exception on its way says what happened
    }
  }
}

bool InstrumentSet::any_times_the_device() const {
  return std::any_of(order_.begin(), order_.end(),
                     [](const Instrument* each) { return each->times_the_device(); });
}

std::span<Instrument* const> InstrumentSet::listening() const {
  if (action_ == Action::kNone) return {};
  return order_;
}

}  // namespace stepbench::worker
