// SPDX-License-Identifier: Apache-2.0
// A limit on the CPU time of this process, for work on untrusted files.
#pragma once

#include <functional>
#include <thread>

namespace stepbench::os {

// From construction to destruction: after `cpu_s` seconds of CPU time of this process calls `over`
// from its own thread and ends the process with `status`. CPU time does not depend on the load by
// other programs.
class CpuLimit {
 public:
  CpuLimit(double cpu_s, int status, std::function<void()> over);

 private:
  std::jthread watch_;
};

}  // namespace stepbench::os
