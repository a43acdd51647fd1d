// SPDX-License-Identifier: Apache-2.0
// killed_at STOP COMMAND...: kills the command at that entry or exit of a system call; -1: never.
// Prints the number of stops and the exit status if the command ended by itself, else -1.
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>

#include "tests/storm/traced.h"

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const stepbench::storm::Traced traced =
      stepbench::storm::run_traced({argv + 2, argv + argc}, std::atoi(argv[1]));
  const int status =
      WIFEXITED(traced.status) ? WEXITSTATUS(traced.status) : 128 + WTERMSIG(traced.status);
  std::printf("%d %d\n", traced.calls, traced.ended_by_itself ? status : -1);
  return 0;
}
