// SPDX-License-Identifier: Apache-2.0
// Rows that nights leave in a history: the state that each series carries to the next night, and
// its result. The caller holds the transaction. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/nights/internal/database.h"

namespace stepbench::nights {

// A series after its last judged night; the texts are written by harness/nights.
struct StateRow {
  std::string host = {};
  std::string experiment = {};
  std::string series = {};  // id
  std::string run = {};     // run of that night
  std::string state = {};   // state for the next night
  std::string night = {};   // result of the night
};

enum class NightState : std::uint8_t {  // written to disk by name
  kOk,
  kSuspect,
  kImprovement,
  kRegression,
  kNoVerdict,
  kNoData
};
constexpr EnumNames<6> names_of(NightState) {
  return {"ok", "suspect", "improvement", "regression", "no-verdict", "no-data"};
}

// Result of a series in a night.
struct JudgedRow {
  std::string run = {};
  std::string series = {};  // id
  NightState state = NightState::kNoVerdict;
  std::optional<double> ratio = {};   // tonight / reference of the median pair; absent for a share
  std::optional<double> change = {};  // relative to its level, with bounds low and high: shares
  std::optional<double> low = {};
  std::optional<double> high = {};
  bool reported = false;
  std::string alert = {};
  std::optional<double> value = {};  // its point in that run; read, not written
};

struct NightRows {
  std::vector<StateRow> states = {};
  std::vector<JudgedRow> judged = {};
};

void insert_night_rows(Database& database, const NightRows& rows);

[[nodiscard]] std::vector<StateRow> load_states(Database& database, const std::string& host,
                                                const std::string& experiment);
[[nodiscard]] std::vector<JudgedRow> load_judged_series(Database& database,
                                                        const std::string& series,
                                                        const std::string& host);
[[nodiscard]] std::vector<JudgedRow> load_judged_run(Database& database, const std::string& run);

}  // namespace stepbench::nights
