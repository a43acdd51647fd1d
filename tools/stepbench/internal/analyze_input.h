// SPDX-License-Identifier: Apache-2.0
// Reads traces, with a limit on the CPU time of their analysis, since files are untrusted.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "harness/os/cpu_limit.h"
#include "harness/traces/trace.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

inline constexpr double kTimeLimitS = 600;  // per trace

// Starts the time limit for this number of traces; it ends with the returned object.
[[nodiscard]] os::CpuLimit limit_of(double of_each_s, std::size_t traces,
                                    const Environment& environment);

// Calls `use` with each trace. One that cannot be read, if it is one of several, is reported on the
// terminal and skipped: false.
bool read_each(const std::vector<std::filesystem::path>& paths, const Environment& environment,
               const std::function<void(const std::filesystem::path& path,
                                        std::unique_ptr<traces::Trace> trace)>& use);

}  // namespace stepbench::cli
