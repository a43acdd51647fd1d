// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/script_experiment.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string_view>

#include "harness/base/format.h"
#include "harness/json/json_text.h"
#include "harness/run/run_header.h"
#include "harness/run/worker_program.h"
#include "harness/text/words.h"

namespace stepbench::campaign {
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

}  // namespace

std::string script_experiment(const std::string& path, const std::vector<std::string>& arguments) {
  const std::string args = text::join(arguments, " ", text::shell_word);
  const std::vector<std::string> loops = names_of_loops(path).known;
  return formatted("name: {}\nworkload: {}\nscript:\n  path: {}\n{}{}",
                   run::file_name_part(std::filesystem::path(path).stem().string()),
                   run::kScriptWorkload, quoted(path),
                   args.empty() ? "" : "  args: " + quoted(args) + "\n",
                   loops.size() < 2 ? ""
                                    : formatted("sweep: {{matrix: {{script.loop: [{}]}}}}\n",
                                                text::join(loops, ", ", quoted)));
}

std::int64_t line_of_unknown_loop(const std::string& path) { return names_of_loops(path).line; }

}  // namespace stepbench::campaign
