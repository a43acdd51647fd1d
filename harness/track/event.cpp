// SPDX-License-Identifier: Apache-2.0
#include "harness/track/event.h"

namespace stepbench::track {

EventNight night_of(const TrackedRun& run) {
  return {
      .run = run.run_id, .utc = run.started_utc, .host = run.host, .experiment = run.experiment};
}

EventNight night_of(const TrackEvent& event) {
  return {.run = text_of(event.details, "night"),
          .utc = text_of(event.details, "night_utc"),
          .host = text_of(event.details, "host"),
          .experiment = text_of(event.details, "experiment")};
}

void set_night(TrackEvent& event, const EventNight& night) {
  event.details["night"] = night.run;
  event.details["night_utc"] = night.utc;
  event.details["host"] = night.host;
  event.details["experiment"] = night.experiment;
}

}  // namespace stepbench::track
