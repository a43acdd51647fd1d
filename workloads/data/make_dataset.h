// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "harness/base/resolved_case.h"
#include "workloads/data/dataset.h"

namespace stepbench {

// The data set that the section `data` describes. Throws ConfigError naming the file or folder that
// is wrong.
[[nodiscard]] std::unique_ptr<Dataset> make_dataset(const ResolvedCase& resolved);

}  // namespace stepbench
