// SPDX-License-Identifier: Apache-2.0
// Checks as the workflow commands of GitHub, Gitea and Forgejo: lines on standard output that a job
// shows beside the changed files. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "harness/report/checks.h"

namespace stepbench::report {

// GitHub shows so many errors and so many warnings of one step.
inline constexpr std::size_t kMaxAnnotations = 10;

// An error for each check that failed or has no answer, a warning for each that was skipped, and a
// last notice with the numbers of them.
[[nodiscard]] std::string github_annotations(std::span<const CheckSuite> suites);

}  // namespace stepbench::report
