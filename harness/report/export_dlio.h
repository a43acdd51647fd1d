// SPDX-License-Identifier: Apache-2.0
// A measured case as a workload of DLIO, the benchmark under MLPerf Storage: the same reads and the
// same step, where the storage is. Pure; any thread.
#pragma once

#include <string>

#include "harness/record/reader.h"

namespace stepbench::report {

// YAML with DLIO's own keys. The time of computation is what each step took beyond its wait for
// data. Throws ConfigError where the results are not those of one case, where nothing of it was
// measured, and where the files of its data set are not known.
[[nodiscard]] std::string dlio_yaml(const record::Results& results);

}  // namespace stepbench::report
