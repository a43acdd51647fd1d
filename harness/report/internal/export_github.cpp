// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/format.h"
#include "harness/report/exports.h"
#include "harness/text/printable.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kLongestMessage = 4000;  // bytes; GitHub cuts at 4 KiB

std::string replaced(std::string_view text, std::string_view escaped) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool stays = escaped.find(c) == std::string_view::npos;
    out += stays ? std::string(1, c) : std::string{'%', kHex[byte >> 4U], kHex[byte & 15U]};
  }
  return out;
}

// Escapes line ends, since a new line could be a command of its own.
std::string data_text(std::string_view text) {
  std::string shown = text::printable(text, text::LineEnds::kKeep);
  while (shown.ends_with('\n')) shown.pop_back();
  if (shown.size() > kLongestMessage) {
    shown = text::printable(shown.substr(0, kLongestMessage), text::LineEnds::kKeep) + " ...";
  }
  return replaced(shown, "%\n");
}

std::string property_text(std::string_view text) { return replaced(text::printable(text), "%:,"); }

std::string line_of(const std::string& kind, const CheckSuite& suite, const Check& check) {
  std::string line =
      formatted("::{} title={}", kind,
                property_text(formatted("{}: {} {}", check.type, check.group, check.name)));
  const bool in_checkout = !suite.file.empty() && !suite.file.starts_with('/') && suite.file != "-";
  if (in_checkout) line += ",file=" + property_text(suite.file);
  std::string text = check.message;
  if (check.state == CheckState::kFailed && check.text != text + '\n') text += '\n' + check.text;
  return formatted("{}::{}\n", line, data_text(text));
}

}  // namespace

std::string github_annotations(std::span<const CheckSuite> suites) {
  std::string lines;
  std::size_t passed = 0;
  for (const CheckSuite& suite : suites) passed += suite.count(CheckState::kPassed);
  // Adds one line per check in these states, ordered by `states`.
  const auto add = [&](const std::string& kind, const std::vector<CheckState>& states) {
    std::size_t found = 0;
    for (const CheckState state : states) {
      for (const CheckSuite& suite : suites) {
        for (const Check& check : suite.checks) {
          if (check.state != state || found++ >= kMaxAnnotations) continue;
          lines += line_of(kind, suite, check);
        }
      }
    }
    return found;
  };
  const std::size_t errors = add("error", {CheckState::kFailed, CheckState::kError});
  const std::size_t warnings = add("warning", {CheckState::kSkipped});
  std::string summary =
      formatted("{} passed, {} failed or without a result, {} skipped or not decided", passed,
                errors, warnings);
  if (errors > kMaxAnnotations || warnings > kMaxAnnotations) {
    summary += formatted("; the first {} of a kind are shown", kMaxAnnotations);
  }
  std::string title = "stepbench";
  if (suites.size() == 1) {
    title += ' ' + suites.front().name;
    if (!suites.front().verdict.empty()) title += ": " + suites.front().verdict;
  }
  return formatted("{}::notice title={}::{}\n", lines, property_text(title), data_text(summary));
}

}  // namespace stepbench::report
