// SPDX-License-Identifier: Apache-2.0
// The life of an alert, from the night in which a series moved until a measurement or a person ends
// it, as one table: state, event, under which condition a night makes that event, the next state,
// and whether people are told. Nothing else decides what follows. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "harness/base/enum_names.h"

namespace stepbench::track {

enum class AlertState : std::uint8_t {  // written to disk by name
  kSuspect,                             // it moved, and was not measured yet
  kNotReproduced,                       // measured often enough, and it was not there
  kReproduced,         // measured, and it was there; not yet beyond what the layout of builds does
  kRegression,         // measured, and told
  kImprovement,        // measured, and better
  kEnvironmentChange,  // the two programs cannot be set beside each other: no blame
  kAcknowledged,       // somebody accepts it, with a reason
  kFixed,              // measured, and gone, or a new baseline
  kInvalid,            // the measurement could not be judged: measured again
  kDoubtful,           // measured once, and not there: measured once more with another build
  kUnmeasured          // it could not be measured for too long, and expired
};
constexpr EnumNames<11> names_of(AlertState) {
  return {"suspect",     "not-reproduced",     "reproduced",   "regression",
          "improvement", "environment-change", "acknowledged", "fixed",
          "invalid",     "doubtful",           "unmeasured"};
}
inline constexpr std::size_t kAlertStates = 11;

// To be measured until it is decided: suspect, doubtful, reproduced, invalid.
[[nodiscard]] bool is_pending(AlertState state);
// Pending, or a regression.
[[nodiscard]] bool is_open(AlertState state);

// What happens to an alert: TrackEvent::what, by name.
enum class AlertEvent : std::uint8_t {
  kFired,              // "fired": a series moved; opens the alert, or one more series joins it
  kReproduced,         // "reproduced"
  kConfirmed,          // "confirmed": beyond what the layout of builds does; told
  kImproved,           // "improved": the same, and better
  kNotReproduced,      // "not-reproduced"
  kEnvironmentChange,  // "environment-change"
  kInvalid,            // "invalid"
  kAcknowledged,       // "acknowledged": by a person; details: until, expect
  kExpired,            // "expired": the date of an acknowledgement has passed, or a person ends it
  kGrew,               // "grew": of older versions only; growth is an alert of its own now
  kBack,               // "back": of older versions only, which closed without a measurement
  kBaseline,           // "baseline": somebody declared a newer run to be the usual
  kDoubted,            // "doubted": measured for the first time, and not there
  kFixed,              // "fixed": last good against tonight, and it is gone
  kUnmeasured          // "unmeasured": nothing could decide it for kNightsToMeasure nights
};
constexpr EnumNames<15> names_of(AlertEvent) {
  return {
      "fired",   "reproduced",   "confirmed", "improved", "not-reproduced", "environment-change",
      "invalid", "acknowledged", "expired",   "grew",     "back",           "baseline",
      "doubted", "fixed",        "unmeasured"};
}
inline constexpr std::size_t kAlertEvents = 15;

// A suspicion that no measurement decides in so many nights of its experiment expires.
inline constexpr std::size_t kNightsToMeasure = 14;

enum class NextState : std::uint8_t {
  kTo,      // Transition::next
  kSame,    // it stays as it is
  kBefore,  // the state that an acknowledgement ended
};

struct Transition {
  std::optional<AlertState> state;  // nothing: before the alert is opened
  AlertEvent event;
  std::string_view guard;  // when a night makes this event, in words
  NextState kind;
  AlertState next;  // of kTo
  bool told;        // --on-alert: only what was measured, or what a person asked to be told
};
// Every state and event that can meet; what is not here cannot happen.
[[nodiscard]] std::span<const Transition> life_cycle();
[[nodiscard]] const Transition* transition(std::optional<AlertState> state, AlertEvent event);

// `before`: the state that an acknowledgement ended. Nothing: this cannot happen in that state.
[[nodiscard]] std::optional<AlertState> state_after(std::optional<AlertState> state,
                                                    AlertEvent event, AlertState before);

}  // namespace stepbench::track
