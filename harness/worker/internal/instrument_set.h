// SPDX-License-Identifier: Apache-2.0
// The instruments of one launch: called in list order, unwound in reverse. Main thread only.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "harness/measure/instrument.h"

namespace stepbench::worker {

class InstrumentSet {
 public:
  InstrumentSet() = default;
  explicit InstrumentSet(std::vector<std::unique_ptr<Instrument>> instruments);

  // Switches every instrument to `next`: in list order towards recording, in reverse towards kNone.
  // The same action again is ignored, except a recording action after kRecordAndSave: it begins the
  // next window for all. If one throws, the rest keep their action until unwind().
  void change(Action next);
  // Notifies all, in reverse, that a window's last step has returned.
  void window_ends();
  // Returns all to kNone in reverse, each from its current action. Swallows their exceptions, so
  // that it can run while another one propagates.
  void unwind() noexcept;
  // Instruments that receive steps and phases in the current action: none at kNone.
  [[nodiscard]] std::span<Instrument* const> listening() const;
  [[nodiscard]] std::span<Instrument* const> all() const { return order_; }
  [[nodiscard]] bool any_times_the_device() const;

 private:
  void change_one(std::size_t i, Action next);
  [[nodiscard]] bool begins_next_window(Action next) const;

  std::vector<std::unique_ptr<Instrument>> owned_;
  std::vector<Instrument*> order_;
  std::vector<Action> actions_;  // per instrument
  Action action_ = Action::kNone;
};

}  // namespace stepbench::worker
