// SPDX-License-Identifier: Apache-2.0
// The Python-free part of data sets that the user wrote in Python. PythonParts opens them;
// loader.engine python or iterable reads them.
#pragma once

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"
#include "workloads/data/data_kind.h"

namespace stepbench::data {

inline constexpr const char* kPythonName = "python";  // name of the data kind and of the engine

[[nodiscard]] DataKind python_kind();

// Returns true if a part of the case is written in Python: data.kind, model.kind or the step.
[[nodiscard]] bool uses_python(const ResolvedCase& resolved);

// The section `python`: arguments of the user's functions, by name.
[[nodiscard]] Section python_section();
// Rejects arguments that no part of the case uses.
void check_python_arguments(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::data
