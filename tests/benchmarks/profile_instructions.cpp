// SPDX-License-Identifier: Apache-2.0
// profile_instructions none|empty|native|shapes|kineto|kineto_shapes|kineto_full: 2,000 additions
// under one observer. profile_instructions.py counts their instructions.
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

#include "tests/benchmarks/profiled_step.h"
#include "workloads/profile/internal/native_collector.h"

using namespace stepbench;

int main(int argc, char** argv) {
  const std::string arm = argc > 1 ? argv[1] : "none";
  std::unique_ptr<EmptyObserver> empty;
  std::unique_ptr<profile::NativeCollector> native;
  std::unique_ptr<BareKineto> kineto;
  if (arm == "empty") empty = std::make_unique<EmptyObserver>();
  if (arm == "native" || arm == "shapes") {
    native = std::make_unique<profile::NativeCollector>(
        profile::OpCollectorOptions{.shapes = arm == "shapes", .memory = false, .modules = false});
    native->start();
  }
  if (arm.starts_with("kineto")) {
    const bool full = arm == "kineto_full";
    kineto = std::make_unique<BareKineto>(full || arm == "kineto_shapes", full, full);
    kineto->begin();
  }
  warm_small_tensors();
  if (native) native->begin_window(100);
  add_small_tensors(2000);
  std::fflush(stdout);
  ::_exit(0);  // the exit is not counted, and slow under an instrument
}
