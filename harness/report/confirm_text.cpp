// SPDX-License-Identifier: Apache-2.0
#include "harness/report/confirm_text.h"

#include "harness/campaign/check_night.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench {
namespace {

constexpr std::size_t kConfirmWidth = 100;
constexpr std::size_t kBuildDigits = 8;  // of a build

std::string night_words(const std::string& run_id, const std::string& build) {
  std::string text = run_id;
  if (!build.empty()) text += (text.empty() ? "build " : ", build ") + build.substr(0, kBuildDigits);
  return text;
}

std::string pairs_words(const ConfirmAnswer& answer) {
  return signed_percent(answer.change) + " % [" + signed_percent(answer.low) + ", " +
         signed_percent(answer.high) + "], p " + chance_text(answer.p) + ", " +
         counted(static_cast<std::int64_t>(answer.pairs), "pair");
}

std::string second_words(const ConfirmRequest& request) {
  return request.relinked.empty() ? "with both programs at fresh paths"
                                  : "with the relinked program";
}

void add_wrapped(std::string& page, const std::string& text) {
  page += wrap(printable(text), kConfirmWidth, 2);
}

void add_confirmed(const ConfirmedSeries& one, const ConfirmRequest& request, const SeriesNames& names,
                std::string& page) {
  const TrackedSeries* series = names.find(one.suspect.series);
  page += printable((series == nullptr ? one.suspect.series : names.name(*series)) + ": " +
                    std::string(name_of(one.state))) +
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
  const std::string cause = cause_text(one);
  if (!cause.empty()) add_wrapped(page, "cause: " + cause);
  if (!one.why.empty()) add_wrapped(page, one.why);
}

}  // namespace

std::string confirmation_page(const ConfirmedNight& measured, const ConfirmRequest& request,
                              const SeriesNames& names) {
  std::string page =
      "tonight:   " + printable(night_words(request.tonight.run_id, measured.tonight_build)) + '\n';
  const std::string good = request.good ? request.good->run_id : request.good_worker;
  if (!good.empty()) {
    page += "last good: " + printable(night_words(good, measured.good_build)) + '\n';
  }
  for (const ConfirmedSeries& one : measured.series) {
    page += '\n';
    add_confirmed(one, request, names, page);
  }
  if (!measured.campaigns.empty()) {
    page += "\nlaunches: " +
            printable(join(measured.campaigns, ", ",
                           [](const ConfirmCampaign& each) { return each.folder.string(); })) +
            '\n';
  }
  for (const ConfirmCampaign& campaign : measured.campaigns) {
    for (const Gate& gate : campaign.gates) {
      if (gate.state == GateState::kPassed || gate.text.empty()) continue;
      page += wrap_hanging("note: " + printable(gate.text), kConfirmWidth) + '\n';
    }
  }
  return page;
}

}  // namespace stepbench
