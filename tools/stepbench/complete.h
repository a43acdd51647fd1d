// SPDX-License-Identifier: Apache-2.0
// Completes the current word of a command line from the declarations of commands and options and
// from the catalogue. Used by the scripts of `stepbench completion`, so that bash, zsh and fish
// offer the same.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/stepbench/command.h"

namespace stepbench::cli {

// `stepbench __complete WORDS...`: the words of a command line without the program name; the last,
// possibly empty, is being typed. Handled before the commands and not shown in help.
inline constexpr std::string_view kCompleteCommand = "__complete";

struct Candidate {
  std::string word;
  std::string meaning = {};  // shown next to it; may be empty
};

// The parsed command line before the current word.
struct WordsBefore {
  const Command* command = nullptr;
  const CommandOption* option = nullptr;  // option whose value the current word is; null if none
  bool only_arguments = false;            // after "--"
  // Parsed so far, in order.
  std::vector<std::string> arguments = {};
  std::vector<std::pair<const CommandOption*, std::string>> values = {};

  // Last value of an option such as "--worker"; empty if not given.
  [[nodiscard]] std::string value_of(std::string_view name) const;
};
[[nodiscard]] WordsBefore read_words(const Command& program, const std::vector<std::string>& words);

// Values of an option or argument that begin with `word`; empty if unknown. Reads files and folders
// named on the line; throws if they cannot be read.
[[nodiscard]] std::vector<Candidate> value_candidates(const CommandOption& option,
                                                      const std::string& word,
                                                      const WordsBefore& before,
                                                      const Environment& environment);

// Prints one line per candidate: the word, a tab and its meaning. Prints nothing on errors.
void complete(const Command& program, const Environment& environment);

}  // namespace stepbench::cli
