// SPDX-License-Identifier: Apache-2.0
// Exit codes of every program of this project. Libraries pass them on as values; only main() ends a
// process with them. Pure; any thread.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace stepbench {

inline constexpr int kExitOk = 0;
inline constexpr int kExitSomeFailed = 1;       // `run`: a launch failed
inline constexpr int kExitRegression = 1;       // verdict: confirmed regression
inline constexpr int kExitUsage = 2;            // usage, configuration or I/O error of the user
inline constexpr int kExitInconclusive = 3;     // verdict: inconclusive, or slower but unconfirmed
inline constexpr int kExitNothingMeasured = 4;  // no data, or an invalid environment
inline constexpr int kExitBug = 70;             // internal error; EX_SOFTWARE of sysexits.h

// Exit code of a process terminated by SIGINT or SIGTERM: 130 or 143.
[[nodiscard]] constexpr int exit_status_of_signal(int signal) { return 128 + signal; }

// An exception that ends a program.
struct Failure {
  int exit_status = kExitBug;
  std::string text;  // for standard error, without a final line end
};

// Maps an exception to an exit code and a message. User errors (Error, std::system_error, out of
// memory) give kExitUsage with the exception's own message. Interrupted gives the code of its
// signal. Anything else is an internal error: the message then also names the exception's type and
// the `command` in progress ("stepbench run"), and asks for a report.
[[nodiscard]] Failure failure_of(const std::exception& error, std::string_view command);

// For exceptions not derived from std::exception.
[[nodiscard]] Failure unknown_failure(std::string_view command);

}  // namespace stepbench
