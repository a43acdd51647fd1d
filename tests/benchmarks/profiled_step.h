// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

namespace stepbench {

// A step bound by launching its many small operations: 20 x Linear(32, 32), batch 8, forward,
// backward and SGD, on one thread.
class LaunchBoundStep {
 public:
  LaunchBoundStep();
  ~LaunchBoundStep();
  void run();

 private:
  struct Tensors;
  std::unique_ptr<Tensors> tensors_;
};

// While alive, every operation calls an observer that does nothing.
class EmptyObserver {
 public:
  EmptyObserver();
  EmptyObserver(const EmptyObserver&) = delete;
  EmptyObserver& operator=(const EmptyObserver&) = delete;
  ~EmptyObserver();

 private:
  std::uint64_t handle_;
};

// libtorch's profiler with all options, as Python users run it, without reading its events.
class BareKineto {
 public:
  BareKineto(bool shapes, bool memory, bool flops);
  BareKineto(const BareKineto&) = delete;
  BareKineto& operator=(const BareKineto&) = delete;
  ~BareKineto();
  void begin();
  void end();  // disableProfiler

 private:
  struct State;
  std::unique_ptr<State> state_;
};

void add_small_tensors(std::int64_t times);  // aten::add of 4 floats
void warm_small_tensors();                   // the same, a few times
[[nodiscard]] bool observers_installed();

}  // namespace stepbench
