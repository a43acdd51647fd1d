// SPDX-License-Identifier: Apache-2.0
#include "harness/report/annotations.h"

#include <string_view>
#include <vector>

#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kLongestMessage = 4000;  // bytes; GitHub cuts at 4 KiB

std::string replaced(std::string_view text, std::string_view escaped) {
  std::string out;
  for (const char c : text) {
    if (escaped.find(c) == std::string_view::npos) {
      out += c;
      continue;
    }
    constexpr std::string_view kHex = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4U];
    out += kHex[byte & 15U];
  }
  return out;
}

// A line end would begin a line that could be a command of its own.
std::string data_text(std::string_view text) {
  std::string shown = text::printable(text, text::LineEnds::kKeep);
  while (shown.ends_with('\n')) shown.pop_back();
  if (shown.size() > kLongestMessage) {
    shown = text::printable(shown.substr(0, kLongestMessage), text::LineEnds::kKeep) + " ...";
  }
  return replaced(shown, "%\n");
}

std::string property_text(std::string_view text) { return replaced(text::printable(text), "%:,"); }

std::string line_of(std::string_view kind, const CheckSuite& suite, const Check& check) {
  std::string line = "::" + std::string(kind) +
                     " title=" + property_text(check.type + ": " + check.group + ' ' + check.name);
  const bool in_checkout = !suite.file.empty() && !suite.file.starts_with('/') && suite.file != "-";
  if (in_checkout) line += ",file=" + property_text(suite.file);
  std::string text = check.message;
  if (check.state == CheckState::kFailed && check.text != text + '\n') text += '\n' + check.text;
  return line + "::" + data_text(text) + '\n';
}

}  // namespace

std::string github_annotations(std::span<const CheckSuite> suites) {
  std::string errors;
  std::string warnings;
  std::size_t error_count = 0;
  std::size_t warning_count = 0;
  std::size_t passed = 0;
  const auto add_errors = [&](CheckState wanted) {
    for (const CheckSuite& suite : suites) {
      for (const Check& check : suite.checks) {
        if (check.state != wanted) continue;
        if (error_count++ < kMaxAnnotations) errors += line_of("error", suite, check);
      }
    }
  };
  add_errors(CheckState::kFailed);
  add_errors(CheckState::kError);
  for (const CheckSuite& suite : suites) {
    passed += suite.count(CheckState::kPassed);
    for (const Check& check : suite.checks) {
      if (check.state != CheckState::kSkipped) continue;
      if (warning_count++ < kMaxAnnotations) warnings += line_of("warning", suite, check);
    }
  }
  const auto number = [](std::size_t count) { return std::to_string(count); };
  std::string summary = number(passed) + " passed, " + number(error_count) +
                        " failed or without an answer, " + number(warning_count) +
                        " skipped or not decided";
  if (error_count > kMaxAnnotations || warning_count > kMaxAnnotations) {
    summary += "; the first " + number(kMaxAnnotations) + " of a kind are shown";
  }
  std::string title = "stepbench";
  if (suites.size() == 1) {
    const CheckSuite& suite = suites.front();
    title += ' ' + suite.name;
    if (!suite.verdict.empty()) title += ": " + suite.verdict;
  }
  return errors + warnings + "::notice title=" + property_text(title) + "::" + data_text(summary) +
         '\n';
}

}  // namespace stepbench::report
