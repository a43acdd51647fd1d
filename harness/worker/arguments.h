// SPDX-License-Identifier: Apache-2.0
// A worker program's command line. Pure; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace stepbench::worker {

struct WorkerArguments {
  enum class Mode : std::uint8_t { kHelp, kControlled, kCaseFile, kDescribe, kCheck, kData };
  Mode mode = Mode::kHelp;
  int control_descriptor = -1;           // kControlled
  std::filesystem::path case_file = {};  // kCaseFile
};

// Throws ConfigError naming the argument. Without arguments: kHelp.
[[nodiscard]] WorkerArguments parse_worker_arguments(std::span<const char* const> arguments);

extern const std::string_view kWorkerHelp;

}  // namespace stepbench::worker
