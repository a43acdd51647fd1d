// SPDX-License-Identifier: Apache-2.0
// Checks as a JUnit file, for the test reports of GitLab, Jenkins, GitHub and others. The elements
// are those that all of them read: tests/judges/junit.xsd. Pure; any thread.
#pragma once

#include <span>
#include <string>

#include "harness/report/checks.h"

namespace stepbench::report {

[[nodiscard]] std::string junit_xml(std::span<const CheckSuite> suites);

}  // namespace stepbench::report
