// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/format.h"
#include "harness/report/internal/export_formats.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

// Uses only elements that all readers support: tests/judges/junit.xsd.

using Attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

std::string attributes_text(const Attributes& attributes) {
  std::string xml;
  for (const auto& [name, value] : attributes) {
    xml.append(" ").append(name).append("=\"").append(text::xml_text(value)).append("\"");
  }
  return xml;
}

// A decimal without an exponent, to the nanosecond.
std::string seconds_attribute(double seconds) {
  std::array<char, 64> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::fixed, 9)
          .ptr;
  return {text.data(), end};
}

std::string properties_text(const Fields& properties, const std::string& indent) {
  if (properties.empty()) return {};
  std::string xml = indent + "<properties>\n";
  for (const auto& [name, value] : properties) {
    xml += formatted("{}  <property{}/>\n", indent,
                     attributes_text({{"name", name}, {"value", to_text(value)}}));
  }
  return formatted("{}{}</properties>\n", xml, indent);
}

std::string outcome_text(const Check& check) {
  if (check.state == CheckState::kPassed) return {};
  const std::string head = attributes_text({{"message", check.message}});
  if (check.state == CheckState::kSkipped) return formatted("      <skipped{}/>\n", head);
  const std::string element = check.state == CheckState::kFailed ? "failure" : "error";
  return formatted("      <{}{}{}>{}</{}>\n", element, head,
                   attributes_text({{"type", check.type}}),
                   text::xml_text(check.text.empty() ? check.message : check.text), element);
}

std::string check_text(const Check& check) {
  std::string output = check.state == CheckState::kFailed ? "" : check.text;
  if (!check.repeat.empty()) output += "repeat: " + check.repeat + '\n';
  if (!output.empty())
    output = formatted("      <system-out>{}</system-out>\n", text::xml_text(output));
  return formatted("    <testcase{}>\n{}{}{}    </testcase>\n",
                   attributes_text({{"name", check.name},
                                    {"classname", check.group},
                                    {"time", seconds_attribute(check.seconds.value_or(0))}}),
                   properties_text(check.properties, "      "), outcome_text(check), output);
}

// Totals as attributes; the number of skipped tests is only allowed for a single suite.
std::string totals_text(std::span<const CheckSuite> suites, bool with_skipped) {
  std::size_t tests = 0;
  double seconds = 0;
  for (const CheckSuite& suite : suites) {
    tests += suite.checks.size();
    for (const Check& check : suite.checks) seconds += check.seconds.value_or(0);
  }
  const auto count = [&](CheckState state) {
    std::size_t sum = 0;
    for (const CheckSuite& suite : suites) sum += suite.count(state);
    return std::to_string(sum);
  };
  return attributes_text({{"tests", std::to_string(tests)},
                          {"failures", count(CheckState::kFailed)},
                          {"errors", count(CheckState::kError)}}) +
         (with_skipped ? attributes_text({{"skipped", count(CheckState::kSkipped)}}) : "") +
         attributes_text({{"time", seconds_attribute(seconds)}});
}

std::string suite_text(const CheckSuite& suite) {
  std::string xml = formatted("  <testsuite{}{}", attributes_text({{"name", suite.name}}),
                              totals_text({&suite, 1}, true));
  // Readers of the oldest format expect a time without a zone.
  std::string begun = suite.started_utc;
  if (begun.ends_with('Z')) begun.pop_back();
  if (begun.size() == std::string_view("2026-01-31T12:00:00").size()) {
    xml += attributes_text({{"timestamp", begun}});
  }
  if (!suite.host.empty()) xml += attributes_text({{"hostname", suite.host}});
  xml += ">\n" + properties_text(suite.properties, "    ");
  for (const Check& check : suite.checks) xml += check_text(check);
  return xml + "  </testsuite>\n";
}

std::string junit_xml(std::span<const CheckSuite> suites) {
  std::string xml = formatted("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites{}{}>\n",
                              attributes_text({{"name", "stepbench"}}), totals_text(suites, false));
  for (const CheckSuite& suite : suites) xml += suite_text(suite);
  return xml + "</testsuites>\n";
}

}  // namespace

ExportFormat junit_format() {
  return {.name = "junit",
          .ending = ".xml",
          .use = "test reports of GitLab, Jenkins, GitHub and others",
          .of_run = [](const record::Results& results, const ExportOptions&,
                       const json::TextSink& sink) { sink(junit_xml(checks_of(results))); },
          .of_verdict = [](std::span<const verdict::Comparison> all,
                           const ExportOptions&) { return junit_xml(checks_of(all)); },
          .of_night = [](const std::string& night,
                         const ExportOptions&) { return junit_xml(checks_of_night(night)); },
          .of_error = [](const std::string& command, const std::string& message,
                         int) { return junit_xml(checks_of_error(command, message)); }};
}

}  // namespace stepbench::report
