// SPDX-License-Identifier: Apache-2.0
// The programs of workers on disk: path, build, catalogue and rules of each, and the Python
// interpreter for a user's files. Throws ConfigError.
#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "harness/catalogue/catalogue.h"
#include "harness/machine/environment.h"
#include "harness/plan/plan.h"

namespace stepbench::run {

struct WorkerProgram {
  std::filesystem::path path;
  // From the linker, or of the file's content (a script): equal ids measure the same code.
  std::string build_id;
  bool by_interpreter = false;  // a Python program, run by the case's interpreter
};

// `asked` is --worker; if empty, looks for the worker in `program_dir`. Throws ConfigError.
[[nodiscard]] WorkerProgram find_worker(const std::string& asked,
                                        const std::filesystem::path& program_dir);

// The GNU build id of an ELF file, else the digest of the file's content.
[[nodiscard]] std::string program_build_id(const std::filesystem::path& file);

inline constexpr double kAskSeconds = 60;  // limits.ask_s: importing torch from a cold disk

// limits.ask_s from --set, because the catalogue is needed before the file can be read.
[[nodiscard]] std::chrono::milliseconds ask_limit(std::span<const std::string> set);

// Returns the output of `WORKER describe`. That of an ELF program is cached in `cache_dir` (empty:
// no cache) by path, size, modification time and build id, so that a slow program runs only once; a
// script runs each time. Throws ConfigError naming the worker, also if it does not answer within
// `limit`; it is then killed.
[[nodiscard]] Catalogue describe_worker(const WorkerProgram& worker,
                                        const std::filesystem::path& cache_dir,
                                        std::chrono::milliseconds limit = ask_limit({}));

// Runs `WORKER check`: one line `facts`, then one `case` line per case on its stdin; one answer per
// case on its stdout. If the worker crashes on a case, that is an error of the case. The limit is
// limits.ask_s of the cases.
[[nodiscard]] plan::ForeignCheck check_by(const WorkerProgram& worker);

// Output of `WORKER data`; `request` is one line. Throws ConfigError with the worker's message.
[[nodiscard]] std::string data_shown_by(const WorkerProgram& worker, const ResolvedCase& resolved,
                                        const std::string& request);

// $XDG_CACHE_HOME/stepbench or ~/.cache/stepbench; empty if neither variable is set.
[[nodiscard]] std::filesystem::path cache_directory(const machine::Variables& variables);

// Worker of the workload python_script: a Python program next to this one that runs the user's
// script with the user's interpreter. Does not depend on the torch that this project is built with.

inline constexpr const char* kScriptWorkload = "python_script";

// Finds it in the build folder, an installation or a wheel, relative to this program's folder. Its
// build id covers all of its files. Throws ConfigError.
[[nodiscard]] WorkerProgram find_script_worker(const std::filesystem::path& program_dir);

// Returns whether a recorded worker's path is that of this program, in any location.
[[nodiscard]] bool is_script_worker(const std::filesystem::path& worker);

// Selects the Python interpreter for a user's files.

// Environment variable that names the interpreter; --interpreter sets it for the workers.
inline constexpr std::string_view kInterpreterVariable = "STEPBENCH_PYTHON";

// Path of an interpreter, given itself or the folder of an environment (venv, conda, uv).
[[nodiscard]] std::string interpreter_at(const std::string& path);

// Returns the interpreter that kInterpreterVariable names, else that of the active environment
// (venv, uv, conda), else python3 from PATH. Throws ConfigError with a remedy.
[[nodiscard]] std::string find_interpreter(const machine::Variables& environment);

}  // namespace stepbench::run
