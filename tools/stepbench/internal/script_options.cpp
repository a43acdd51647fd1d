// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/internal/script_options.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/json/json_text.h"
#include "harness/os/files.h"
#include "harness/plan/plan.h"
#include "harness/run/run_header.h"
#include "harness/run/worker_program.h"
#include "harness/text/words.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/parse.h"
#include "tools/stepbench/session.h"

namespace stepbench::cli {
namespace {

// Quotes for YAML as in JSON; "$$" is a dollar sign.
std::string quoted(const std::string& text) {
  std::string escaped;
  for (const char letter : text) escaped += letter == '$' ? "$$" : std::string(1, letter);
  return json::json_string(escaped);
}

// The text of a call's arguments without nested brackets; `at` is after the opening bracket.
std::string own_arguments(std::string_view script, std::size_t at) {
  std::string found;
  for (int depth = 1; at < script.size(); ++at) {
    const char letter = script[at];
    if (letter == '(' || letter == '[' || letter == '{') ++depth;
    if (letter == ')' || letter == ']' || letter == '}') --depth;
    if (depth == 0) break;
    if (depth == 1) found += letter;
  }
  return found;
}

struct LoopNames {
  std::vector<std::string> known = {};
  std::int64_t line = 0;  // line of the first call whose name is not a literal; 0: none
};

// Names in the script's calls of measure(loader, name="train"), in order. Loops named in other ways
// or in other files need script.loop.
LoopNames names_of_loops(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string script((std::istreambuf_iterator<char>(file)), {});
  static const std::regex call(R"((^|\n)([^#\n]*[^#\n\w])?measure\s*\()");
  static const std::regex name(R"re((^|[,\s])name\s*=\s*(["'])([\w.-]{1,40})\2\s*(,|$))re");
  static const std::regex any_name(R"re((^|[,\s])name\s*=[^=])re");
  LoopNames found_names;
  std::vector<std::string>& names = found_names.known;
  for (std::sregex_iterator found(script.begin(), script.end(), call), end; found != end; ++found) {
    const auto behind = static_cast<std::size_t>(found->position() + found->length());
    const std::string arguments = own_arguments(script, behind);
    std::smatch match;
    if (!std::regex_search(arguments, match, name)) {
      if (found_names.line == 0 && std::regex_search(arguments, any_name)) {
        const auto end_of_call = script.begin() + static_cast<std::ptrdiff_t>(behind);
        found_names.line = 1 + std::count(script.begin(), end_of_call, '\n');
      }
      continue;
    }
    if (std::find(names.begin(), names.end(), match[3]) == names.end()) names.push_back(match[3]);
  }
  return found_names;
}

std::string experiment_of(const std::string& path, const std::vector<std::string>& arguments) {
  const std::string args = text::join(arguments, " ", text::shell_word);
  const std::vector<std::string> loops = names_of_loops(path).known;
  return "name: " + run::file_name_part(std::filesystem::path(path).stem().string()) +
         "\nworkload: " + run::kScriptWorkload + "\nscript:\n  path: " + quoted(path) + "\n" +
         (args.empty() ? "" : "  args: " + quoted(args) + "\n") +
         (loops.size() < 2
              ? ""
              : "sweep: {matrix: {script.loop: [" + text::join(loops, ", ", quoted) + "]}}\n");
}

// Finds a module in this folder as `python -m` does: "pkg/train.py" for pkg.train.
std::string file_of_module(const std::string& module) {
  std::string path = module;
  std::ranges::replace(path, '.', '/');
  std::error_code error;
  for (const char* end : {".py", "/__main__.py"}) {
    if (std::filesystem::is_regular_file(path + end, error)) return path + end;
  }
  throw UsageError("--python -m " + module + ": there is no " + path + ".py and no " + path +
                   "/__main__.py in this folder");
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
  throw UsageError("--python " + script.string() + ": " +
                   os::why_absent(script, "no such file" + text::did_you_mean(
                                                               script.filename().string(), there)));
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
    request.text = experiment_of(module, arguments);
    return;
  }
  if (!script.may_be_missing) require_script(script.path);
  request.text = experiment_of(script.path, arguments);
}

std::optional<std::string> note_of_loops(const ScriptOptions& script) {
  if (script.path.empty()) return std::nullopt;
  const std::int64_t line = names_of_loops(script.path).line;
  if (line == 0) return std::nullopt;
  return script.path + ", line " + std::to_string(line) +
         ": the loop's name is only known when the script runs; the first loop is measured, --set "
         "script.loop=NAME measures another, --sweep script.loop=A,B each of them";
}

}  // namespace stepbench::cli
