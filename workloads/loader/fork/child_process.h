// SPDX-License-Identifier: Apache-2.0
// One worker process: forked, watched by a pidfd, and reaped.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>

#include "harness/os/descriptor.h"

namespace stepbench::loader {

// A forked child that cannot outlive its parent. It starts with default signals. Its parent's
// sockets of AF_UNIX, pidfds and similar descriptors are closed except `keep`; files stay open,
// because a data set may read through them.
class ChildProcess {
 public:
  // Runs `body` in the child, which then exits with status 0. Call from the main thread: the child
  // is killed when the forking thread ends. Throws std::system_error.
  [[nodiscard]] static ChildProcess start(int keep, const std::function<void()>& body);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();  // kills it if it still runs, and reaps it

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] int descriptor() const { return descriptor_.value(); }  // readable once it ended
  // Describes the end of the child: "was killed by SIGSEGV", "exited with status 3". It must have
  // ended.
  [[nodiscard]] std::string ending() const;
  [[nodiscard]] bool ended_within(std::chrono::nanoseconds limit) const;

 private:
  ChildProcess(pid_t pid, os::Descriptor descriptor);
  pid_t pid_;
  os::Descriptor descriptor_;
};

}  // namespace stepbench::loader
