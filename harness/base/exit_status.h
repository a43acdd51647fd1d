// SPDX-License-Identifier: Apache-2.0
// What every program of this project returns to the shell. Libraries hand it on as a value; only
// main() ends a process with it. Pure; any thread.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace stepbench {

inline constexpr int kExitOk = 0;
inline constexpr int kExitSomeFailed = 1;       // `run`: a launch failed
inline constexpr int kExitRegression = 1;       // a verdict: confirmed
inline constexpr int kExitUsage = 2;            // wrong usage or configuration, or I/O: the user's
inline constexpr int kExitInconclusive = 3;     // a verdict: inconclusive, or a slower suspect
inline constexpr int kExitNothingMeasured = 4;  // no data, or an invalid environment
inline constexpr int kExitBug = 70;             // ours; EX_SOFTWARE of sysexits.h

// Of a process that SIGINT or SIGTERM told to end: 130 or 143.
[[nodiscard]] constexpr int exit_status_of_signal(int signal) { return 128 + signal; }

// An exception that ends a program.
struct Failure {
  int exit_status = kExitBug;
  std::string text;  // for standard error, without a final line end
};

// What the user can mend is kExitUsage with the exception's own words: Error, what the operating
// system refuses (std::system_error, files among them), and too little memory. Interrupted ends
// with the status of its signal. All else is a bug of ours: the text then also names the
// exception's type and the `command` in progress ("stepbench run"), and asks for a report.
[[nodiscard]] Failure failure_of(const std::exception& error, std::string_view command);

// Of an exception that is no std::exception.
[[nodiscard]] Failure unknown_failure(std::string_view command);

}  // namespace stepbench
