// SPDX-License-Identifier: Apache-2.0
// The table of all kinds of data sets, in the order of the catalogue: the one place that names
// them.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "workloads/data/data_kind.h"
#include "workloads/data/generate/maker.h"

namespace stepbench::data {

class PythonParts;

[[nodiscard]] const std::vector<DataKind>& data_kinds();

// The row of that name. Throws ConfigError("data.kind", ...) if there is none.
[[nodiscard]] const DataKind& data_kind(std::string_view name);
[[nodiscard]] const DataKind& data_kind(const ResolvedCase& resolved);

// The data set that the section `data` describes. Throws ConfigError naming the file or folder that
// is wrong. `python` opens those that the user wrote in Python; null: they are refused.
[[nodiscard]] std::unique_ptr<Dataset> make_dataset(const ResolvedCase& resolved,
                                                    PythonParts* python = nullptr);

// What `stepbench data make` can make, in the order of the table.
[[nodiscard]] std::vector<const Maker*> makers();

}  // namespace stepbench::data
