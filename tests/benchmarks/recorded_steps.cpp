// SPDX-License-Identifier: Apache-2.0
// Records the given number of steps, for counting instructions: recorded_steps N.
#include <charconv>
#include <cstring>

#include "tests/benchmarks/recorded_step.h"

int main(int argc, char** argv) {
  int steps = 0;
  if (argc == 2) std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), steps);
  stepbench::RecordedStep step(50);
  for (int i = 0; i < steps; ++i) step.run();
  return steps > 0 ? 0 : 2;
}
