// SPDX-License-Identifier: Apache-2.0
// A finding as JSON, in result files and on the worker's channel. Empty members are omitted; an
// unknown severity (of a later version) counts as a warning.
#pragma once

#include <algorithm>
#include <limits>
#include <string>

#include "harness/findings/finding.h"
#include "harness/json/fields.h"

namespace stepbench {

template <typename V>
void fields(V& v, json::Of<Finding::Set> auto& set) {
  v("option", set.option)("value", set.value);
}

template <typename V>
void fields(V& v, json::Of<Finding::Place> auto& place) {
  v("name", place.name)("at_ns", place.at_ns)("duration_ns", place.duration_ns);
  v("step", place.step, {.written = place.step >= 0});
}

template <typename V>
void fields(V& v, json::Of<Finding> auto& finding) {
  constexpr std::string_view kLow = "low";
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if constexpr (V::kReads) {
    finding.severity = Severity::kWarning;
    finding.value = finding.threshold = kNone;
  }
  v("id", finding.id, json::kFilled)("severity", finding.severity, {.known = false});
  v("text", finding.text)("value", finding.value)("threshold", finding.threshold);
  v("unit", finding.unit)("share", finding.share, json::kSparse);
  v("evidence", finding.evidence, json::kSparse)("remedy", finding.remedy, json::kSparse);
  v("set", finding.set, json::kSparse)("gain_ns", finding.gain_ns, json::kSparse);
  v("window", finding.window, json::kSparse);
  std::string confidence(finding.low_confidence ? kLow : "");
  v("confidence", confidence, json::kSparse)("undecided", finding.undecided, json::kSparse);
  v("places", finding.places, json::kSparse);
  if constexpr (V::kReads) {
    finding.low_confidence = confidence == kLow;
    finding.places.resize(std::min(finding.places.size(), kMaxPlaces));
  }
}

}  // namespace stepbench
