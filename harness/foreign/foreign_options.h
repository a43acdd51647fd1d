// SPDX-License-Identifier: Apache-2.0
// What a person says of a file that does not say it itself. Plain data.
#pragma once

#include <string>
#include <vector>

namespace stepbench::foreign {

struct ForeignOptions {
  std::string series = {};                      // the experiment's name; empty: as the file says
  std::vector<std::string> value_columns = {};  // of a table: required; else another field
  std::vector<std::string> case_columns = {};   // of a table: what tells its series from each other
  std::string time_column = {};                 // empty: one with a usual name
  std::string commit_column = {};
  std::string unit = {};         // of a table's values
  std::string better = {};       // "lower", "higher", "neither"; empty: by the unit
  std::string first_night = {};  // a table without times: its rows are nights from this one on
  std::string host = {};         // where the file names none
  bool guess = false;  // every column of numbers, nights from 2000 on, no matter what is better
};

}  // namespace stepbench::foreign
