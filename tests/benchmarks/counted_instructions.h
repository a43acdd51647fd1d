// SPDX-License-Identifier: Apache-2.0
// Tells callgrind which instructions to count (valgrind --tool=callgrind --instr-atstart=no
// --collect-atstart=no). Without valgrind, or without its header, nothing happens. A library with
// C names, so that Python counts by the same calls.
#pragma once

extern "C" {
void stepbench_start_counting();
void stepbench_stop_counting();
void stepbench_toggle_counting();
}
