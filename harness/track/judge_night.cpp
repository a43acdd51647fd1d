// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <utility>

#include "harness/text/words.h"
#include "harness/track/judge_series.h"
#include "harness/track/new_series.h"
#include "harness/track/night.h"
#include "harness/track/night_alerts.h"
#include "harness/track/night_facts.h"
#include "harness/track/night_states.h"
#include "harness/track/one_sided.h"

namespace stepbench::track {
namespace {

bool is_told(NightState state) {
  return state == NightState::kRegression || state == NightState::kImprovement;
}

// Judges one night; used once.
class NightJudge {
 public:
  explicit NightJudge(const NightInput& input) : input_(input), facts_(input) {
    night_.runs = facts_.runs();
  }

  Night judge() {
    night_.is_newest = !judged_later();
    const NightAlerts alerts(facts_.log(), input_);
    SeriesJudge judge(facts_, alerts);
    for (const SeriesHistory& series : input_.history.series) {
      if (!series.series.screened || series.series.control || facts_.is_imported(series)) continue;
      if (auto judged = judge.judge(series)) night_.series.push_back(std::move(*judged));
    }
    night_.cohorts = std::move(judge.cohorts());
    if (night_.is_newest) {
      add_events_of_tonight(alerts);
    } else {
      night_.notes.push_back(
          "a later night was judged already: alerts are shown as they are now, and nothing new is "
          "recorded");
    }
    night_.alerts = facts_.log();
    add_events(night_.alerts, night_.events);
    tell_states();
    night_.precision = precision_of(night_.alerts);
    add_notes(judge.gone());
    night_.only_known = night_.runs.empty() || !has_news();
    night_.verdict = verdict_of(night_);
    night_.exit_code = exit_code_of(
        input_.allow_known && night_.only_known ? verdict_of(night_, false) : night_.verdict,
        input_.allow_inconclusive);
    return std::move(night_);
  }

 private:
  [[nodiscard]] bool judged_later() const {
    return std::any_of(input_.events.begin(), input_.events.end(), [&](const TrackEvent& event) {
      return !event.alert_id.empty() && !night_.runs.empty() &&
             text_of(event.details, "night_utc") > facts_.newest_utc() &&
             text_of(event.details, "host") == night_.runs.front().host;
    });
  }

  void add_events_of_tonight(const NightAlerts& alerts) {
    expire_acceptances();
    std::vector<const NightSeries*> fired;
    for (const NightSeries& series : night_.series) {
      if (series.state == NightState::kSuspect && series.fired) fired.push_back(&series);
    }
    for (TrackEvent& event : alerts.joining_events(fired))
      night_.events.push_back(std::move(event));
  }

  // Acceptances whose date has passed, of experiments that ran tonight.
  void expire_acceptances() {
    for (const Alert& alert : facts_.log().alerts) {
      if (alert.state != AlertState::kAcknowledged || alert.until.empty()) continue;
      const TrackedRun* run = facts_.tonights_run(alert.experiment);
      if (run == nullptr || run->host != alert.host || facts_.date() <= alert.until) continue;
      night_.events.push_back(event_of(AlertEvent::kExpired, alert.id, night_of(*run),
                                       "it was accepted until " + alert.until));
    }
  }

  // Series in alerts have the alert's state, after tonight's events.
  void tell_states() {
    for (const TrackEvent& event : night_.events) {
      if (event.what != name_of(AlertEvent::kFired)) continue;
      const std::string id = moved_series(event).series;
      for (NightSeries& series : night_.series) {
        if (series.series.id == id) series.alert = event.alert_id;
      }
    }
    for (NightSeries& series : night_.series) {
      if (series.alert.empty() || series.state == NightState::kNoData ||
          series.state == NightState::kIgnored) {
        continue;
      }
      const Alert* alert = night_.alerts.find(series.alert);
      if (alert == nullptr) continue;
      const AlertSeries* known = alert->find(series.series.id);
      if (known == nullptr) continue;
      series.state = night_state_of(*alert, *known);
      if (!series.fired) tell_of_alert(series, *alert, *known);
    }
    tell_absent_regressions();
  }

