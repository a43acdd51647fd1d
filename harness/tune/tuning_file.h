// SPDX-License-Identifier: Apache-2.0
// Files in a search's folder besides launches: tuning.json, the answer for other programs, and
// tuned.yaml, the winner as an experiment. One thread; throw ConfigError.
#pragma once

#include <string>
#include <string_view>

#include "harness/tune/tune_run.h"

namespace stepbench::tune {

inline constexpr const char* kTuningFile = "tuning.json";
inline constexpr const char* kTunedFile = "tuned.yaml";
// The experiment without its sweep, which the confirmation compares with.
inline constexpr const char* kOwnFile = "own.yaml";
inline constexpr std::string_view kTuningSchema = "stepbench.tuning";
inline constexpr std::string_view kTuningVersion = "2.0.0";

[[nodiscard]] std::string tuning_json(const TuneRun& run);
void write_tuning_file(const TuneRun& run);  // into the search's folder
// The comment at the top of the winner's experiment.
[[nodiscard]] std::string tuned_header(const TuneRun& run);

}  // namespace stepbench::tune
