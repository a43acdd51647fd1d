// SPDX-License-Identifier: Apache-2.0
#include "harness/text/openmetrics.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "harness/text/printable.h"

namespace stepbench {
namespace {

std::string sample_value(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 40> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string escaped_label(std::string_view text) {
  std::string escaped;
  for (const char c : printable(text, LineEnds::kKeep)) {
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

std::string GaugePage::label_text(const Labels& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    if (!text.empty()) text += ',';
    text += name + "=\"" + escaped_label(value) + '"';
  }
  return text;
}

void GaugePage::add(const std::string& name, std::string_view unit, std::string_view help,
                    std::string_view labels, double value) {
  const auto [found, is_new] = by_name_.try_emplace(name, families_.size());
  if (is_new) {
    OneFamily& family = families_.emplace_back();
    family.head = "# TYPE " + name + " gauge\n";
    if (!unit.empty()) family.head.append("# UNIT ").append(name).append(" ").append(unit) += '\n';
    family.head += "# HELP " + name + ' ' + escaped_label(help) + '\n';
  }
  std::string& samples = families_[found->second].samples;
  samples += name;
  if (!labels.empty()) samples.append("{").append(labels).append("}");
  samples.append(" ").append(sample_value(value)) += '\n';
  ++samples_;
}

std::string GaugePage::take() {
  std::string page;
  for (const OneFamily& family : families_) page += family.head + family.samples;
  families_.clear();
  by_name_.clear();
  samples_ = 0;
  return page + "# EOF\n";
}

}  // namespace stepbench
