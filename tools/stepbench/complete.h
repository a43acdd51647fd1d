// SPDX-License-Identifier: Apache-2.0
// What a shell offers for the word that is being written, found in the declarations of commands and
// options and in the catalogue. The scripts of `stepbench completion` ask here, so that bash, zsh
// and fish offer the same.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/stepbench/command.h"

namespace stepbench::cli {

// `stepbench __complete WORDS...`: the words of a command line behind the program's name, of which
// the last one, perhaps empty, is being written. It stands before the commands, is not one of them
// and is in no help.
inline constexpr std::string_view kCompleteCommand = "__complete";

struct Candidate {
  std::string word;
  std::string meaning = {};  // shown beside it; may be empty
};

// The command line before the word that is being written.
struct WordsBefore {
  const Command* command = nullptr;
  const CommandOption* option = nullptr;  // the word is this one's value; null: it is not
  bool only_arguments = false;            // after "--"
  // What was given so far, in order.
  std::vector<std::string> arguments = {};
  std::vector<std::pair<const CommandOption*, std::string>> values = {};

  // The last value of an option, such as "--worker"; empty without one.
  [[nodiscard]] std::string value_of(std::string_view name) const;
};
[[nodiscard]] WordsBefore read_words(const Command& program, const std::vector<std::string>& words);

// Values of an option or argument that begin with `word`; none where nothing is known of it. Reads
// files and folders that the line names; throws where they cannot be read.
[[nodiscard]] std::vector<Candidate> value_candidates(const CommandOption& option,
                                                      const std::string& word,
                                                      const WordsBefore& before,
                                                      const Environment& environment);

// Prints a line for each candidate: the word and, behind a tab, its meaning. No candidate where
// anything goes wrong.
void complete(const Command& program, const Environment& environment);

}  // namespace stepbench::cli
