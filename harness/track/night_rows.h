// SPDX-License-Identifier: Apache-2.0
// What nights leave in a history: what each series carries to the next night, and what it came to.
// The caller holds the transaction. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/store/database.h"

namespace stepbench::track {

// A series after the last night that was judged; texts of harness/nights.
struct StateRow {
  std::string host = {};
  std::string experiment = {};
  std::string series = {};  // id
  std::string run = {};     // of that night
  std::string state = {};   // what it carries to the next one
  std::string night = {};   // what it came to
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

// What a series came to in a night.
struct JudgedRow {
  std::string run = {};
  std::string series = {};  // id
  NightState state = NightState::kNoVerdict;
  std::optional<double> ratio = {};   // tonight / reference, its median pair; of a share none
  std::optional<double> change = {};  // against its level, and its bounds: shares
  std::optional<double> low = {};
  std::optional<double> high = {};
  bool told = false;
  std::string alert = {};
  std::optional<double> value = {};  // its point of that run; read, not written
};

struct NightRows {
  std::vector<StateRow> states = {};
  std::vector<JudgedRow> judged = {};
};

void insert_night_rows(store::Database& database, const NightRows& rows);

[[nodiscard]] std::vector<StateRow> load_states(store::Database& database, const std::string& host,
                                                const std::string& experiment);
[[nodiscard]] std::vector<JudgedRow> load_judged_series(store::Database& database,
                                                        const std::string& series,
                                                        const std::string& host);
[[nodiscard]] std::vector<JudgedRow> load_judged_run(store::Database& database,
                                                     const std::string& run);

}  // namespace stepbench::track
