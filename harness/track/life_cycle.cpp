// SPDX-License-Identifier: Apache-2.0
#include "harness/track/life_cycle.h"

#include <algorithm>
#include <array>

namespace stepbench::track {
namespace {

using S = AlertState;
using E = AlertEvent;

// Under which conditions a night, or a person, makes the events.
constexpr std::string_view kOpens = "a screen or a measurement against the kept program says so";
constexpr std::string_view kJoins = "another series moved between the same commits";
constexpr std::string_view kWasThere = "p < .005 and the 95 % bound beyond 1 %";
constexpr std::string_view kBelieved = "the mean of all measurements is beyond 1 % and layout";
constexpr std::string_view kBelievedBetter = "as confirmed, and better";
constexpr std::string_view kNotThereOnce = "its first measurement is below 1 %";
constexpr std::string_view kWasNotThere = "two measurements or more, their mean below 1 %; or five";
constexpr std::string_view kNoPair = "the last good program does not run, or on other software";
constexpr std::string_view kGateFailed = "a gate of the measurement failed";
constexpr std::string_view kPerson = "a person says so";
constexpr std::string_view kNoMore = "the date of the acceptance has passed, or a person ends it";
constexpr std::string_view kLowAgain = "two to four low measurements of last good against tonight";
constexpr std::string_view kTooLong = "undecided for 14 nights of its experiment";
constexpr std::string_view kOldFile = "read from histories of older versions, never made";

constexpr Transition to(S state, E event, std::string_view guard, S next, bool told = false) {
  return {state, event, guard, NextState::kTo, next, told};
}
constexpr Transition stays(S state, E event, std::string_view guard) {
  return {state, event, guard, NextState::kSame, state, false};
}

constexpr std::array kLifeCycle = std::to_array<Transition>({
    {std::nullopt, E::kFired, kOpens, NextState::kTo, S::kSuspect, false},

    stays(S::kSuspect, E::kFired, kJoins),
    to(S::kSuspect, E::kDoubted, kNotThereOnce, S::kDoubtful),
    to(S::kSuspect, E::kReproduced, kWasThere, S::kReproduced),
    to(S::kSuspect, E::kConfirmed, kBelieved, S::kRegression, true),
    to(S::kSuspect, E::kImproved, kBelievedBetter, S::kImprovement),
    to(S::kSuspect, E::kNotReproduced, kWasNotThere, S::kNotReproduced),
    to(S::kSuspect, E::kEnvironmentChange, kNoPair, S::kEnvironmentChange),
    to(S::kSuspect, E::kInvalid, kGateFailed, S::kInvalid),
    to(S::kSuspect, E::kAcknowledged, kPerson, S::kAcknowledged),
    to(S::kSuspect, E::kBaseline, kPerson, S::kFixed),
    to(S::kSuspect, E::kUnmeasured, kTooLong, S::kUnmeasured),
    to(S::kSuspect, E::kBack, kOldFile, S::kNotReproduced),

    stays(S::kDoubtful, E::kFired, kJoins),
    to(S::kDoubtful, E::kReproduced, kWasThere, S::kReproduced),
    to(S::kDoubtful, E::kConfirmed, kBelieved, S::kRegression, true),
    to(S::kDoubtful, E::kImproved, kBelievedBetter, S::kImprovement),
    to(S::kDoubtful, E::kNotReproduced, kWasNotThere, S::kNotReproduced),
    to(S::kDoubtful, E::kEnvironmentChange, kNoPair, S::kEnvironmentChange),
    stays(S::kDoubtful, E::kInvalid, kGateFailed),
    to(S::kDoubtful, E::kAcknowledged, kPerson, S::kAcknowledged),
    to(S::kDoubtful, E::kBaseline, kPerson, S::kFixed),
    to(S::kDoubtful, E::kUnmeasured, kTooLong, S::kUnmeasured),

    stays(S::kReproduced, E::kFired, kJoins),
    stays(S::kReproduced, E::kReproduced, kWasThere),
    to(S::kReproduced, E::kConfirmed, kBelieved, S::kRegression, true),
    to(S::kReproduced, E::kImproved, kBelievedBetter, S::kImprovement),
    to(S::kReproduced, E::kNotReproduced, kWasNotThere, S::kNotReproduced),
    to(S::kReproduced, E::kEnvironmentChange, kNoPair, S::kEnvironmentChange),
    stays(S::kReproduced, E::kInvalid, kGateFailed),
    to(S::kReproduced, E::kAcknowledged, kPerson, S::kAcknowledged),
    to(S::kReproduced, E::kBaseline, kPerson, S::kFixed),
    to(S::kReproduced, E::kUnmeasured, kTooLong, S::kUnmeasured),
    to(S::kReproduced, E::kBack, kOldFile, S::kFixed),

    stays(S::kInvalid, E::kFired, kJoins),
    to(S::kInvalid, E::kDoubted, kNotThereOnce, S::kDoubtful),
    to(S::kInvalid, E::kReproduced, kWasThere, S::kReproduced),
    to(S::kInvalid, E::kConfirmed, kBelieved, S::kRegression, true),
    to(S::kInvalid, E::kImproved, kBelievedBetter, S::kImprovement),
    to(S::kInvalid, E::kNotReproduced, kWasNotThere, S::kNotReproduced),
    to(S::kInvalid, E::kEnvironmentChange, kNoPair, S::kEnvironmentChange),
    stays(S::kInvalid, E::kInvalid, kGateFailed),
    to(S::kInvalid, E::kAcknowledged, kPerson, S::kAcknowledged),
    to(S::kInvalid, E::kBaseline, kPerson, S::kFixed),
    to(S::kInvalid, E::kUnmeasured, kTooLong, S::kUnmeasured),
    to(S::kInvalid, E::kBack, kOldFile, S::kNotReproduced),

    stays(S::kRegression, E::kFired, kJoins),
    stays(S::kRegression, E::kReproduced, kWasThere),
    stays(S::kRegression, E::kConfirmed, kBelieved),
    stays(S::kRegression, E::kEnvironmentChange, kNoPair),
    stays(S::kRegression, E::kInvalid, kGateFailed),
    to(S::kRegression, E::kFixed, kLowAgain, S::kFixed),
    to(S::kRegression, E::kAcknowledged, kPerson, S::kAcknowledged),
    to(S::kRegression, E::kBaseline, kPerson, S::kFixed),
    to(S::kRegression, E::kNotReproduced, kOldFile, S::kFixed),
    to(S::kRegression, E::kBack, kOldFile, S::kFixed),

    stays(S::kAcknowledged, E::kAcknowledged, kPerson),
    {S::kAcknowledged, E::kExpired, kNoMore, NextState::kBefore, S::kRegression, true},
    to(S::kAcknowledged, E::kBaseline, kPerson, S::kFixed),
    to(S::kAcknowledged, E::kGrew, kOldFile, S::kSuspect),
    to(S::kAcknowledged, E::kBack, kOldFile, S::kFixed),

    stays(S::kImprovement, E::kImproved, kBelievedBetter),
    to(S::kImprovement, E::kAcknowledged, kPerson, S::kAcknowledged),
    to(S::kImprovement, E::kBaseline, kPerson, S::kFixed),
    to(S::kImprovement, E::kNotReproduced, kOldFile, S::kNotReproduced),
    to(S::kImprovement, E::kBack, kOldFile, S::kFixed),

    to(S::kEnvironmentChange, E::kFired, kOldFile, S::kSuspect),
    to(S::kEnvironmentChange, E::kAcknowledged, kPerson, S::kAcknowledged),
    to(S::kEnvironmentChange, E::kBaseline, kPerson, S::kFixed),
    to(S::kEnvironmentChange, E::kReproduced, kOldFile, S::kReproduced),
    to(S::kEnvironmentChange, E::kConfirmed, kOldFile, S::kRegression),
    to(S::kEnvironmentChange, E::kImproved, kOldFile, S::kImprovement),
    to(S::kEnvironmentChange, E::kNotReproduced, kOldFile, S::kNotReproduced),
    to(S::kEnvironmentChange, E::kBack, kOldFile, S::kFixed),

    to(S::kNotReproduced, E::kFired, kOldFile, S::kSuspect),
    to(S::kNotReproduced, E::kReproduced, kOldFile, S::kReproduced),
    to(S::kNotReproduced, E::kConfirmed, kOldFile, S::kRegression),
    to(S::kNotReproduced, E::kImproved, kOldFile, S::kImprovement),
    to(S::kFixed, E::kFired, kOldFile, S::kSuspect),
});

}  // namespace

bool is_pending(AlertState state) {
  return state == AlertState::kSuspect || state == AlertState::kDoubtful ||
         state == AlertState::kReproduced || state == AlertState::kInvalid;
}

bool is_open(AlertState state) { return is_pending(state) || state == AlertState::kRegression; }

std::span<const Transition> life_cycle() { return kLifeCycle; }

const Transition* transition(std::optional<AlertState> state, AlertEvent event) {
  const auto* found = std::find_if(
      kLifeCycle.begin(), kLifeCycle.end(),
      [&](const Transition& each) { return each.state == state && each.event == event; });
  return found == kLifeCycle.end() ? nullptr : &*found;
}

std::optional<AlertState> state_after(std::optional<AlertState> state, AlertEvent event,
                                      AlertState before) {
  const Transition* known = transition(state, event);
  if (known == nullptr) return std::nullopt;
  return known->kind == NextState::kBefore ? before : known->next;
}

}  // namespace stepbench::track
