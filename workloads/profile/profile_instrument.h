// SPDX-License-Identifier: Apache-2.0
// Operations of the active steps, by one engine; in profiled launches alone.
#pragma once

#include "harness/measure/instrument.h"

namespace stepbench::profile {

[[nodiscard]] InstrumentType native_profile_type();
[[nodiscard]] InstrumentType kineto_profile_type();

}  // namespace stepbench::profile
