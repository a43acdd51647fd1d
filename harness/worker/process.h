// SPDX-License-Identifier: Apache-2.0
// Sets up a process as a worker: its command line, its signals and descriptors, its build id. Linux
// only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace stepbench::worker {

// Ties the process to its parent's life, redirects standard input from /dev/null, resets signals to
// those of a fresh program, and keeps the control descriptor from programs that it starts.
void init_worker_process(int control_descriptor);

// Time since the kernel started the process, to 10 ms; 0 if unavailable.
[[nodiscard]] std::int64_t process_age_ns();

// The GNU build id of the running program in hex; without one, a digest of the program's file.
[[nodiscard]] std::string build_id();

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
