// SPDX-License-Identifier: Apache-2.0
// The most time that a command may take over files of others, whatever they hold.
#pragma once

#include <functional>
#include <thread>

namespace stepbench::cli {

// From now until its end: after `cpu_s` seconds of CPU time of this process it calls `over` from a
// thread of its own and ends the process with the status of I/O errors. What others write to the
// disk or leave of the cores does not count.
class TimeLimit {
 public:
  TimeLimit(double cpu_s, std::function<void()> over);

 private:
  std::jthread watch_;
};

}  // namespace stepbench::cli
