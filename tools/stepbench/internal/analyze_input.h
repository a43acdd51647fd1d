// SPDX-License-Identifier: Apache-2.0
// Reads traces, with a limit on the CPU time of their analysis, since files are untrusted.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "harness/traces/trace.h"
#include "tools/stepbench/command.h"

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

inline constexpr double kTimeLimitS = 600;  // per trace

// Starts the time limit for this number of traces; it ends with the returned object.
[[nodiscard]] TimeLimit limit_of(double of_each_s, std::size_t traces,
                                 const Environment& environment);

// Calls `use` with each trace. One that cannot be read, if it is one of several, is reported on the
// terminal and skipped: false.
bool read_each(const std::vector<std::filesystem::path>& paths, const Environment& environment,
               const std::function<void(const std::filesystem::path& path,
                                        std::unique_ptr<traces::Trace> trace)>& use);

}  // namespace stepbench::cli
