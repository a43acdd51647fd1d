// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/instrument_set.h"

#include <algorithm>

namespace stepbench {

InstrumentSet::InstrumentSet(std::vector<std::unique_ptr<Instrument>> instruments)
    : owned_(std::move(instruments)) {
  for (const auto& instrument : owned_) order_.push_back(instrument.get());
}

void InstrumentSet::change(Action next) {
  if (next == action_) return;
  std::vector<Instrument*> order = order_;
  if (next < action_) std::reverse(order.begin(), order.end());
  std::size_t changed = 0;
  try {
    for (; changed < order.size(); ++changed) order[changed]->change(action_, next);
  } catch (...) {
    while (changed-- > 0) {
      try {
        order[changed]->change(next, action_);
      } catch (...) {  // the first exception is the one that explains
      }
    }
    throw;
  }
  action_ = next;
}

void InstrumentSet::unwind() noexcept {
  if (action_ == Action::kNone) return;
  for (auto i = order_.rbegin(); i != order_.rend(); ++i) {
    try {
      (*i)->change(action_, Action::kNone);
    } catch (...) {  // called while another exception is on its way
    }
  }
  action_ = Action::kNone;
}

std::span<Instrument* const> InstrumentSet::listening() const {
  if (action_ == Action::kNone) return {};
  return order_;
}

}  // namespace stepbench
