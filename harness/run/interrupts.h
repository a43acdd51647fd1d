// SPDX-License-Identifier: Apache-2.0
// SIGINT, SIGTERM and SIGHUP as a descriptor that a loop can wait for.
#pragma once

#include <signal.h>

#include <optional>

#include "harness/os/descriptor.h"

namespace stepbench::run {

// While it lives, SIGINT, SIGTERM and SIGHUP arrive here and nowhere else, and a broken pipe or a
// full disk is an error code instead of a signal. A SIGHUP that was ignored before (nohup) stays
// so. One object at a time, made on the main thread before any
// other thread.
class Interrupts {
 public:
  Interrupts();
  Interrupts(const Interrupts&) = delete;  // signal dispositions belong to the whole process
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

  // Readable when one is pending.
  [[nodiscard]] int descriptor() const { return descriptor_.value(); }
  // The signal; never blocks.
  [[nodiscard]] std::optional<int> take();
  // The first one taken: the run is to end.
  [[nodiscard]] std::optional<int> first() const { return first_; }

 private:
  os::Descriptor descriptor_;
  std::optional<int> first_;
  sigset_t old_mask_{};
  struct sigaction old_pipe_ {};
  struct sigaction old_file_size_ {};
};

}  // namespace stepbench::run
