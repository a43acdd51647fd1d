// SPDX-License-Identifier: Apache-2.0
// A worker program on disk: where it lies, which build it is, and what it answers when asked for
// its catalogue or its rules.
#pragma once

#include <filesystem>
#include <string>

#include "harness/catalogue/catalogue.h"
#include "harness/machine/devices.h"
#include "harness/plan/foreign_check.h"

namespace stepbench {

struct WorkerProgram {
  std::filesystem::path path;
  // The linker's, or of the file's content (a script): two equal ones measure the same code.
  std::string build_id;
};

// `asked` is --worker; when empty the worker is looked for beside the program in `program_dir`.
// Throws ConfigError.
[[nodiscard]] WorkerProgram find_worker(const std::string& asked,
                                        const std::filesystem::path& program_dir);

// The GNU build id of an ELF file, else the digest of the file's content.
[[nodiscard]] std::string program_build_id(const std::filesystem::path& file);

// What `WORKER describe` prints. Kept in `cache_dir` (empty: nowhere) by path, size, time of change
// and build id, so that a worker that takes seconds to start is asked once. Throws ConfigError
// naming the worker.
[[nodiscard]] Catalogue describe_worker(const WorkerProgram& worker,
                                        const std::filesystem::path& cache_dir);

// Asks `WORKER check`: one line `facts`, then one `case` line per case on its stdin; one answer per
// case on its stdout.
[[nodiscard]] ForeignCheck check_by(const WorkerProgram& worker);

// What `WORKER data` prints for the case; `request` is a line. Throws ConfigError with the worker's
// own words.
[[nodiscard]] std::string data_shown_by(const WorkerProgram& worker, const ResolvedCase& resolved,
                                        const std::string& request);

// $XDG_CACHE_HOME/stepbench or ~/.cache/stepbench; empty without either.
[[nodiscard]] std::filesystem::path cache_directory(const Variables& variables);

}  // namespace stepbench
