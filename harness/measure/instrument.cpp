// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/instrument.h"

namespace stepbench {

void Instrument::add_columns(Series&) {}
void Instrument::window_ends() {}
void Instrument::device_wait_begins() {}
void Instrument::device_wait_ends() {}

}  // namespace stepbench
