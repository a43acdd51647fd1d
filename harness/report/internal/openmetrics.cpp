// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/openmetrics.h"

#include <cctype>
#include <chrono>
#include <cmath>
#include <set>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/base/value.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/time_text.h"

namespace stepbench::report {
namespace {

std::string sample_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return to_text(value);
}

std::string escaped_label(std::string_view text) {
  std::string escaped;
  for (const char c : text::printable(text, text::LineEnds::kKeep)) {
    if (c == '\\' || c == '"' || c == '\n') escaped += '\\';
    escaped += c == '\n' ? 'n' : c;
  }
  return escaped;
}

}  // namespace

Family family_of(std::string_view metric) {
  constexpr std::string_view kNs = "_ns";
  const bool time = metric.ends_with(kNs);
  if (time) metric.remove_suffix(kNs.size());
  std::string name = "stepbench_" + GaugePage::name_text(metric);
  if (time) return {name + "_seconds", 1e-9};
  // Units in the middle of a name are spelled out, as required by Prometheus' linter.
  constexpr std::string_view kSeconds = "_s_";
  if (const auto at = name.find(kSeconds); at != std::string::npos) {
    name.replace(at, kSeconds.size(), "_seconds_");
  }
  return {name};
}

std::string GaugePage::name_text(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte < 0x80 && std::isalnum(byte) != 0 ? c : '_';
  }
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) != 0)
    text = '_' + text;
  return text;
}

std::string GaugePage::label_text(const Labels& labels, std::string text) {
  for (const auto& [name, value] : labels) {
    if (!text.empty()) text += ',';
    text += formatted("{}=\"{}\"", name, escaped_label(value));
  }
  return text;
}

std::vector<std::string> GaugePage::option_labels(const std::vector<std::string>& options) {
  std::set<std::string> used;
  std::vector<std::string> labels;
  for (const std::string& option : options) {
    std::string label = "option_" + name_text(option);
    while (!used.insert(label).second) label += '_';
    labels.push_back(std::move(label));
  }
  return labels;
}

void GaugePage::add(std::string_view name, std::string_view help, std::string_view labels,
                    const std::optional<double>& value) {
  if (!value) return;
  auto found = by_name_.find(name);
  if (found == by_name_.end()) {
    found = by_name_.emplace(name, families_.size()).first;
    OneFamily& family = families_.emplace_back();
    family.head.append("# TYPE ").append(name).append(" gauge\n");
    for (const std::string_view unit : {"_seconds", "_bytes", "_ratio"}) {
      if (!name.ends_with(unit)) continue;
      family.head.append("# UNIT ").append(name).append(" ").append(unit.substr(1)) += '\n';
    }
    family.head.append("# HELP ").append(name).append(" ").append(escaped_label(help)) += '\n';
  }
  std::string& samples = families_[found->second].samples;
  samples += name;
  if (!labels.empty()) samples.append("{").append(labels).append("}");
  samples.append(" ").append(sample_text(*value)) += '\n';
  ++samples_;
}

void GaugePage::add_started(const std::string& utc, std::string_view labels) {
  using std::chrono::seconds;
  const auto time = text::parse_utc(utc);
  const auto since = [&] { return duration_cast<seconds>(time->time_since_epoch()).count(); };
  add("stepbench_run_started_timestamp_seconds", "When the run began, as Unix time.", labels,
      time ? static_cast<double>(since()) : std::nan(""));
}

void GaugePage::write(const json::TextSink& sink, std::size_t max_series) const {
  if (samples_ > max_series) {
    throw ConfigError(
        "--max-series",
        formatted("these results make {} series, and at most {} were asked for: a server keeps "
                  "each of them. Export fewer cases, or give a larger number",
                  text::with_separators(samples_), text::with_separators(max_series)));
  }
  for (const OneFamily& family : families_) {
    sink(family.head);
    sink(family.samples);
  }
  sink("# EOF\n");
}

}  // namespace stepbench::report
