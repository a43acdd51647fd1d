// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/internal/script_options.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "harness/base/format.h"
#include "harness/campaign/run_experiment.h"
#include "harness/os/files.h"
#include "harness/plan/plan.h"
#include "harness/text/words.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/parse.h"
#include "tools/stepbench/session.h"

namespace stepbench::cli {
namespace {

// Finds a module in this folder as `python -m` does: "pkg/train.py" for pkg.train.
std::string file_of_module(const std::string& module) {
  std::string path = module;
  std::ranges::replace(path, '.', '/');
  std::error_code error;
  for (const char* end : {".py", "/__main__.py"}) {
    if (std::filesystem::is_regular_file(path + end, error)) return path + end;
  }
  throw UsageError(
      formatted("--python -m {}: there is no {}.py and no {}/__main__.py in this folder", module,
                path, path));
}

// Throws UsageError if the script does not exist; suggests the script with the most similar name.
void require_script(const std::filesystem::path& script) {
  std::error_code error;
  if (std::filesystem::exists(script, error)) return;
  const std::filesystem::path folder = script.has_parent_path() ? script.parent_path() : ".";
  std::vector<std::string> there;
  for (const auto& each : std::filesystem::directory_iterator(folder, error)) {
    if (each.path().extension() == ".py") there.push_back(each.path().filename().string());
  }
  throw UsageError(formatted(
      "--python {}: {}", script.string(),
      os::why_absent(script,
                     "no such file" + text::did_you_mean(script.filename().string(), there))));
}

}  // namespace

CommandOption& add_experiment(Command& command, std::string& file, ScriptOptions& script,
                              bool required) {
  script.command = &command;
  CommandOption& experiment = add_experiment(command, file);
  command
      .option(kMeasureOptions, "--python SCRIPT", script.path,
              "Instead of FILE: a Python script with a loop over measure(), run as it is; its "
              "own arguments follow after --")
      .common();
  command.argument("ARGS", script.arguments, "With --python: the script's own arguments, after --",
                   "ARG");
  command.on_parsed = [&script, &file, &experiment, required] {
    if (script.path.empty() && file.ends_with(".py")) script.path = std::exchange(file, {});
    if (!required || experiment.is_given || script.command->is_given("--python")) return;
    throw UsageError(missing_text(experiment));
  };
  return experiment;
}

void read_experiment(const ScriptOptions& script, plan::PlanRequest& request) {
  if (script.path.empty()) {
    if (!script.arguments.empty()) {
      throw UsageError(too_many_text(*script.command, script.arguments.front()) +
                       "\na script's own arguments come with --python SCRIPT");
    }
    request.text = text_if_standard_input(request.file);
    return;
  }
  std::vector<std::string> arguments = script.arguments;
  if (!request.file.empty()) arguments.insert(arguments.begin(), request.file);
  request.file = plan::kStandardInput;
  if (script.path == "-m") {
    if (arguments.empty()) throw UsageError("--python -m names no module, as in -m pkg.train");
    const std::string module = file_of_module(arguments.front());
    arguments.erase(arguments.begin());
    request.text = campaign::script_experiment(module, arguments);
    return;
  }
  if (!script.may_be_missing) require_script(script.path);
  request.text = campaign::script_experiment(script.path, arguments);
}

std::optional<std::string> note_of_loops(const ScriptOptions& script) {
  if (script.path.empty()) return std::nullopt;
  const std::int64_t line = campaign::line_of_unknown_loop(script.path);
  if (line == 0) return std::nullopt;
  return formatted(
      "{}, line {}: the loop's name is only known when the script runs; the first loop is "
      "measured, --set script.loop=NAME measures another, --sweep script.loop=A,B each of them",
      script.path, line);
}

}  // namespace stepbench::cli
