// SPDX-License-Identifier: Apache-2.0
#include "harness/report/confirm_text.h"

#include <set>

#include "harness/campaign/check_night.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kConfirmWidth = 100;
constexpr std::size_t kBuildDigits = 8;  // of a build

std::string night_words(const std::string& run_id, const std::string& build) {
  std::string text = run_id;
  if (!build.empty())
    text += (text.empty() ? "build " : ", build ") + build.substr(0, kBuildDigits);
  return text;
}

std::string pairs_words(const track::ConfirmAnswer& answer) {
  return text::signed_percent(answer.change) + " % [" + text::signed_percent(answer.low) + ", " +
         text::signed_percent(answer.high) + "], p " + text::chance_text(answer.p) + ", " +
         text::counted(static_cast<std::int64_t>(answer.pairs), "pair");
}

std::string second_words(const campaign::ConfirmRequest& request) {
  return request.relinked.empty() ? "with both programs at fresh paths"
                                  : "with the relinked program";
}

void add_wrapped(std::string& page, const std::string& text) {
  page += text::wrap(text::printable(text), kConfirmWidth, 2);
}

void add_confirmed(const campaign::ConfirmedSeries& one, const campaign::ConfirmRequest& request,
                   const SeriesNames& names, std::string& page) {
  const track::TrackedSeries* series = names.find(one.suspect.series);
  page += text::printable((series == nullptr ? one.suspect.series : names.name(*series)) + ": " +
                          std::string(track::name_of(one.state))) +
          '\n';
  if (one.good_value && one.tonight_value && series != nullptr) {
    add_wrapped(page, amount_text(*one.good_value, series->unit) + " (last good) -> " +
                          amount_text(*one.tonight_value, series->unit) + " (tonight)");
  }
  for (std::size_t i = 0; i < one.answers.size(); ++i) {
    const bool again = i > 0 || one.suspect.confirmations > 0;
    add_wrapped(page, (again ? second_words(request) + ": " : std::string("measured again: ")) +
                          pairs_words(one.answers[i]));
  }
  const std::string cause = campaign::cause_text(one);
  if (!cause.empty()) add_wrapped(page, "cause: " + cause);
  if (!one.why.empty()) add_wrapped(page, one.why);
}

}  // namespace

std::string confirmation_page(const campaign::ConfirmedNight& measured,
                              const campaign::ConfirmRequest& request, const SeriesNames& names) {
  std::string page =
      "tonight:   " + text::printable(night_words(request.tonight.run_id, measured.tonight_build)) +
      '\n';
  const std::string good = request.good ? request.good->run_id : request.good_worker;
  if (!good.empty()) {
    page += "last good: " + text::printable(night_words(good, measured.good_build)) + '\n';
  }
  for (const campaign::ConfirmedSeries& one : measured.series) {
    page += '\n';
    add_confirmed(one, request, names, page);
  }
  if (!measured.campaigns.empty()) {
    page += "\nlaunches: " +
            text::printable(text::join(
                measured.campaigns, ", ",
                [](const campaign::ConfirmCampaign& each) { return each.folder.string(); })) +
            '\n';
  }
  std::set<std::string> told;
  for (const campaign::ConfirmCampaign& campaign : measured.campaigns) {
    for (const compare::Gate& gate : campaign.gates) {
      if (gate.text.empty() || !told.insert(gate.text).second) continue;
      page += text::wrap_hanging("note: " + text::printable(gate.text), kConfirmWidth) + '\n';
    }
  }
  return page;
}

}  // namespace stepbench::report
