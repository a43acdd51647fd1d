// SPDX-License-Identifier: Apache-2.0
// What is said of two machines by their controls. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "harness/compare/explain.h"
#include "harness/document/document.h"

namespace stepbench::report {

inline constexpr std::string_view kExplainSchema = "stepbench.explain";
inline constexpr std::string_view kExplainVersion = "1.0.0";

// How much slower, what the controls predict of it, and where the rest is; a table of the phases
// of each case and one of the controls.
[[nodiscard]] document::Document explain_document(const compare::Explanation& explanation);
// The same for a program: one object on one line, with its line end.
[[nodiscard]] std::string explain_json(const compare::Explanation& explanation, int exit_code);

}  // namespace stepbench::report
