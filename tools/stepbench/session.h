// SPDX-License-Identifier: Apache-2.0
// What a command that measures or judges does around its work: old files must not be taken for what
// this call found.
#pragma once

#include <exception>
#include <string>

#include "harness/base/error.h"
#include "harness/os/output_file.h"
#include "tools/stepbench/export_files.h"

namespace stepbench::cli {

// Returns the exit status of `work`. Where that throws, `say_why` writes the files that `command`
// was to write, with the reason in them, before the error goes on; not where these files were
// refused.
template <typename Work, typename SayWhy>
int run_session(const std::string& command, const ExportFiles& files,
                const Environment& environment, const Work& work, const SayWhy& say_why) {
  check_export_files(files, environment);
  try {
    return work();
  } catch (const os::OutputRefused&) {
    throw;
  } catch (const std::exception& error) {
    say_why(failure_of(error, command));
    throw;
  }
}

}  // namespace stepbench::cli
