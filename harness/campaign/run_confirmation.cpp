// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/confirm_suspects.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "harness/base/error.h"
#include "harness/campaign/confirm_campaign.h"
#include "harness/campaign/confirm_checks.h"
#include "harness/campaign/confirm_claims.h"
#include "harness/campaign/confirm_events.h"
#include "harness/campaign/confirm_programs.h"
#include "harness/campaign/confirm_states.h"
#include "harness/text/utc.h"
#include "harness/text/words.h"

namespace stepbench::campaign {
namespace {

namespace fs = std::filesystem;

using Places = std::vector<std::size_t>;  // of suspects

// One call of confirm_suspects().
class Confirmation {
 public:
  Confirmation(const ConfirmRequest& request, track::TrackStore& store,
               const CampaignContext& context, run::Progress& progress, run::Interrupts& interrupts,
               const Clock& clock)
      : request_(request),
        store_(store),
        context_(context),
        progress_(progress),
        interrupts_(interrupts),
        clock_(clock),
        results_(fs::absolute(request.results)) {
    for (const Suspect& suspect : request.suspects) night_.series.push_back({.suspect = suspect});
  }

  ConfirmedNight run() {
    if (night_.series.empty()) return std::move(night_);
    if (!find_programs()) return std::move(night_);
    night_.good_build = programs_.good.build_id;
    night_.tonight_build = programs_.tonight.build_id;
    CaseClaims claims(store_, request_.who, request_.claim_lasts);
    Places first;
    Places second;
    for (const std::size_t place : claimed(claims)) {
      (request_.suspects[place].confirmations == 0 ? first : second).push_back(place);
    }
    for (const std::size_t place : second)
      night_.series[place].state = track::AlertState::kReproduced;
    announce(first.size() + second.size());
    if (!first.empty()) measure({.number = 1, .places = first, .programs = programs_});
    for (const std::size_t place : first) {
      const bool again = request_.confirmations > 1;
      if (again && night_.series[place].state == track::AlertState::kReproduced)
        second.push_back(place);
    }
    std::sort(second.begin(), second.end());
    if (!second.empty() && !night_.signal) confirm_again(second);
    return std::move(night_);
  }

 private:
  // False: nothing is to be measured, and every suspect has its state.
  bool find_programs() {
    ConfirmRefusal refusal{.why = "interrupted before anything was measured"};
    try {
      auto found = programs_to_confirm(request_, store_.builds(), context_);
      if (auto* programs = std::get_if<ConfirmPrograms>(&found)) {
        programs_ = std::move(*programs);
        return true;
      }
      refusal = std::get<ConfirmRefusal>(std::move(found));
    } catch (const Error&) {
      if (!(interrupts_.take() || interrupts_.first())) throw;
      night_.signal = interrupts_.first();
    }
    for (ConfirmedSeries& one : night_.series) {
      one.state = refusal.state;
      one.why = refusal.why;
    }
    return false;
  }

  struct Campaign {
    int number = 1;
    Places places;
    ConfirmPrograms programs;
    std::string question = {};
  };

  Places claimed(CaseClaims& claims) {
    Places places;
    std::map<std::string, bool> cases;
    for (std::size_t place = 0; place < night_.series.size(); ++place) {
      const std::string& id = request_.suspects[place].case_id;
      const auto [one, is_new] = cases.try_emplace(id, false);
      if (is_new) one->second = claims.claim(request_.tonight.run_id, id);
      if (one->second) {
        places.push_back(place);
      } else {
        night_.series[place].why = "another process is confirming this case now";
      }
    }
    return places;
  }

  void announce(std::size_t suspects) {
    if (suspects == 0) return;
    const auto number = static_cast<std::int64_t>(suspects);
    const std::string of_run = " of " + request_.tonight.run_id;
    progress_.say(
        (request_.bridge
             ? "holding " + text::counted(number, "series") + of_run + ": the kept build "
             : "confirming " + text::counted(number, "suspect") + of_run + ": last good build ") +
        short_build(programs_.good.build_id) + " against tonight's " +
        short_build(programs_.tonight.build_id) + ", " +
        text::counted(static_cast<std::int64_t>(request_.pairs), "pair"));
  }