  // Of a series that is where its alert left it: its change is that since before the alert.
  static void tell_of_alert(NightSeries& series, const Alert& alert, const AlertSeries& known) {
    series.worse = alert.worse;
    series.higher = known.higher();
    series.first_bad = known.first_bad;
    series.last_good = known.last_good;
    if (series.state == NightState::kAcknowledged || known.usual == 0) return;
    if (series.by_ratio) {
      // Without what the machine did since: what was measured, and what came on top of it.
      if (!is_told(series.state)) return;
      series.change = (1 + told_change(known.measured)) * (1 + *series.change) - 1;
      series.usual = *series.value / (1 + *series.change);
    } else {
      series.usual = known.usual;
      series.change = *series.value / known.usual - 1;
    }
    series.score.reset();
  }

  // An open regression whose series has no value tonight is open still.
  void tell_absent_regressions() {
    for (const Alert& alert : night_.alerts.alerts) {
      const TrackedRun* run = facts_.tonights_run(alert.experiment);
      if (alert.state != AlertState::kRegression || !alert.worse || run == nullptr ||
          run->host != alert.host) {
        continue;
      }
      const bool is_told =
          std::any_of(night_.series.begin(), night_.series.end(), [&](const NightSeries& series) {
            return series.alert == alert.id && series.state == NightState::kRegression;
          });
      if (!is_told) night_.absent.push_back(alert.id);
    }
  }

  // A regression that was told tonight, or that came back tonight because a date has passed.
  [[nodiscard]] bool has_news() const {
    return std::any_of(
        night_.alerts.alerts.begin(), night_.alerts.alerts.end(), [&](const Alert& alert) {
          return alert.state == AlertState::kRegression && alert.worse &&
                 alert.host == night_.runs.front().host && alert.news_utc >= facts_.first_utc();
        });
  }

  void add_notes(const std::map<std::string, std::size_t>& gone) {
    if (std::string warning = one_sided_warning(night_.alerts); !warning.empty()) {
      night_.notes.push_back(std::move(warning));
    }
    if (!night_.alerts.left_out.empty()) {
      night_.notes.push_back(text::counted(std::ssize(night_.alerts.left_out), "event") +
                             " of the history cannot have happened and " +
                             (night_.alerts.left_out.size() == 1 ? "is" : "are") +
                             " left out: " + night_.alerts.left_out.front());
    }
    for (const auto& [experiment, series] : gone) {
      night_.notes.push_back(text::counted(static_cast<std::int64_t>(series), "series") + " of " +
                             experiment + (series == 1 ? " is" : " are") +
                             " not in tonight's plan any more");
    }
    tell_imported();
    for (std::string& note : new_series_notes(facts_)) night_.notes.push_back(std::move(note));
    for (const TrackedRun& run : night_.runs) {
      tell_reference(run);
      tell_unusable(run);
    }
  }

  void tell_imported() {
    const std::string host = night_.runs.empty() ? std::string() : night_.runs.front().host;
    const auto imported = std::ranges::count_if(input_.runs, [&](const TrackedRun& run) {
      return is_imported(run) && (host.empty() || run.host == host);
    });
    if (imported == 0) return;
    night_.notes.push_back(text::counted(imported, "run") +
                           " of other programs: shown and judged no more; use Otava, bencher or "
                           "asv for what others measured");
  }

  void tell_unusable(const TrackedRun& run) {
    for (std::string& text : unusable_texts(input_.events, input_.runs, run)) {
      const std::string of = night_.runs.size() == 1 ? "" : run.experiment + ": ";
      night_.notes.push_back(of + std::move(text));
    }
  }

  void tell_reference(const TrackedRun& run) {
    const ReferenceNight* night = facts_.references().of_run(run.run_id);
    if (night == nullptr) return;
    const std::string of = night_.runs.size() == 1 ? "" : run.experiment + ": ";
    if (!night->ratios.empty()) {
      const TrackedRun* reference = facts_.run_named(night->run);
      night_.notes.push_back(
          of + "measured in turns with the reference program of " +
          (reference == nullptr ? night->run : reference->started_utc.substr(0, 10)) + " (build " +
          night->build.substr(0, 8) + "): what moved is told by the ratios to it");
    }
    if (!night->why.empty()) {
      night_.notes.push_back(
          of + (night->ratios.empty() ? "no reference program: " : "not of every series: ") +
          night->why + "; series without a ratio are judged by their values");
    }
  }

  const NightInput& input_;
  NightFacts facts_;
  Night night_;
};

}  // namespace

Night judge_night(const NightInput& input) { return NightJudge(input).judge(); }

}  // namespace stepbench::track
