// SPDX-License-Identifier: Apache-2.0
// What is known without Python of data sets that the user wrote in it. They are opened by
// PythonParts and read by loader.engine: python alone.
#pragma once

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"
#include "workloads/data/data_kind.h"

namespace stepbench::data {

inline constexpr const char* kPythonName = "python";  // of the data kind and of the engine

[[nodiscard]] DataKind python_kind();

// Whether a part of the case is written in Python: data.kind, model.kind or the step.
[[nodiscard]] bool uses_python(const ResolvedCase& resolved);

// The section `python`: arguments of the user's functions, by name.
[[nodiscard]] Section python_section();
// Arguments for which no part of the case has a use.
void check_python_arguments(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::data
