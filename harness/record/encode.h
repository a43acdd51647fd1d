// SPDX-License-Identifier: Apache-2.0
// Rows as lines of JSON, without the newline. JSON field names are those of rows.h, with the key's
// fields inlined.
#pragma once

#include <string>
#include <string_view>

#include "harness/record/rows.h"

namespace stepbench {

class JsonText;

[[nodiscard]] std::string encode(const RunRow& row);
[[nodiscard]] std::string encode(const ColumnRow& row);
[[nodiscard]] std::string encode(const WorkerRow& row);
[[nodiscard]] std::string encode(const StartRow& row);
[[nodiscard]] std::string encode(const SamplesRow& row);
[[nodiscard]] std::string encode(const OpsRow& row);
[[nodiscard]] std::string encode(const LaunchRow& row);
[[nodiscard]] std::string encode(const EndRow& row);

// The members of an op frame, into an object that is open.
void add_frame(JsonText& json, const OpFrame& frame);

// The names on disk.
[[nodiscard]] std::string_view name_of(Pass pass);
[[nodiscard]] std::string_view name_of(Outcome::Kind kind);
[[nodiscard]] std::string_view name_of(Role role);
[[nodiscard]] std::string_view name_of(Direction direction);

}  // namespace stepbench
