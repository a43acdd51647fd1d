// SPDX-License-Identifier: Apache-2.0
#include "harness/track/night_states.h"

namespace stepbench::track {

NightState night_state_of(AlertState state) {
  switch (state) {
    case AlertState::kSuspect:
      return NightState::kSuspect;
    case AlertState::kNotReproduced:
      return NightState::kNotReproduced;
    case AlertState::kReproduced:
      return NightState::kReproduced;
    case AlertState::kRegression:
      return NightState::kRegression;
    case AlertState::kImprovement:
      return NightState::kImprovement;
    case AlertState::kEnvironmentChange:
      return NightState::kEnvironmentChange;
    case AlertState::kAcknowledged:
      return NightState::kAcknowledged;
    case AlertState::kFixed:
      return NightState::kFixed;
    case AlertState::kInvalid:
      return NightState::kInvalid;
    case AlertState::kDoubtful:
      return NightState::kDoubtful;
    case AlertState::kUnmeasured:
      return NightState::kUnmeasured;
  }
  return NightState::kInvalid;
}

NightState night_state_of(const Alert& alert, const AlertSeries& series) {
  switch (series.telling()) {
    case Telling::kDismissed:
      return NightState::kNotReproduced;
    case Telling::kUnmeasured:
      return alert.is_undecided(series) && alert.state != AlertState::kInvalid
                 ? NightState::kSuspect
                 : night_state_of(alert.state);
    case Telling::kDoubtful:
      return alert.is_undecided(series) ? NightState::kDoubtful : night_state_of(alert.state);
    case Telling::kReproduced:
      return alert.is_undecided(series) ? NightState::kReproduced : night_state_of(alert.state);
    case Telling::kTold:
      break;
  }
  return night_state_of(alert.state);
}

}  // namespace stepbench::track
