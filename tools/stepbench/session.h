// SPDX-License-Identifier: Apache-2.0
// Frame of commands that measure or judge: replaces old output files, which could be mistaken for
// results of this call.
#pragma once

#include <exception>
#include <string>

#include "harness/base/error.h"
#include "harness/os/output_file.h"
#include "tools/stepbench/export_files.h"

namespace stepbench::cli {

// Returns the exit status of `work`. If it throws, `report_failure` writes the reason to the output
// files of `command` before the error is rethrown, unless these files were refused.
template <typename Work, typename ReportFailure>
int run_session(const std::string& command, const ExportFiles& files,
                const Environment& environment, const Work& work,
                const ReportFailure& report_failure) {
  check_export_files(files, environment);
  try {
    return work();
  } catch (const os::OutputRefused&) {
    throw;
  } catch (const std::exception& error) {
    report_failure(failure_of(error, command));
    throw;
  }
}

}  // namespace stepbench::cli
