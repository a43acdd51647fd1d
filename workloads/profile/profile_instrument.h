// SPDX-License-Identifier: Apache-2.0
// Records operations of the active steps with one engine; in profiled launches only.
#pragma once

#include "harness/measure/instrument.h"

namespace stepbench::profile {

[[nodiscard]] InstrumentType native_profile_type();
[[nodiscard]] InstrumentType kineto_profile_type();

}  // namespace stepbench::profile