  // What is measured a second time is so at other addresses: a new program, or copies.
  void confirm_again(const Places& places) {
    Campaign campaign{.number = 2, .places = places, .programs = programs_};
    campaign.programs.tonight = request_.relinked.empty()
                                    ? programs_.tonight
                                    : run::find_worker(request_.relinked, context_.program_dir);
    campaign.question = question_of(campaign);
    const FreshFolder fresh(results_ / (".fresh-" + campaign.question));
    const FreshFolder::Places paths = fresh.places(campaign_seed(campaign.question, 0));
    try {
      campaign.programs.good = fresh_copy(programs_.good, paths.good);
      if (request_.relinked.empty()) {
        campaign.programs.tonight = fresh_copy(programs_.tonight, paths.tonight);
      }
    } catch (const ConfigError& error) {
      for (const std::size_t place : places) {
        leave(campaign, place, track::AlertState::kSuspect, error.what());
      }
      return;
    }
    progress_.say("confirming what was reproduced a second time, " +
                  std::string(request_.relinked.empty() ? "with both programs at fresh paths"
                                                        : "with the relinked program"));
    measure(std::move(campaign));
  }

  // A digest of all on which the campaign's launches depend.
  [[nodiscard]] std::string question_of(const Campaign& campaign) const {
    std::set<std::string> cases;
    for (const std::size_t place : campaign.places) cases.insert(request_.suspects[place].case_id);
    return campaign_question(request_.tonight.run_id,
                             {campaign.programs.good.build_id, campaign.programs.tonight.build_id,
                              std::to_string(campaign.number), std::to_string(request_.pairs)},
                             cases);
  }

  void record(std::string_view what, const Campaign& campaign, const std::string& folder,
              bool judged = false) {
    const track::TrackEvent event =
        campaign_event(what,
                       {.night = request_.tonight.run_id,
                        .question = campaign.question,
                        .folder = folder,
                        .judged = judged},
                       text::utc_text(std::chrono::system_clock::now()), request_.who);
    store_.record({&event, 1});
  }

  void measure(Campaign campaign) {
    campaign.question = question_of(campaign);
    const std::vector<track::TrackEvent> events = store_.events();
    const std::size_t begun = campaigns_begun(events, campaign.question);
    const auto newest = newest_campaign(events, campaign.question);
    std::error_code ignored;
    if (newest && fs::is_directory(newest->folder, ignored) &&
        (!newest->ended || (newest->judged && request_.reuse)) &&
        measure_in(campaign, newest->folder, campaign_seed(campaign.question, begun - 1))) {
      return;
    }
    (void)measure_in(campaign, {}, campaign_seed(campaign.question, begun));
  }

  // False: it cannot go on in `resume`, and nothing was measured.
  bool measure_in(const Campaign& campaign, const std::string& resume, std::uint64_t seed) {
    const bool first = campaign.number == 1;
    const CampaignSetup setup{.number = campaign.number,
                              .good = campaign.programs.good,
                              .tonight = campaign.programs.tonight,
                              .suspects = campaign.places,
                              .profile = !request_.bridge && (first || night_.campaigns.empty()),
                              .seed = seed,
                              .resume = resume,
                              .results = results_.string()};
    bool has_begun = false;
    CampaignEnd end;
    try {
      end = run_confirm_campaign(request_, setup, context_, progress_, interrupts_, clock_,
                                 [&](const fs::path& folder) {
                                   has_begun = true;
                                   if (resume.empty()) {
                                     record(kCampaignBegun, campaign, folder.string());
                                   }
                                 });
    } catch (const ConfigError&) {
      if (has_begun || resume.empty()) throw;
      return false;
    } catch (const Error&) {
      if (has_begun || !(interrupts_.take() || interrupts_.first())) throw;
      end.signal = interrupts_.first();
    }
    if (end.not_planned) {
      cannot_plan(campaign, *end.not_planned);
    } else {
      take(campaign, std::move(end));
    }
    return true;
  }

