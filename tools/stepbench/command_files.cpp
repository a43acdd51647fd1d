// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/command_files.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "harness/base/error.h"
#include "harness/store/database.h"
#include "harness/track/track_store.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/track/track_options.h"

namespace stepbench::cli {
namespace {

namespace fs = std::filesystem;

bool is_output_folder(const CommandOption& option) {
  return option.group == kOutputOptions && option.value_name == "DIR";
}

// True for options that name an input path, even if it does not exist yet.
bool names_a_path(const CommandOption& option) {
  static const std::set<std::string> kPaths = {"EXPERIMENT", "FILE", "PATH", "RUN", "SCRIPT"};
  return kPaths.contains(option.value_name);
}

// Adds the history and the files that belong to it.
void add_history_files(const std::string& option, const std::string& url,
                       std::vector<os::NamedFile>& inputs) {
  for (const fs::path& file : track::history_files(url)) inputs.push_back({option, file});
}

// Adds the value and all files named by words in it: "data.path=FILE", "FILE,FILE", "sh tell.sh".
void add_words(const std::string& option, const std::string& value,
               std::vector<os::NamedFile>& inputs) {
  constexpr std::string_view kBorders = "=, \t'\"";
  std::set<std::string> words = {value};
  for (std::size_t at = 0; at != std::string::npos && at < value.size();) {
    const std::size_t end = value.find_first_of(kBorders, at);
    words.insert(value.substr(at, end - at));
    if (end == std::string::npos) break;
    words.insert(value.substr(end + 1));
    at = end + 1;
  }
  for (const std::string& word : words) {
    std::error_code error;
    if (fs::is_regular_file(word, error)) inputs.push_back({option, word});
  }
}

// The given values, or the default.
std::vector<std::string> values_of(const CommandOption& option) {
  if (option.is_given || option.default_text.empty()) return option.values;
  return {option.default_text};
}

void add_option_files(const CommandOption& option, bool forced, os::CommandFiles& files) {
  const std::string name = option.name();
  if (option.is_output()) {
    for (const std::string& value : option.values) files.outputs.push_back({name, value, forced});
    return;
  }
  if (is_output_folder(option)) {
    for (const std::string& value : option.values) files.output_folders.push_back({name, value});
    return;
  }
  for (const std::string& value : values_of(option)) {
    if (option.value_name == "URL") {
      add_history_files(name, value, files.inputs);
    } else if (names_a_path(option)) {
      files.inputs.push_back({name, value});
      if (value.starts_with("sqlite:")) add_history_files(name, value, files.inputs);
    } else {
      add_words(name, value, files.inputs);
    }
  }
}

void require_values(const CommandOption& option) {
  if (!option.is_given || !option.takes_value) return;
  const std::vector<std::string> values = option.values;
  if (std::ranges::find(values, "") == values.end()) return;
  throw ConfigError(option.name(),
                    "empty value; leave out the option, or set the variable that holds its value");
}

os::CommandFiles files_of(const Command& program) {
  os::CommandFiles files;
  for (const Command* command = &program; command != nullptr; command = command->given_command) {
    const bool forced = command->is_given(kForce);
    for (const CommandOption& option : command->options) {
      require_values(option);
      add_option_files(option, forced, files);
    }
    const CommandOption* const db = command->find_option("--db");
    const CommandOption* const results = command->find_option("--results");
    if (db != nullptr && results != nullptr && values_of(*db).empty()) {
      const std::string folder = values_of(*results).back();
      add_history_files("--db", default_history(folder), files.inputs);
    }
  }
  return files;
}

}  // namespace

void check_command_files(const Command& program, Environment& environment) {
  const os::CommandFiles files = files_of(program);
  os::check_files(files);
  environment.outputs = files.outputs;
}

}  // namespace stepbench::cli
