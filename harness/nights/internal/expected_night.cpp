// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/expected_night.h"

#include "harness/base/error.h"
#include "harness/text/time_text.h"

namespace stepbench::nights {

ExpectedWithin expected_within(std::string_view by, std::chrono::system_clock::time_point now) {
  constexpr std::size_t kDateDigits = 10;  // date part of 2026-01-31T12:00:00Z
  const std::string today = text::utc_text(now).substr(0, kDateDigits);
  const auto time = text::parse_utc(today + ' ' + std::string(by));
  if (!time) {
    throw ConfigError("--expect-by",
                      "expected a time of day in UTC as 08:00, found '" + std::string(by) + "'");
  }
  constexpr auto kDay = std::chrono::hours(24);
  const auto last = *time <= now ? *time : *time - kDay;
  return {.from_utc = text::utc_text(last - kDay), .by_utc = text::utc_text(last)};
}

ExpectedNights expected_nights(std::span<const std::string> experiments,
                               std::span<const TrackedRun> runs, std::string_view host,
                               const ExpectedWithin& within) {
  ExpectedNights nights;
  for (const std::string& experiment : experiments) {
    const TrackedRun* newest = nullptr;
    for (const TrackedRun& run : runs) {
      if (run.experiment == experiment && run.host == host) newest = &run;
    }
    const std::string began =
        newest == nullptr ? std::string() : text::minute_text(newest->started_utc);
    if (newest != nullptr && newest->started_utc > within.from_utc) {
      nights.there.push_back(experiment + ": its night began at " + began);
      continue;
    }
    nights.missing.push_back(
        "no night of " + experiment + " ended by " + text::minute_text(within.by_utc) +
        (newest == nullptr ? "; no earlier night" : "; the last began at " + began));
  }
  return nights;
}

}  // namespace stepbench::nights
