// SPDX-License-Identifier: Apache-2.0
// The instruments of one launch: driven in list order, unwound in reverse. Main thread only.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "harness/measure/instrument.h"

namespace stepbench::measure {

class InstrumentSet {
 public:
  InstrumentSet() = default;
  explicit InstrumentSet(std::vector<std::unique_ptr<Instrument>> instruments);

  // Takes every instrument to `next`: in list order while rising from kNone towards recording, in
  // reverse while falling. The same action again is no change, but for recording after
  // kRecordAndSave: that begins the next window, and all are told. When one throws, the rest stays
  // where it is until unwind().
  void change(Action next);
  // Tells all, in reverse, that a window's last step has returned.
  void window_ends();
  // Takes all back to kNone in reverse, each from where it is. For use while another exception is
  // on its way: those of instruments are swallowed.
  void unwind() noexcept;
  // Those that hear steps and phases at the present action: none at kNone.
  [[nodiscard]] std::span<Instrument* const> listening() const;
  [[nodiscard]] std::span<Instrument* const> all() const { return order_; }
  [[nodiscard]] bool any_times_the_device() const;

 private:
  void change_one(std::size_t i, Action next);
  [[nodiscard]] bool begins_next_window(Action next) const;

  std::vector<std::unique_ptr<Instrument>> owned_;
  std::vector<Instrument*> order_;
  std::vector<Action> actions_;  // of each
  Action action_ = Action::kNone;
};

}  // namespace stepbench::measure
