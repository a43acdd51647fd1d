// SPDX-License-Identifier: Apache-2.0
#include "harness/report/next_command.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "harness/text/words.h"

namespace stepbench::report {
namespace {

using ArgumentWords = std::vector<std::string>;

// A flag with its value, as one word or two; other words have no name.
struct Argument {
  std::string_view name;
  ArgumentWords words;
};

// Flags of `run` with values that a derived command keeps or drops; other flags are kept.
// tests/unit/shell checks them against the help of both commands.
struct KnownFlag {
  std::string_view name;
  bool in_ab;  // defines what is measured, also for `ab`; else where and how often
};
constexpr KnownFlag kKnownFlags[] = {
    {"--set", true},      {"--python", true},  {"--ranks", true}, {"--launches", false},
    {"--results", false}, {"--resume", false}, {"--sweep", false}};

// Null for unknown flags.
const KnownFlag* known_flag(std::string_view name) {
  const auto* const found = std::ranges::find(kKnownFlags, name, &KnownFlag::name);
  return found == std::end(kKnownFlags) ? nullptr : found;
}

// Arguments after `stepbench run`; everything from `--` on is in `script`.
struct Parsed {
  std::vector<Argument> arguments = {};
  ArgumentWords script = {};
};
Parsed parse(const ArgumentWords& argv) {
  Parsed parsed;
  for (std::size_t i = 2; i < argv.size(); ++i) {
    const std::string_view word = argv[i];
    if (word == "--") {
      parsed.script.assign(argv.begin() + static_cast<std::ptrdiff_t>(i), argv.end());
      break;
    }
    Argument& argument = parsed.arguments.emplace_back(
        Argument{word.starts_with('-') ? word.substr(0, word.find('=')) : "", {argv[i]}});
    if (known_flag(word) != nullptr && i + 1 < argv.size()) argument.words.push_back(argv[++i]);
  }
  return parsed;
}

bool is_a_run(const record::RunRow& run) { return run.argv.size() > 2 && run.argv[1] == "run"; }

std::string command_text(std::string_view command, const ArgumentWords& words,
                         const ArgumentWords& script) {
  std::string text = "stepbench " + std::string(command);
  for (const ArgumentWords* each : {&words, &script}) {
    for (const std::string& word : *each) text += ' ' + text::shell_word(word);
  }
  return text;
}

void append(ArgumentWords& words, const ArgumentWords& more) {
  words.insert(words.end(), more.begin(), more.end());
}

}  // namespace

std::string command_with_launches(const record::RunRow& run, std::size_t launches) {
  if (!is_a_run(run)) return {};
  const Parsed parsed = parse(run.argv);
  ArgumentWords words;
  for (const Argument& argument : parsed.arguments) {
    if (argument.name != "--launches" && argument.name != "--resume") append(words, argument.words);
  }
  append(words, {"--launches", std::to_string(launches)});
  return command_text("run", words, parsed.script);
}

std::string command_of_pair(const record::RunRow& run, const estimate::CaseRow& a,
                            const estimate::CaseRow& b) {
  if (!is_a_run(run)) return {};
  const Parsed parsed = parse(run.argv);
  ArgumentWords words;
  std::size_t swept = 0;
  for (const Argument& argument : parsed.arguments) {
    if (argument.name == "--sweep") ++swept;
    const KnownFlag* const known = known_flag(argument.name);
    if (known != nullptr && !known->in_ab) continue;
    if (!argument.name.empty() && known == nullptr) return {};
    append(words, argument.words);
  }
  if (swept == 0 || swept != run.swept.size()) return {};
  for (const std::string& option : run.swept) {
    const Value* in_a = a.option(option);
    const Value* in_b = b.option(option);
    if (in_a == nullptr || in_b == nullptr) return {};
    if (*in_a == *in_b) {
      append(words, {"--set", option + '=' + to_text(*in_a)});
    } else {
      append(words, {"--a-set", option + '=' + to_text(*in_a)});
      append(words, {"--b-set", option + '=' + to_text(*in_b)});
    }
  }
  return command_text("ab", words, parsed.script);
}

}  // namespace stepbench::report
