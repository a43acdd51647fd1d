// SPDX-License-Identifier: Apache-2.0
// Limits the time that a command spends on untrusted files.
#pragma once

#include <functional>
#include <thread>

namespace stepbench::cli {

// From construction to destruction: after `cpu_s` seconds of CPU time of this process calls `over`
// from its own thread and ends the process with the status of I/O errors. CPU time is independent
// of the load by other programs.
class TimeLimit {
 public:
  TimeLimit(double cpu_s, std::function<void()> over);

 private:
  std::jthread watch_;
};

}  // namespace stepbench::cli
