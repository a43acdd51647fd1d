// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/verdict_options.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <string_view>

#include "harness/base/error.h"
#include "harness/text/words.h"

namespace stepbench {
namespace {

double parse_margin(const std::string& given, std::string_view text) {
  double value = 0;
  const bool percent = !text.empty() && text.back() == '%';
  if (percent) text.remove_suffix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const double share = percent ? value / 100 : value;
  if (error != std::errc{} || end != text.data() + text.size() || !(share >= 0 && share < 1)) {
    throw ConfigError("--margin", "'" + given +
                                      "' is not a share from 0 to 1 or a percentage: step=1%, "
                                      "peak_bytes=0.005");
  }
  return share;
}

}  // namespace

Margins parse_margins(const std::vector<std::string>& given, Margins margins) {
  for (const std::string& text : given) {
    const std::size_t equals = text.find('=');
    const std::string name = equals == std::string::npos ? "step" : text.substr(0, equals);
    const double share = parse_margin(
        text, std::string_view(text).substr(equals == std::string::npos ? 0 : equals + 1));
    if (name == "step") {
      margins.step = share;
    } else if (name == "peak_bytes") {
      margins.peak_bytes = share;
    } else {
      throw ConfigError("--margin",
                        "'" + name + "' has no margin; those that have: step, peak_bytes");
    }
  }
  return margins;
}

Margins margins_of(const Plan& plan) {
  std::vector<std::string> given;
  for (const std::string name : {"step", "peak_bytes"}) {
    if (plan.cases.empty()) break;
    const Value* value = plan.cases.front().resolved.options.get("compare.margin." + name);
    if (value == nullptr || to_text(*value) == "auto") continue;
    given.push_back(name + "=" + to_text(*value));
  }
  return parse_margins(given, {});
}

void check_allowed(const std::vector<std::string>& allow, const std::vector<std::string>& known) {
  for (const std::string& name : allow) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    constexpr std::size_t kMaxListed = 12;
    std::string list = join(std::span(known).first(std::min(kMaxListed, known.size())));
    if (known.size() > kMaxListed) list += ", ...";
    throw ConfigError("--allow", "'" + name + "' is nothing that can be allowed here" +
                                     did_you_mean(name, known) + "; what can be: " + list);
  }
}

}  // namespace stepbench
