// SPDX-License-Identifier: Apache-2.0
#include "harness/track/alert_events.h"

#include <utility>

namespace stepbench::track {
namespace {

double number_in(const TrackEvent& event, std::string_view name) {
  return number_of(event.details, name).value_or(0);
}

bool flag_in(const TrackEvent& event, std::string_view name) {
  const auto found = event.details.find(name);
  const bool* flag = found == event.details.end() ? nullptr : std::get_if<bool>(&found->second);
  if (flag != nullptr) return *flag;
  return number_in(event, name) != 0;
}

TrackEvent event_named(std::string_view what, const std::string& alert, const EventNight& night,
                       std::string reason) {
  TrackEvent event{.what = std::string(what), .alert_id = alert, .reason = std::move(reason)};
  event.details["night"] = night.run;
  event.details["night_utc"] = night.utc;
  event.details["host"] = night.host;
  event.details["experiment"] = night.experiment;
  return event;
}

}  // namespace

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

TrackEvent event_of(AlertEvent what, const std::string& alert, const EventNight& night,
                    std::string reason) {
  return event_named(name_of(what), alert, night, std::move(reason));
}

TrackEvent event_of(const MovedSeries& moved, const std::string& alert, const EventNight& night,
                    std::string reason) {
  TrackEvent event = event_of(AlertEvent::kFired, alert, night, std::move(reason));
  event.details["series"] = moved.series;
  event.details["worse"] = moved.worse;
  event.details["first_bad"] = moved.first_bad;
  event.details["last_good"] = moved.last_good;
  event.details["usual"] = moved.usual;
  event.details["value"] = moved.value;
  event.details["change"] = moved.change;
  if (moved.score) event.details["score"] = *moved.score;
  if (!moved.against.empty()) event.details["against"] = moved.against;
  return event;
}

TrackEvent event_of(const MeasuredSeries& measured, const std::string& alert,
                    const EventNight& night, std::string reason) {
  TrackEvent event =
      event_named(alert.empty() ? kBridgedEvent : kMeasuredEvent, alert, night, std::move(reason));
  const AlertMeasurement& one = measured.measurement;
  event.details["series"] = measured.series;
  event.details["reproduced"] = one.reproduced;
  event.details["change"] = one.change;
  event.details["low"] = one.low;
  event.details["high"] = one.high;
  event.details["p"] = one.p;
  event.details["pairs"] = one.pairs;
  event.details["good"] = one.good;
  event.details["builds"] = one.builds;
  event.details["campaign"] = one.campaign;
  event.details["cause"] = one.cause;
  if (one.closing) event.details["closing"] = true;
  if (one.layout != kLayoutSd) event.details["layout"] = one.layout;
  if (one.margin != kTellMargin) event.details["margin"] = one.margin;
  return event;
}

TrackEvent event_of(const UnusableProgram& program, const EventNight& night, std::string reason) {
  TrackEvent event = event_named(kUnusableEvent, {}, night, std::move(reason));
  event.details["series"] = program.series;
  event.details["good"] = program.good;
  return event;
}

TrackEvent event_of(const AcceptedChange& accepted, const std::string& alert, std::string reason) {
  TrackEvent event{.what = std::string(name_of(AlertEvent::kAcknowledged)),
                   .alert_id = alert,
                   .reason = std::move(reason)};
  if (!accepted.until.empty()) event.details["until"] = accepted.until;
  if (accepted.expect) event.details["expect"] = *accepted.expect;
  return event;
}

MovedSeries moved_series(const TrackEvent& event) {
  return {.series = text_of(event.details, "series"),
          .worse = flag_in(event, "worse"),
          .first_bad = text_of(event.details, "first_bad"),
          .last_good = text_of(event.details, "last_good"),
          .usual = number_in(event, "usual"),
          .value = number_in(event, "value"),
          .change = number_in(event, "change"),
          .score = number_of(event.details, "score"),
          .against = text_of(event.details, "against")};
}

MeasuredSeries measured_series(const TrackEvent& event) {
  return {.series = text_of(event.details, "series"),
          .measurement = {.reproduced = flag_in(event, "reproduced"),
                          .change = number_in(event, "change"),
                          .low = number_in(event, "low"),
                          .high = number_in(event, "high"),
                          .p = number_of(event.details, "p").value_or(1),
                          .pairs = static_cast<std::int64_t>(number_in(event, "pairs")),
                          .night = text_of(event.details, "night"),
                          .good = text_of(event.details, "good"),
                          .builds = text_of(event.details, "builds"),
                          .campaign = text_of(event.details, "campaign"),
                          .cause = text_of(event.details, "cause"),
                          .closing = flag_in(event, "closing"),
                          .layout = number_of(event.details, "layout").value_or(kLayoutSd),
                          .margin = number_of(event.details, "margin").value_or(kTellMargin)}};
}

UnusableProgram unusable_program(const TrackEvent& event) {
  return {.series = text_of(event.details, "series"), .good = text_of(event.details, "good")};
}

AcceptedChange accepted_change(const TrackEvent& event) {
  return {.until = text_of(event.details, "until"), .expect = number_of(event.details, "expect")};
}

void set_still_moved(TrackEvent& event, bool moved) { event.details["moved"] = moved; }

bool still_moved(const TrackEvent& event) { return flag_in(event, "moved"); }

}  // namespace stepbench::track
