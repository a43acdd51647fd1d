// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/runs/bundle.h"
#include "harness/runs/redact_json.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

// What may stand in anybody's file: values of options, names of phases, texts on metrics.
[[nodiscard]] runs::KnownWords shareable_words();

// What was given to the command and belongs to its experiment: not where results and output go.
[[nodiscard]] std::vector<runs::GivenOption> shareable_options(const Command& command);

}  // namespace stepbench::cli
