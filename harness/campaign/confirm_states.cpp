// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/confirm_states.h"

#include <utility>

#include "harness/text/numbers.h"

namespace stepbench::campaign {
namespace {

constexpr std::size_t kCaseDigits = 8;

void keep_numbers(ConfirmFinding& finding, ConfirmedSeries& one) {
  one.answers.push_back(finding.answer);
  one.good_value = finding.good_value;
  one.tonight_value = finding.tonight_value;
  if (!finding.cause.empty()) one.cause = std::move(finding.cause);
  if (!finding.ops.empty()) one.ops = std::move(finding.ops);
}

void take_first(const ConfirmRequest& request, ConfirmFinding finding, ConfirmedSeries& one) {
  one.why = std::move(finding.why);
  switch (finding.kind) {
    case FindingKind::kReproduced:
      one.state =
          is_worse(one.suspect) ? track::AlertState::kReproduced : track::AlertState::kImprovement;
      keep_numbers(finding, one);
      break;
    case FindingKind::kNotReproduced:
      one.state = track::AlertState::kNotReproduced;
      keep_numbers(finding, one);
      break;
    case FindingKind::kInvalid:
      one.state = track::AlertState::kInvalid;
      break;
    case FindingKind::kNotComparable:
      one.state = track::AlertState::kEnvironmentChange;
      one.good_fails = finding.good_fails || request.bridge;
      break;
  }
}

void take_second(const ConfirmRequest& request, ConfirmFinding finding, ConfirmedSeries& one) {
  switch (finding.kind) {
    case FindingKind::kReproduced:
      one.state = track::AlertState::kRegression;
      one.why.clear();
      keep_numbers(finding, one);
      break;
    case FindingKind::kNotReproduced:
      one.why = request.relinked.empty()
                    ? "reproduced once, but not with both programs at fresh paths: how they lay in "
                      "memory may be the cause"
                    : "reproduced once, but not with the relinked program: how the first one lay "
                      "in memory may be the cause";
      keep_numbers(finding, one);
      break;
    case FindingKind::kInvalid:
    case FindingKind::kNotComparable:
      take_no_finding(2, one.state, finding.why, one);
      break;
  }
}

}  // namespace

bool is_worse(const Suspect& suspect) {
  return suspect.higher == (suspect.direction != Direction::kHigherIsBetter);
}

void take_finding(const ConfirmRequest& request, int number, ConfirmFinding finding,
                  ConfirmedSeries& one) {
  if (number == 1) {
    take_first(request, std::move(finding), one);
  } else {
    take_second(request, std::move(finding), one);
  }
}

void take_no_finding(int number, track::AlertState state, const std::string& why,
                     ConfirmedSeries& one) {
  if (number == 1) {
    one.state = state;
    one.why = why;
  } else {
    one.why = "reproduced once; the second measurement says nothing: " + why;
  }
}

std::string describe(const ConfirmedSeries& one) {
  std::string text = one.suspect.case_id.substr(0, kCaseDigits) + ' ' + one.suspect.metric + ": " +
                     std::string(name_of(one.state));
  if (!one.answers.empty()) {
    const track::ConfirmAnswer& last = one.answers.back();
    text += ", " + text::signed_percent(last.change) + " % [" + text::signed_percent(last.low) +
            ", " + text::signed_percent(last.high) + "]";
  }
  return one.why.empty() ? text : text + ": " + one.why;
}

}  // namespace stepbench::campaign
