// SPDX-License-Identifier: Apache-2.0
// The instruments that need CUDA, as rows of the table for worker_main. They are made after set-up:
// the loader has forked by then.
#pragma once

#include "harness/catalogue/catalogue.h"
#include "harness/measure/instrument.h"

namespace stepbench {

// For cases on a CUDA device: event_clock.h. Not in profiled launches, where its calls would stand
// among those of the step.
class EventClockFactory final : public InstrumentFactory {
 public:
  explicit EventClockFactory(const Catalogue& catalogue) : catalogue_(catalogue) {}
  [[nodiscard]] bool takes_part(Pass pass) const override;
  [[nodiscard]] std::unique_ptr<Instrument> make(const ResolvedCase& resolved,
                                                 WorkerContext& context) const override;

 private:
  const Catalogue& catalogue_;
};

// For cases with profile.nvtx or profile.capture_range: nvtx_ranges.h.
class NvtxFactory final : public InstrumentFactory {
 public:
  explicit NvtxFactory(const Catalogue& catalogue) : catalogue_(catalogue) {}
  [[nodiscard]] std::unique_ptr<Instrument> make(const ResolvedCase& resolved,
                                                 WorkerContext& context) const override;

 private:
  const Catalogue& catalogue_;
};

}  // namespace stepbench
