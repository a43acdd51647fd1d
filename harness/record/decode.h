// SPDX-License-Identifier: Apache-2.0
// One line of a result file -> one row. The parsers' memory is kept between lines: one decoder per
// file or run.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "harness/error.h"
#include "harness/record/rows.h"

namespace stepbench {

// A line that is no row: not JSON, not ours, of a later major version, or a field of the wrong
// type.
class LineError : public Error {
 public:
  using Error::Error;
};

struct UnknownRow {  // of a kind that a later minor version added
  std::string kind;
};
using Row = std::variant<RunRow, ColumnRow, WorkerRow, StartRow, SamplesRow, OpsRow, LaunchRow,
                         EndRow, UnknownRow>;

class LineDecoder {
 public:
  LineDecoder();
  LineDecoder(const LineDecoder&) = delete;
  LineDecoder& operator=(const LineDecoder&) = delete;
  ~LineDecoder();

  // Behind the line must stand '\n' or NUL, and Input::kPadding bytes must be readable. Throws
  // LineError.
  [[nodiscard]] Row decode(std::string_view line);
  [[nodiscard]] bool is_json(std::string_view line);  // whole, not cut

 private:
  struct Parsers;
  std::unique_ptr<Parsers> parsers_;
};

}  // namespace stepbench
