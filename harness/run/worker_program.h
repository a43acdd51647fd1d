// SPDX-License-Identifier: Apache-2.0
// A worker program on disk: where it lies, which build it is, and what it answers when asked for
// its catalogue or its rules.
#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string>

#include "harness/catalogue/catalogue.h"
#include "harness/machine/devices.h"
#include "harness/plan/foreign_check.h"

namespace stepbench::run {

struct WorkerProgram {
  std::filesystem::path path;
  // The linker's, or of the file's content (a script): two equal ones measure the same code.
  std::string build_id;
  bool by_interpreter = false;  // a Python program, which the interpreter of the case runs
};

// `asked` is --worker; when empty the worker is looked for beside the program in `program_dir`.
// Throws ConfigError.
[[nodiscard]] WorkerProgram find_worker(const std::string& asked,
                                        const std::filesystem::path& program_dir);

// The GNU build id of an ELF file, else the digest of the file's content.
[[nodiscard]] std::string program_build_id(const std::filesystem::path& file);

inline constexpr double kAskSeconds = 60;  // limits.ask_s: importing torch from a cold disk

// limits.ask_s of --set: the catalogue is asked for before the file can be read.
[[nodiscard]] std::chrono::milliseconds ask_limit(std::span<const std::string> set);

// What `WORKER describe` prints. That of an ELF program is kept in `cache_dir` (empty: nowhere) by
// path, size, time of change and build id, so that one that takes seconds to start is asked once; a
// script is asked each time. Throws ConfigError naming the worker, also when there is no answer
// within `limit`: it is killed then.
[[nodiscard]] Catalogue describe_worker(const WorkerProgram& worker,
                                        const std::filesystem::path& cache_dir,
                                        std::chrono::milliseconds limit = ask_limit({}));

// Asks `WORKER check`: one line `facts`, then one `case` line per case on its stdin; one answer per
// case on its stdout. A worker that dies of a case is an error of that case. The limit is
// limits.ask_s of the cases.
[[nodiscard]] plan::ForeignCheck check_by(const WorkerProgram& worker);

// What `WORKER data` prints for the case; `request` is a line. Throws ConfigError with the worker's
// own words.
[[nodiscard]] std::string data_shown_by(const WorkerProgram& worker, const ResolvedCase& resolved,
                                        const std::string& request);

// $XDG_CACHE_HOME/stepbench or ~/.cache/stepbench; empty without either.
[[nodiscard]] std::filesystem::path cache_directory(const machine::Variables& variables);

}  // namespace stepbench::run
