// SPDX-License-Identifier: Apache-2.0
#include "harness/report/export_junit.h"

#include <array>
#include <charconv>
#include <string_view>

#include "harness/text/xml.h"

namespace stepbench::report {
namespace {

void add_attribute(std::string& xml, std::string_view name, std::string_view value) {
  xml.append(" ").append(name).append("=\"").append(text::xml_text(value)).append("\"");
}

// A decimal without an exponent, to the nanosecond.
std::string seconds_attribute(double seconds) {
  std::array<char, 64> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::fixed, 9)
          .ptr;
  return {text.data(), end};
}

void add_properties(std::string& xml, const Fields& properties, std::string_view indent) {
  if (properties.empty()) return;
  xml.append(indent).append("<properties>\n");
  for (const auto& [name, value] : properties) {
    xml.append(indent).append("  <property");
    add_attribute(xml, "name", name);
    add_attribute(xml, "value", to_text(value));
    xml += "/>\n";
  }
  xml.append(indent).append("</properties>\n");
}

void add_outcome(std::string& xml, const Check& check) {
  std::string_view element;
  switch (check.state) {
    case CheckState::kPassed:
      return;
    case CheckState::kFailed:
      element = "failure";
      break;
    case CheckState::kError:
      element = "error";
      break;
    case CheckState::kSkipped:
      element = "skipped";
      break;
  }
  xml.append("      <").append(element);
  add_attribute(xml, "message", check.message);
  if (check.state == CheckState::kSkipped) {
    xml += "/>\n";
    return;
  }
  add_attribute(xml, "type", check.type);
  xml.append(">").append(text::xml_text(check.text.empty() ? check.message : check.text));
  xml.append("</").append(element).append(">\n");
}

void add_check(std::string& xml, const Check& check) {
  xml += "    <testcase";
  add_attribute(xml, "name", check.name);
  add_attribute(xml, "classname", check.group);
  add_attribute(xml, "time", seconds_attribute(check.seconds.value_or(0)));
  xml += ">\n";
  add_properties(xml, check.properties, "      ");
  add_outcome(xml, check);
  std::string output = check.state == CheckState::kFailed ? "" : check.text;
  if (!check.repeat.empty()) output += "repeat: " + check.repeat + '\n';
  if (!output.empty()) xml += "      <system-out>" + text::xml_text(output) + "</system-out>\n";
  xml += "    </testcase>\n";
}

struct CheckTotals {
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::size_t skipped = 0;
  double seconds = 0;

  void add(const CheckSuite& suite) {
    tests += suite.checks.size();
    failures += suite.count(CheckState::kFailed);
    errors += suite.count(CheckState::kError);
    skipped += suite.count(CheckState::kSkipped);
    for (const Check& check : suite.checks) seconds += check.seconds.value_or(0);
  }
};

void add_totals(std::string& xml, const CheckTotals& totals, bool with_skipped) {
  add_attribute(xml, "tests", std::to_string(totals.tests));
  add_attribute(xml, "failures", std::to_string(totals.failures));
  add_attribute(xml, "errors", std::to_string(totals.errors));
  if (with_skipped) add_attribute(xml, "skipped", std::to_string(totals.skipped));
  add_attribute(xml, "time", seconds_attribute(totals.seconds));
}

void add_suite(std::string& xml, const CheckSuite& suite) {
  CheckTotals totals;
  totals.add(suite);
  xml += "  <testsuite";
  add_attribute(xml, "name", suite.name);
  add_totals(xml, totals, true);
  // Readers of the oldest form take a time without its zone.
  std::string_view begun = suite.started_utc;
  if (begun.ends_with('Z')) begun.remove_suffix(1);
  if (begun.size() == std::string_view("2026-01-31T12:00:00").size()) {
    add_attribute(xml, "timestamp", begun);
  }
  if (!suite.host.empty()) add_attribute(xml, "hostname", suite.host);
  xml += ">\n";
  add_properties(xml, suite.properties, "    ");
  for (const Check& check : suite.checks) add_check(xml, check);
  xml += "  </testsuite>\n";
}

}  // namespace

std::string junit_xml(std::span<const CheckSuite> suites) {
  CheckTotals totals;
  for (const CheckSuite& suite : suites) totals.add(suite);
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites";
  add_attribute(xml, "name", "stepbench");
  add_totals(xml, totals, false);
  xml += ">\n";
  for (const CheckSuite& suite : suites) add_suite(xml, suite);
  return xml + "</testsuites>\n";
}

}  // namespace stepbench::report
