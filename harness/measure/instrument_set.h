// SPDX-License-Identifier: Apache-2.0
// The instruments of one launch: driven in list order, unwound in reverse. Main thread only.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "harness/measure/instrument.h"

namespace stepbench {

class InstrumentSet {
 public:
  InstrumentSet() = default;
  explicit InstrumentSet(std::vector<std::unique_ptr<Instrument>> instruments);

  // Takes every instrument from the present action to `next`: in list order while rising from kNone
  // towards recording, in reverse while falling. When one throws, those already changed go back in
  // reverse and the exception passes on.
  void change(Action next);
  // Takes all back to kNone; for unwinding, keeps exceptions to itself.
  void unwind() noexcept;
  // Those that hear steps and phases at the present action: none while it is kNone.
  [[nodiscard]] std::span<Instrument* const> listening() const;
  [[nodiscard]] std::span<Instrument* const> all() const { return order_; }

 private:
  std::vector<std::unique_ptr<Instrument>> owned_;
  std::vector<Instrument*> order_;
  Action action_ = Action::kNone;
};

}  // namespace stepbench
