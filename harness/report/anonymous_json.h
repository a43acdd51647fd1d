// SPDX-License-Identifier: Apache-2.0
// Removes private texts from results before sharing them. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "harness/catalogue/catalogue.h"

namespace stepbench::report {

// Filters the JSON of `export`: keeps numbers, and texts that identify nobody: digests, times,
// words of stepbench, values listed by an option of `catalogue`, models of processors, versions of
// torch. Removes any other text with its member: names of runs, experiments, hosts and people,
// paths, commands, variables, labels, sentences. Keeps names of metrics, phases and options. Throws
// ConfigError for invalid JSON.
[[nodiscard]] std::string json_without_text(std::string_view json, const Catalogue& catalogue);

}  // namespace stepbench::report
