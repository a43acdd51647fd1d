// SPDX-License-Identifier: Apache-2.0
// Selects the instructions that callgrind counts (valgrind --tool=callgrind --instr-atstart=no
// --collect-atstart=no). Does nothing without valgrind or without its header. A library with C
// names, so that Python uses the same calls.
#pragma once

extern "C" {
void stepbench_start_counting();
void stepbench_stop_counting();
void stepbench_toggle_counting();
}
