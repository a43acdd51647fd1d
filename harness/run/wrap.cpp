// SPDX-License-Identifier: Apache-2.0
#include "harness/run/wrap.h"

#include <algorithm>

#include "harness/base/error.h"
#include "harness/run/worker_process.h"
#include "harness/text/words.h"

namespace stepbench::run {

std::vector<std::string> split_command(std::string_view line, const std::string& where) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    const bool blank = c == ' ' || c == '\t' || c == '\n';
    if (quote == 0 && blank) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && at + 1 < line.size()) {
      words.back() += line[++at];
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) throw ConfigError(where, std::string{"the quote "} + quote + " is not closed");
  return words;
}

std::vector<std::string> fill_in(const std::vector<std::string>& words,
                                 const std::vector<std::pair<std::string, std::string>>& values,
                                 const std::string& where) {
  std::vector<std::string> result;
  for (const std::string& word : words) {
    std::string filled;
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t open = word.find('{', at);
      const std::size_t close = open == std::string::npos ? open : word.find('}', open);
      if (close == std::string::npos) {
        filled += word.substr(at);
        break;
      }
      const std::string name = word.substr(open + 1, close - open - 1);
      const auto value = std::find_if(values.begin(), values.end(),
                                      [&](const auto& v) { return v.first == name; });
      if (value == values.end()) {
        const auto in_braces = [](const auto& entry) { return '{' + entry.first + '}'; };
        throw ConfigError(where, "unknown placeholder {" + name +
                                     "}; known: " + text::join(values, ", ", in_braces));
      }
      filled += word.substr(at, open - at) + value->second;
      at = close + 1;
    }
    result.push_back(std::move(filled));
  }
  return result;
}

std::vector<std::pair<std::string, std::string>> wrap_values(const std::string& run_dir,
                                                             const std::string& case_id,
                                                             int launch) {
  return {{"run_dir", run_dir}, {"case_id", case_id}, {"launch", std::to_string(launch)}};
}

void check_wrap(const std::vector<std::string>& words, const machine::Variables& variables) {
  if (words.empty()) return;
  const std::string program = fill_in(words, wrap_values("-", "-", 0), "--wrap").front();
  const bool fixed = program == words.front();
  try {
    if (fixed) static_cast<void>(resolve_program(program, variables));
  } catch (const ConfigError& error) {
    throw ConfigError("--wrap", error.what());
  }
}

std::optional<std::string> wrap_warning(const std::vector<std::string>& words) {
  const auto is_nsys = [](std::string_view word) {
    return word.substr(word.rfind('/') + 1) == "nsys";  // npos + 1 is 0
  };
  const auto begins = [&](std::string_view text) {
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& word) { return word.starts_with(text); });
  };
  if (std::none_of(words.begin(), words.end(), is_nsys)) return std::nullopt;
  const auto is_short_range = [](const std::string& option, const std::string& value) {
    return option == "-c" && value == "cudaProfilerApi";
  };
  const bool by_range =
      begins("--capture-range=cudaProfilerApi") ||
      std::adjacent_find(words.begin(), words.end(), is_short_range) != words.end();
  if (!by_range || begins("--capture-range-end")) return std::nullopt;
  return "--wrap: nsys ends the worker with its first window, and the row fails; add "
         "--capture-range-end=stop (repeat:N where schedule.repeat is N)";
}

}  // namespace stepbench::run
