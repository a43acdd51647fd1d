// SPDX-License-Identifier: Apache-2.0
// What a worker measured, read from a line: the same members in a result file, where the launch's
// key stands before them, and on a worker's connection. All throw LineError. Pure; any thread.
#pragma once

#include "harness/json/line_object.h"
#include "harness/record/rows.h"

namespace stepbench::record {

// Takes the numbers out of `line`. Names are different, columns equally long.
[[nodiscard]] CycleSamples decode_samples(json::LineParser::Line& line);
[[nodiscard]] ops::OpFrame decode_frame(json::LineParser::Line& line);
// `nested`: a later version may write lists and objects where this one has plain values.
[[nodiscard]] LaunchReport decode_report(const json::LineObject& source, json::Nested nested);

// Puts back into fields that were read from the object `name` what JSON could not hold.
void restore_non_finite(const json::LineObject& source, std::string_view name, Fields& fields);
void restore_non_finite(const json::LineObject& source, std::string_view name,
                        OptionValues& options);

}  // namespace stepbench::record
