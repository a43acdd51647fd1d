// SPDX-License-Identifier: Apache-2.0
// The table of all kinds of data sets, in the order of the catalogue: the only place that names all
// of them. The section `data`, and its rule, are built from it.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"
#include "workloads/data/data_kind.h"
#include "workloads/data/generate/maker.h"

namespace stepbench::data {

class PythonParts;

[[nodiscard]] const std::vector<DataKind>& data_kinds();

// Throws ConfigError("data.kind", ...) if the name is unknown.
[[nodiscard]] const DataKind& data_kind(std::string_view name);
[[nodiscard]] const DataKind& data_kind(const ResolvedCase& resolved);

// Opens the data set that the section `data` describes. Throws ConfigError naming the invalid file
// or folder. `python` opens data sets that the user wrote in Python; null: they are rejected.
[[nodiscard]] std::unique_ptr<Dataset> make_dataset(const ResolvedCase& resolved,
                                                    PythonParts* python = nullptr);

// All makers of `stepbench data make`, in the order of the table.
[[nodiscard]] std::vector<const Maker*> makers();

[[nodiscard]] Section data_section();

// Kinds that read no files have no data.page_cache.
void check_data(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::data
