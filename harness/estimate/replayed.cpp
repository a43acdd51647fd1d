// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/replayed.h"

#include <string>

namespace stepbench::estimate {

Replayed replayed(const CaseRow& row) {
  const Value* value = row.option("loader.replay");
  if (value == nullptr) return Replayed::kNot;
  if (*value == Value{std::string("stopped")}) return Replayed::kStopped;
  return *value == Value{std::string("working")} ? Replayed::kWorking : Replayed::kNot;
}

bool is_replay_option(std::string_view full_name) {
  return full_name == "loader.replay" || full_name == "loader.replay_batches";
}

}  // namespace stepbench::estimate
