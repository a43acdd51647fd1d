// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/track/foreign_options.h"

#include "harness/machine/environment.h"
#include "tools/stepbench/options.h"

namespace stepbench::cli {
namespace {

constexpr const char* kForeignOptions = "Files of other programs";

}  // namespace

void add_foreign_options(Command command, foreign::ForeignOptions& options) {
  const auto text = [&](const char* flag, std::string& value, const char* doc, const char* name) {
    return command.option(kForeignOptions, std::string(flag) + " " + name, value, doc);
  };
  text("--series", options.series, "Their experiment's name; default: as the file says", "TEXT")
      .common();
  command
      .repeated(kForeignOptions, "--value-column FIELD", options.value_columns,
                "The column of values of a table; of benchmark results another field, as min or "
                "items_per_second")
      .common();
  command.repeated(kForeignOptions, "--case-column FIELD", options.case_columns,
                   "A column of a table whose values tell its series from each other: each a case");
  text("--time-column", options.time_column, "When each row was measured; default: time, date, ...",
       "FIELD");
  text("--commit-column", options.commit_column,
       "What each row measured; default: commit, sha, ...", "FIELD");
  text("--unit", options.unit, "Of a table's values: ns, us, ms, s, bytes, MiB, or any other word",
       "UNIT")
      .common();
  text("--better", options.better,
       "What is better; default: a time or memory when it is lower, a rate when it "
       "is higher",
       "lower|higher|neither")
      .one_of({"lower", "higher", "neither"});
  text("--first-night", options.first_night,
       "A table without times: its rows are nights, one a day from this one on", "DATE");
  text("--host", options.host, "Where it was measured; default: as the file says, or this machine",
       "TEXT");
}

bool is_given(const foreign::ForeignOptions& options) {
  const foreign::ForeignOptions none;
  return options.series != none.series || options.value_columns != none.value_columns ||
         options.case_columns != none.case_columns || options.time_column != none.time_column ||
         options.commit_column != none.commit_column || options.unit != none.unit ||
         options.better != none.better || options.first_night != none.first_night ||
         options.host != none.host;
}

foreign::ForeignOptions complete(foreign::ForeignOptions options) {
  if (options.host.empty()) options.host = machine::host_name("/");
  return options;
}

}  // namespace stepbench::cli
