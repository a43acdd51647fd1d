// SPDX-License-Identifier: Apache-2.0
// Rows as lines of JSON, without the newline. JSON field names are those of rows.h, with the key's
// fields inlined.
#pragma once

#include <string>
#include <string_view>

#include "harness/record/rows.h"

namespace stepbench::record {

[[nodiscard]] std::string encode(const RunRow& row);
[[nodiscard]] std::string encode(const ColumnRow& row);
[[nodiscard]] std::string encode(const WorkerRow& row);
[[nodiscard]] std::string encode(const StartRow& row);
[[nodiscard]] std::string encode(const SamplesRow& row);
[[nodiscard]] std::string encode(const OpsRow& row);
[[nodiscard]] std::string encode(const LaunchRow& row);
[[nodiscard]] std::string encode(const EndRow& row);

// A worker's data lines: those of a result file without the launch's key and what only the
// controller knows of it.
[[nodiscard]] std::string encode(const CycleSamples& samples);
[[nodiscard]] std::string encode(const ops::OpFrame& frame);
[[nodiscard]] std::string encode(const LaunchReport& report);

// The names on disk.
[[nodiscard]] std::string_view name_of(Pass pass);
[[nodiscard]] std::string_view name_of(Outcome::Kind kind);
[[nodiscard]] std::string_view name_of(Role role);
[[nodiscard]] std::string_view name_of(Direction direction);

}  // namespace stepbench::record
