// SPDX-License-Identifier: Apache-2.0
#include "harness/run/hidden_secrets.h"

#include <set>
#include <string_view>
#include <utility>

#include "harness/text/secrets.h"

namespace stepbench::run {
namespace {

bool is_secret(std::string_view name, const Value& value) {
  return !is_null(value) && text::is_secret_option(name);
}

}  // namespace

std::vector<std::string> secret_values(const plan::Plan& plan,
                                       const machine::Variables& inherited) {
  std::set<std::string> values;
  for (const auto& [name, value] : inherited) {
    // Shorter values may be ordinary words. Paths, such as sockets, are not secret.
    constexpr std::size_t kMinBytes = 8;
    const bool is_path = value.starts_with('/');
    if (text::is_secret_name(name) && value.size() >= kMinBytes && !is_path) values.insert(value);
  }
  for (const plan::PlannedCase& planned : plan.cases) {
    for (const auto& [name, value] : planned.resolved.options) {
      if (is_secret(name, value)) values.insert(to_text(value));
    }
  }
  return {values.begin(), values.end()};
}

OptionValues without_secrets(const OptionValues& options) {
  OptionValues shown = options;
  for (const auto& [name, value] : options) {
    if (is_secret(name, value)) {
      shown.insert_or_assign(name, text::masked_value(to_text(value)));
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      // The masked value keeps different passwords distinguishable.
      std::string masked = text::mask_secrets(*text, {});
      if (masked != *text) {
        shown.insert_or_assign(name, masked + " (" + text::masked_value(*text) + ")");
      }
    }
  }
  return shown;
}

void hide_secrets(record::RunRow& row, const std::vector<std::string>& values) {
  constexpr std::string_view kCommand = "--on-alert";
  for (std::size_t i = 0; i < row.argv.size(); ++i) {
    const bool precedes = row.argv[i] == kCommand || text::is_secret_flag(row.argv[i]);
    if (precedes && i + 1 < row.argv.size()) row.argv[i + 1] = text::kMask;
    if (row.argv[i].starts_with("--on-alert=")) row.argv[i] = "--on-alert=***";
  }
  for (auto* texts : {&row.argv, &row.asked.set, &row.asked.sweep, &row.asked.filter}) {
    for (std::string& text : *texts) text = text::mask_secrets(text, values);
  }
  row.config_text = text::mask_secrets(row.config_text, values);
  for (Fields* fields : {&row.context, &row.labels}) {
    for (auto& [name, value] : *fields) {
      if (const auto* text = std::get_if<std::string>(&value)) {
        value = text::mask_secrets(*text, values);
      }
    }
  }
}

}  // namespace stepbench::run
