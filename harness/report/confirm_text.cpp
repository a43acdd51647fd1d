// SPDX-License-Identifier: Apache-2.0
#include "harness/report/confirm_text.h"

#include <set>
#include <utility>

#include "harness/campaign/check_night.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

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

document::Paragraph confirmed_paragraph(const campaign::ConfirmedSeries& one,
                                        const campaign::ConfirmRequest& request,
                                        const SeriesNames& names) {
  const track::TrackedSeries* series = names.find(one.suspect.series);
  document::Paragraph paragraph{.text =
                                    (series == nullptr ? one.suspect.series : names.name(*series)) +
                                    ": " + std::string(name_of(one.state))};
  if (one.good_value && one.tonight_value && series != nullptr) {
    paragraph.below.emplace_back(amount_text(*one.good_value, series->unit) + " (last good) -> " +
                                 amount_text(*one.tonight_value, series->unit) + " (tonight)");
  }
  for (std::size_t i = 0; i < one.answers.size(); ++i) {
    const bool again = i > 0 || one.suspect.confirmations > 0;
    paragraph.below.emplace_back((again ? second_words(request) : "measured again") + ": " +
                                 pairs_words(one.answers[i]));
  }
  const std::string cause = campaign::cause_text(one);
  if (!cause.empty()) paragraph.below.emplace_back("cause: " + cause);
  if (!one.why.empty()) paragraph.below.emplace_back(one.why);
  return paragraph;
}

}  // namespace

document::Document confirmation_document(const campaign::ConfirmedNight& measured,
                                         const campaign::ConfirmRequest& request,
                                         const SeriesNames& names) {
  document::Chapter page{.id = "confirmation", .title = "Confirmation", .blocks = {}};
  const auto add = [&](document::Block block) { page.blocks.push_back(std::move(block)); };
  add(document::Paragraph{"tonight:   " +
                          night_words(request.tonight.run_id, measured.tonight_build)});
  const std::string good = request.good ? request.good->run_id : request.good_worker;
  if (!good.empty()) {
    add(document::Paragraph{"last good: " + night_words(good, measured.good_build)});
  }
  for (const campaign::ConfirmedSeries& one : measured.series) {
    add(document::Heading{});
    add(confirmed_paragraph(one, request, names));
  }
  if (!measured.campaigns.empty()) {
    add(document::Heading{});
    add(document::Paragraph{"launches: " + text::join(measured.campaigns, ", ",
                                                      [](const campaign::ConfirmCampaign& each) {
                                                        return each.folder.string();
                                                      })});
  }
  std::set<std::string> told;
  for (const campaign::ConfirmCampaign& campaign : measured.campaigns) {
    for (const compare::Gate& gate : campaign.gates) {
      if (gate.text.empty() || !told.insert(gate.text).second) continue;
      add(document::Paragraph{"note: " + gate.text, document::Tone::kDoubt});
    }
  }
  return {.chapters = {std::move(page)}};
}

}  // namespace stepbench::report
