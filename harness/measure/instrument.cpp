// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/instrument.h"

namespace stepbench {

void Instrument::add_columns(Series&) {}
void Instrument::window_ends() {}

}  // namespace stepbench
