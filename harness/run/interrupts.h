// SPDX-License-Identifier: Apache-2.0
// Delivers SIGINT, SIGTERM and SIGHUP through a descriptor that an event loop can wait for.
#pragma once

#include <signal.h>

#include <optional>

#include "harness/os/descriptor.h"

namespace stepbench::run {

// During its lifetime SIGINT, SIGTERM and SIGHUP arrive only here, and a broken pipe or an exceeded
// file size is an error code instead of a signal. A SIGHUP that was ignored before (nohup) stays
// ignored. At most one object at a time, created on the main thread before any other thread.
class Interrupts {
 public:
  Interrupts();
  Interrupts(const Interrupts&) = delete;  // signal dispositions belong to the whole process
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

  // Readable when a signal is pending.
  [[nodiscard]] int descriptor() const { return descriptor_.value(); }
  // Returns the pending signal; never blocks.
  [[nodiscard]] std::optional<int> take();
  // The first signal taken: the run must end.
  [[nodiscard]] std::optional<int> first() const { return first_; }

 private:
  os::Descriptor descriptor_;
  std::optional<int> first_;
  sigset_t old_mask_{};
  struct sigaction old_pipe_ {};
  struct sigaction old_file_size_ {};
};

}  // namespace stepbench::run
