// SPDX-License-Identifier: Apache-2.0
// One line of a result file -> one row. The parser's memory is kept between lines: one decoder per
// file or run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "harness/json/line_error.h"
#include "harness/record/rows.h"

namespace stepbench::json {
class AlikeOptions;
class LineParser;
}  // namespace stepbench::json

namespace stepbench::record {

// A line with a name that this version does not have: it cannot be used.
struct UnknownRow {
  std::string what;                      // a sentence: which name, and that it was left out
  std::optional<LaunchKey> launch = {};  // the launch that cannot be used without this line
};
using Row = std::variant<RunRow, ColumnRow, WorkerRow, StartRow, SamplesRow, OpsRow, LaunchRow,
                         EndRow, UnknownRow>;

class LineDecoder {
 public:
  LineDecoder();
  LineDecoder(const LineDecoder&) = delete;
  LineDecoder& operator=(const LineDecoder&) = delete;
  ~LineDecoder();

  // Behind the text must stand '\n' or NUL, and Input::kPadding bytes must be readable. Throws
  // LineError. `later`: the line is of a file of a later minor version, whose names for passes,
  // outcomes, roles and directions may be new; without it an unknown one is an error.
  [[nodiscard]] Row decode(std::string_view text, bool later = false);
  [[nodiscard]] bool is_json(std::string_view line);  // whole, not cut

 private:
  std::unique_ptr<json::LineParser> parser_;
  std::unique_ptr<json::AlikeOptions> alike_;
};

}  // namespace stepbench::record
