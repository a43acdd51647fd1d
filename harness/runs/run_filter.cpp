// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/run_filter.h"

#include <fnmatch.h>

#include <algorithm>

#include "harness/base/error.h"
#include "harness/text/age.h"
#include "harness/text/utc.h"

namespace stepbench::runs {
namespace {

bool has_label(const RunSummary& run, const std::string& wanted) {
  const std::size_t equals = wanted.find('=');
  const auto found = run.labels.find(wanted.substr(0, equals));
  if (found == run.labels.end()) return false;
  return equals == std::string::npos || to_text(found->second) == wanted.substr(equals + 1);
}

bool is_named(const RunSummary& run, const std::string& pattern) {
  const std::string folder = run.folder.filename().string();
  for (const std::string* name : {&run.name, &run.run_id, &folder}) {
    if (::fnmatch(pattern.c_str(), name->c_str(), 0) == 0) return true;
  }
  return false;
}

}  // namespace

bool passes(const RunSummary& run, const RunFilter& filter) {
  if (!filter.name.empty() && !is_named(run, filter.name)) return false;
  if (!std::all_of(filter.labels.begin(), filter.labels.end(),
                   [&](const std::string& label) { return has_label(run, label); })) {
    return false;
  }
  if (!filter.since) return true;
  const auto time = begun(run);
  return time && *time >= *filter.since;
}

std::optional<Moment> begun(const RunSummary& run) { return text::parse_utc(run.started_utc); }

Moment parse_since(const std::string& flag, const std::string& text, Moment now) {
  if (const auto time = text::parse_utc(text)) return *time;
  if (const auto age = text::parse_age(text)) return now - *age;
  throw ConfigError(flag,
                    "expected a day such as 2026-01-31, with a time of day (UTC) or without, "
                    "or " +
                        std::string(text::kAgeExamples) + ", found '" + text + "'");
}

}  // namespace stepbench::runs
