// SPDX-License-Identifier: Apache-2.0
// A finished `ab` as one archive for the maintainers of another project, with nothing in it that
// redact_runs() would not leave.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "harness/runs/redact_json.h"

namespace stepbench::runs {

// An option of the call as it was given.
struct GivenOption {
  enum class Value {
    kText,  // of whoever called: a path
    kPair,  // "optimizer.implementation=fused"
    kWord,  // one of the program's: a metric, a gate
  };
  std::string name = {};  // "--b-set"; empty: an argument; "--": what follows is the script's
  Value value = Value::kText;
  std::vector<std::string> values = {};  // empty: a switch
};

// The bytes of a zip archive: README.txt, verdict.txt, verdict.json, environment.txt, settings.txt,
// command.txt, and the result files, of which all but the command is made. `given`: what belongs to
// the experiment, in the order in which it is to be shown. Throws ConfigError as redact_runs()
// does.
[[nodiscard]] std::string bundle_of_ab(const std::filesystem::path& run_folder,
                                       std::span<const GivenOption> given, const KnownWords& known);

// "stepbench ab <text5> --b-set optimizer.implementation=fused --pairs 20": values are redacted as
// options are.
[[nodiscard]] std::string redacted_command(std::span<const GivenOption> given,
                                           const KnownWords& known, Tokens& tokens);

}  // namespace stepbench::runs
