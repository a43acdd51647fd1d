// SPDX-License-Identifier: Apache-2.0
// Converts one line of a result file to a row, and back. Use one decoder per file or run: it keeps
// its parser's memory between lines.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "harness/json/line_object.h"
#include "harness/record/rows.h"

namespace stepbench::json {

class AlikeOptions;
class LineParser;

}  // namespace stepbench::json

namespace stepbench::record {

// An unusable line: it has a name unknown to this version.
struct UnknownRow {
  std::string what;                      // a sentence with the name, and that it was ignored
  std::optional<LaunchKey> launch = {};  // the launch that is unusable without this line
};
using Row = std::variant<RunRow, ColumnRow, WorkerRow, StartRow, SamplesRow, OpsRow, LaunchRow,
                         EndRow, UnknownRow>;

class LineDecoder {
 public:
  LineDecoder();
  LineDecoder(const LineDecoder&) = delete;
  LineDecoder& operator=(const LineDecoder&) = delete;
  ~LineDecoder();

  // '\n' or NUL must follow the text, and Input::kPadding bytes must be readable. Throws LineError.
  // `later`: the file has a later minor version, which may have new names for passes, outcomes,
  // roles and directions; otherwise an unknown name is an error.
  [[nodiscard]] Row decode(std::string_view text, bool later = false);
  [[nodiscard]] bool is_json(std::string_view line);  // complete

 private:
  std::unique_ptr<json::LineParser> parser_;
  std::unique_ptr<json::AlikeOptions> alike_;
};

// Rows as lines of JSON, without the newline.

// For each row of rows.h, and for the parts that a worker sends: CycleSamples, OpFrame,
// LaunchReport.
template <typename Row>
[[nodiscard]] std::string encode(const Row& row);

}  // namespace stepbench::record
