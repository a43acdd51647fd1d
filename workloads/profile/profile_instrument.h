// SPDX-License-Identifier: Apache-2.0
// Operations of the active steps, by one engine; in profiled launches alone.
#pragma once

#include "harness/measure/instrument.h"

namespace stepbench {

class NativeProfileFactory final : public InstrumentFactory {
 public:
  [[nodiscard]] bool takes_part(Pass pass) const override;
  [[nodiscard]] std::unique_ptr<Instrument> make(const ResolvedCase& resolved,
                                                 WorkerContext& context) const override;
};

class KinetoProfileFactory final : public InstrumentFactory {
 public:
  [[nodiscard]] bool takes_part(Pass pass) const override;
  [[nodiscard]] std::unique_ptr<Instrument> make(const ResolvedCase& resolved,
                                                 WorkerContext& context) const override;
};

}  // namespace stepbench
