// SPDX-License-Identifier: Apache-2.0
#include "harness/run/resume.h"

#include <algorithm>
#include <string_view>

#include "harness/base/error.h"
#include "harness/run/hidden_secrets.h"

namespace stepbench::run {
namespace {

void refuse(const std::string& what, const std::string& then, const std::string& now) {
  throw ConfigError("--resume", "this is not the same experiment: " + what + " was " + then +
                                    " and is now " + now + "; start a new run without --resume");
}

bool may_differ(std::string_view option, const Catalogue& catalogue) {
  constexpr std::string_view kLimits = "limits.";
  if (option.starts_with(kLimits) || option == "name" || option == "device") return true;
  const Option* declared = catalogue.find_option(option);
  return declared != nullptr && declared->type == OptionType::kPath;
}

void check_options(const record::Results& earlier, const plan::Plan& plan,
                   const Catalogue& catalogue) {
  std::map<std::string_view, const ResolvedCase*> planned;
  for (const plan::PlannedCase& entry : plan.cases)
    planned.emplace(entry.resolved.case_id, &entry.resolved);
  for (const record::Launch& launch : earlier.launches) {
    const auto found = planned.find(launch.row.key.case_id);
    if (found == planned.end()) continue;
    const OptionValues options = without_secrets(found->second->options);
    for (const auto& [name, then] : launch.row.options) {
      const auto now = options.find(name);
      if (now == options.end() || now->second == then || may_differ(name, catalogue)) continue;
      refuse(name + " of case " + launch.row.key.case_id, to_text(then), to_text(now->second));
    }
  }
}

}  // namespace

std::set<record::LaunchKey> done_launches(const record::Results& earlier, bool retry_failed) {
  std::set<record::LaunchKey> done;
  for (const record::Launch& launch : earlier.launches) {
    const bool failed = launch.row.outcome.kind == Outcome::Kind::kFailed;
    if (!(failed && retry_failed)) done.insert(launch.row.key);
  }
  return done;
}

std::map<record::LaunchKey, int> next_attempts(const record::Results& earlier) {
  std::map<record::LaunchKey, int> attempts;
  const auto count = [&](const record::LaunchKey& key, int attempt) {
    int& next = attempts[key];
    next = std::max(next, attempt + 1);
  };
  for (const record::Launch& launch : earlier.launches) count(launch.row.key, launch.row.attempt);
  for (const record::StartRow& start : earlier.unfinished) count(start.key, start.attempt);
  return attempts;
}

void check_same_experiment(const record::Results& earlier, const record::RunRow& now,
                           const plan::Plan& plan, const Catalogue& catalogue) {
  for (const record::RunRow& then : earlier.runs) {
    if (then.plan_digest != now.plan_digest)
      refuse("the plan's digest", then.plan_digest, now.plan_digest);
    if (then.smoke != now.smoke)
      refuse("--smoke or --quick", then.smoke ? "given" : "not given", now.smoke ? "given" : "not");
    constexpr std::pair<std::string_view, std::string_view> kFields[] = {
        {"worker_build_id", "the worker's build"}, {"data_digest", "the data's digest"}};
    for (const auto& [name, text] : kFields) {
      if (text_of(then.context, name) != text_of(now.context, name)) {
        refuse(std::string{text}, "`" + text_of(then.context, name) + "`",
               "`" + text_of(now.context, name) + "`");
      }
    }
  }
  check_options(earlier, plan, catalogue);
}

}  // namespace stepbench::run
