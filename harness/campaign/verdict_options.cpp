// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/verdict_options.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "harness/base/error.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::campaign {
namespace {

double parse_margin(const std::string& given, std::string_view text) {
  const auto share = text::parse_share(text);
  if (!share) {
    throw ConfigError("--margin", "'" + given +
                                      "' is not a share from 0 to 1 or a percentage: step=1%, "
                                      "peak_bytes=0.005");
  }
  return *share;
}

void set_margin(const std::string& given, const std::vector<Metric>& columns,
                compare::TestedMetrics& tested) {
  const std::size_t equals = given.find('=');
  const std::string name = equals == std::string::npos ? "step" : given.substr(0, equals);
  const double share = parse_margin(
      given, std::string_view(given).substr(equals == std::string::npos ? 0 : equals + 1));
  compare::TestedMetric* metric = compare::find_tested(tested, name, columns);
  if (metric == nullptr) {
    throw ConfigError("--margin", "'" + name + "' is not tested; a margin can be given for " +
                                      tested.names() + " (--metric chooses what is tested)");
  }
  metric->margin = share;
}

void set_margins_of(const plan::Plan& plan, compare::TestedMetrics& tested) {
  for (const char* name : {"step", "peak_bytes"}) {
    compare::TestedMetric* metric = compare::find_tested(tested, name, {});
    if (metric == nullptr || plan.cases.empty()) continue;
    const Value* value =
        plan.cases.front().resolved.options.get("compare.margin." + std::string(name));
    if (value == nullptr || to_text(*value) == "auto") continue;
    set_margin(std::string(name) + "=" + to_text(*value), {}, tested);
  }
}

}  // namespace

compare::TestedMetrics tested_metrics(const TestedRequest& request,
                                      const std::vector<Metric>& columns, const plan::Plan* plan) {
  compare::TestedMetrics tested = compare::tested_metrics(request.metrics, columns);
  if (plan != nullptr) set_margins_of(*plan, tested);
  for (const std::string& given : request.margins) set_margin(given, columns, tested);
  return tested;
}

bool gates_counts(const OptionValues& options) {
  return text_of(options, "compare.gate") == "counts";
}

bool gates_counts(const plan::Plan& plan) {
  return !plan.cases.empty() && gates_counts(plan.cases.front().resolved.options);
}

std::optional<double> count_margin_of(const OptionValues& options) {
  const std::string text = text_of(options, "compare.margin.counts", "auto");
  if (text.empty() || text == "auto") return std::nullopt;
  return parse_margin("counts=" + text, text);
}

std::optional<double> count_margin_of(const plan::Plan& plan) {
  return plan.cases.empty() ? std::nullopt : count_margin_of(plan.cases.front().resolved.options);
}

std::optional<double> take_count_margin(std::vector<std::string>& margins, bool gate_counts) {
  constexpr std::string_view kCounts = "counts=";
  std::optional<double> margin;
  std::erase_if(margins, [&](const std::string& given) {
    if (!given.starts_with(kCounts)) return false;
    if (!gate_counts) {
      throw ConfigError("--margin", "'" + given +
                                        "' is a margin of counts, which decide only with "
                                        "--gate counts");
    }
    margin = parse_margin(given, std::string_view(given).substr(kCounts.size()));
    return true;
  });
  return margin;
}

void check_allowed(const std::vector<std::string>& allow, const std::vector<std::string>& known) {
  for (const std::string& name : allow) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    constexpr std::size_t kMaxListed = 12;
    std::string list = text::join(std::span(known).first(std::min(kMaxListed, known.size())));
    if (known.size() > kMaxListed) list += ", ...";
    throw ConfigError("--allow", "'" + name + "' cannot be allowed here" +
                                     text::did_you_mean(name, known) + "; known: " + list);
  }
}

}  // namespace stepbench::campaign
