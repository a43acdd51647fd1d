// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/openmetrics.h"

#include <cctype>
#include <cmath>

#include "harness/base/value.h"
#include "harness/text/printable.h"

namespace stepbench::report {
namespace {

void append_sample_value(std::string& text, double value) {
  if (std::isnan(value)) {
    text += "NaN";
  } else if (std::isinf(value)) {
    text += value > 0 ? "+Inf" : "-Inf";
  } else {
    append_number(text, value);
  }
}

std::string escaped_label(std::string_view text) {
  std::string escaped;
  for (const char c : text::printable(text, text::LineEnds::kKeep)) {
    if (c == '\n') {
      escaped += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

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
    text += name + "=\"" + escaped_label(value) + '"';
  }
  return text;
}

void GaugePage::add(std::string_view name, std::string_view help, std::string_view labels,
                    double value) {
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
  append_sample_value(samples += ' ', value);
  samples += '\n';
  ++samples_;
}

std::string GaugePage::text() const {
  return json::whole_text([this](const json::TextSink& sink) { write(sink); });
}

void GaugePage::write(const json::TextSink& sink) const {
  for (const OneFamily& family : families_) {
    sink(family.head);
    sink(family.samples);
  }
  sink("# EOF\n");
}

}  // namespace stepbench::report
