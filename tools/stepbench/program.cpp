// SPDX-License-Identifier: Apache-2.0
// The command line as a whole: read by CLI11, which no other file but command.cpp knows.
#include <CLI/CLI.hpp>

#include "tools/stepbench/command.h"

namespace stepbench::cli {
namespace {

UsageError::Kind kind_of(const CLI::ParseError& error) {
  switch (static_cast<CLI::ExitCodes>(error.get_exit_code())) {
    case CLI::ExitCodes::RequiredError:
      return UsageError::Kind::kMissing;
    case CLI::ExitCodes::ArgumentMismatch:
      return UsageError::Kind::kCount;
    case CLI::ExitCodes::ConversionError:
      return UsageError::Kind::kValue;
    case CLI::ExitCodes::ExcludesError:
      return UsageError::Kind::kExcludes;
    case CLI::ExitCodes::RequiresError:
      return UsageError::Kind::kNeeds;
    default:
      return UsageError::Kind::kOther;
  }
}

// "--profile kineto" as "--profile=kineto": an option that may stand alone takes the word behind it
// where that is one of its own. It would be a FILE otherwise, or an argument of a script.
std::vector<std::string> with_choices_joined(Command command,
                                             const std::vector<std::string>& words) {
  std::vector<std::string> out;
  bool in_options = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    out.push_back(words[i]);
    if (words[i] == "--") {  // what follows is no option's
      out.insert(out.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      break;
    }
    if (i > 0 && !in_options) {
      if (const auto next = command.command(words[i])) {
        command = *next;
        continue;
      }
      in_options = true;
    }
    if (!words[i].starts_with("--") || i + 1 == words.size()) continue;
    const auto option = command.find_option(words[i]);
    if (!option || !option->may_lack_value()) continue;
    const std::string choices = '|' + option->value_name() + '|';
    if (choices.find('|' + words[i + 1] + '|') == std::string::npos || words[i + 1].empty()) {
      continue;
    }
    out.back() += '=' + words[++i];
  }
  return out;
}

}  // namespace

Program::Program(const Environment& environment, const std::string& name, const std::string& doc)
    : app_(std::make_unique<CLI::App>(doc, name)),
      context_(std::make_unique<Command::Context>(Command::Context{environment})) {}

Program::~Program() = default;

Command Program::root() const { return {*app_, *context_}; }

void Program::complete(const std::string& version, const std::string& footer) {
  app_->set_version_flag("-V,--version", version, "Print the version")->group(kGeneralOptions);
  app_->footer(footer);  // not earlier: commands would inherit it
  root().add_general_options();
}

Program::Result Program::run(const std::vector<std::string>& words) {
  try {
    // CLI11 takes the arguments from the back.
    const std::vector<std::string> joined = with_choices_joined(root(), words);
    app_->parse(std::vector<std::string>(joined.rbegin(), joined.rend() - 1));
  } catch (const CLI::ParseError& error) {
    if (error.get_name() == "CallForVersion") return Result::kVersion;
    if (error.get_name() == "CallForAllHelp") return Result::kHelpAll;
    if (error.get_exit_code() == 0) return Result::kHelp;
    throw UsageError(error.what(), kind_of(error));
  }
  return Result::kCalled;
}

}  // namespace stepbench::cli
