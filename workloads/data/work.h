// SPDX-License-Identifier: Apache-2.0
// Work of a known size in place of real one: waiting, computing, and how much of it a draw asks
// for. Any thread.
#pragma once

#include "workloads/data/philox.h"

namespace stepbench::data {

// Waits. Wakes as late as the kernel wakes it: some 60 us.
void sleep_us(double us);
// Waits on the host's clock to some microseconds: the last of it computes.
void sleep_exactly_us(double us);
// Burns CPU time of this thread, so that more threads than cores slow each other down as real work
// does.
void spin_us(double us);

[[nodiscard]] double standard_normal(Philox& random);
// Mean 1, shape k: its coefficient of variation is 1 / sqrt(k).
[[nodiscard]] double unit_gamma(Philox& random, double k);

}  // namespace stepbench::data
