// SPDX-License-Identifier: Apache-2.0
// The formats of `export`, in the order of its help. Each is declared where it is written, in
// export_NAME.cpp.
#pragma once

#include "harness/report/exports.h"

namespace stepbench::report {

[[nodiscard]] ExportFormat junit_format();
[[nodiscard]] ExportFormat openmetrics_format();
[[nodiscard]] ExportFormat markdown_format();
[[nodiscard]] ExportFormat csv_format();
[[nodiscard]] ExportFormat json_format();
[[nodiscard]] ExportFormat gbench_format();

inline constexpr ExportFormat (*kFormats[])() = {junit_format, openmetrics_format, markdown_format,
                                                 csv_format,   json_format,        gbench_format};

}  // namespace stepbench::report