  void take(const Campaign& campaign, CampaignEnd end) {
    const std::string folder = end.campaign.folder.string();
    if (end.signal) {
      night_.signal = end.signal;
      for (const std::size_t place : campaign.places) {
        night_.series[place].why =
            "interrupted" + (folder.empty() ? "" : "; the next check goes on with " + folder);
      }
      return;
    }
    const bool judged =
        !end.refused &&
        std::none_of(end.findings.begin(), end.findings.end(),
                     [](const auto& each) { return each.second.kind == FindingKind::kInvalid; });
    record(kCampaignEnded, campaign, folder, judged);
    night_.campaigns.push_back(std::move(end.campaign));
    for (const std::size_t place : campaign.places) {
      ConfirmedSeries& one = night_.series[place];
      if (end.refused) {
        take_no_finding(campaign.number, track::AlertState::kEnvironmentChange, *end.refused, one);
      } else {
        const std::size_t answers = one.answers.size();
        take_finding(request_, campaign.number, std::move(end.findings.at(place)), one);
        if (one.answers.size() > answers) {
          one.folders.emplace_back(folder);
          one.builds.push_back(campaign.programs.good.build_id + ' ' +
                               campaign.programs.tonight.build_id);
        }
      }
      progress_.say(describe(one));
    }
  }

  void leave(const Campaign& campaign, std::size_t place, track::AlertState state,
             const std::string& why) {
    ConfirmedSeries& one = night_.series[place];
    take_no_finding(campaign.number, state, why, one);
    one.good_fails = one.answers.empty() && state == track::AlertState::kEnvironmentChange;
    progress_.say(describe(one));
  }

  // Finds out which of the programs is to blame, and measures what both can.
  void cannot_plan(const Campaign& campaign, const std::string& why) {
    const track::TrackedRun& tonight = request_.tonight;
    const PlannableCases good = plannable_cases(tonight, campaign.programs.good, context_);
    const PlannableCases now = plannable_cases(tonight, campaign.programs.tonight, context_);
    const auto lacks = [](const PlannableCases& plannable, const std::string& id) {
      const auto& ids = plannable.case_ids;
      return std::find(ids.begin(), ids.end(), id) == ids.end();
    };
    Campaign rest = campaign;
    rest.places.clear();
    for (const std::size_t place : campaign.places) {
      const std::string& id = request_.suspects[place].case_id;
      if (!now.why_not.empty()) {
        leave(campaign, place, track::AlertState::kSuspect,
              "tonight's build can no longer measure tonight's experiment: " + now.why_not);
      } else if (!good.why_not.empty()) {
        leave(campaign, place, track::AlertState::kEnvironmentChange,
              "the last good build cannot measure tonight's experiment: " + good.why_not);
      } else if (lacks(now, id)) {
        leave(campaign, place, track::AlertState::kSuspect,
              "tonight's experiment no longer has this case");
      } else if (lacks(good, id)) {
        leave(campaign, place, track::AlertState::kEnvironmentChange,
              "the last good build does not know this case: its options or their defaults are "
              "others");
      } else {
        rest.places.push_back(place);
      }
    }
    if (!rest.places.empty() && rest.places.size() < campaign.places.size()) {
      measure(std::move(rest));
      return;
    }
    for (const std::size_t place : rest.places)
      leave(campaign, place, track::AlertState::kSuspect, why);
  }

  const ConfirmRequest& request_;
  track::TrackStore& store_;
  const CampaignContext& context_;
  run::Progress& progress_;
  run::Interrupts& interrupts_;
  const Clock& clock_;
  fs::path results_;
  ConfirmPrograms programs_;
  ConfirmedNight night_;
};

}  // namespace

ConfirmedNight confirm_suspects(const ConfirmRequest& request, track::TrackStore& store,
                                const CampaignContext& context, run::Progress& progress,
                                run::Interrupts& interrupts, const Clock& clock) {
  return Confirmation(request, store, context, progress, interrupts, clock).run();
}

}  // namespace stepbench::campaign
