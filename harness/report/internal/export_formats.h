// SPDX-License-Identifier: Apache-2.0
// The formats of `export`, in the order of its help. Each is declared where it is written, in
// export_NAME.cpp.
#pragma once

#include "harness/report/exports.h"
#include "harness/report/result_tables.h"

namespace stepbench::report {

// The table of `show` in its format of that name.
template <Format kFormat>
void write_table_as(const record::Results& results, const ExportOptions& /*options*/,
                    const json::TextSink& sink) {
  write_results(results, kFormat, {}, sink);
}

[[nodiscard]] ExportFormat junit_format();
[[nodiscard]] ExportFormat openmetrics_format();
[[nodiscard]] ExportFormat markdown_format();
[[nodiscard]] ExportFormat csv_format();
[[nodiscard]] ExportFormat json_format();
[[nodiscard]] ExportFormat gbench_format();

inline constexpr ExportFormat (*kFormats[])() = {junit_format, openmetrics_format, markdown_format,
                                                 csv_format,   json_format,        gbench_format};

}  // namespace stepbench::report
