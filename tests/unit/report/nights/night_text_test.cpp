// SPDX-License-Identifier: Apache-2.0
// Nights and alerts for people and other programs: the golden files in data/ have a night with one
// of each event and the history of its alert; STEPBENCH_APPROVE=1 rewrites them. tests/corpus has
// the texts of the other pages.
#include "harness/report/night.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "harness/document/render.h"
#include "harness/nights/acts.h"
#include "harness/report/history.h"
#include "tests/testing.h"
#include "tests/unit/nights/night_maker.h"

namespace stepbench::report {
namespace {

using test::NightMaker;

const fs::path kNightData = fs::path(STEPBENCH_SOURCE_DIR) / "tests/unit/report/nights/data";

void expect_night_golden(const std::string& name, const std::string& text) {
  if (std::getenv("STEPBENCH_APPROVE") != nullptr) {
    std::ofstream(kNightData / name, std::ios::binary) << text;
  }
  EXPECT_EQ(text, test::text_of_file(kNightData / name)) << "STEPBENCH_APPROVE=1 accepts a change";
}

// One of each event in night 25.
NightMaker eventful() {
  NightMaker maker;
  maker.add_series("0", NightMaker::moved_from(22, 1.05, 76e6));
  maker.add_series("2", NightMaker::moved_from(25, 1.08, 53e6));
  maker.add_series("4", NightMaker::moved_from(25, 0.90, 52e6));
  maker.add_series("8", NightMaker::steady(26, 51e6));
  maker.add_series("16", NightMaker::moved_from(25, 1.013, 50e6));
  maker.cause = "data_wait +3.1 ms, 96 % of the change";
  (void)maker.live(25);
  return maker;
}

std::string page_of(const ShownNight& night) {
  return document::render(night_document(night, {}), {});
}

std::string markdown_of(const ShownNight& night) {
  return document::render(night_document(night, {}), {.markdown = true});
}

TEST(NightText, EventfulNight_MatchesTheGolden) {
  const ShownNight night = eventful().shown();
  expect_night_golden("eventful.txt", page_of(night));
  std::string json = nlohmann::ordered_json::parse(night_json(night, {})).dump() + '\n';
  for (std::size_t at = 0; (at = json.find("{\"", at + 1)) != std::string::npos;) {
    if (json[at - 1] == ',' || json[at - 1] == '[')
      json.insert(at++, 1, '\n');  // one line per object
  }
  expect_night_golden("eventful.json", json);
}

TEST(NightText, QuietNight_IsShort) {
  NightMaker maker;
  for (int i = 0; i < 25; ++i) maker.add_series(std::to_string(i), NightMaker::steady(12));
  (void)maker.live(11);
  const std::string page = page_of(maker.shown());
  EXPECT_LE(std::ranges::count(page, '\n'), 6) << page;
  EXPECT_THAT(page, HasSubstr("verdict: ok (exit code 0)"));
  EXPECT_THAT(page,
              HasSubstr("in turns with the reference program of 2026-01-01 (build b00000c0)"));
  EXPECT_THAT(page, HasSubstr("25 series: 25 ok"));
}

TEST(NightText, FirstNight_NamesTheReference) {
  NightMaker maker;
  maker.add_series("0", NightMaker::steady(2));
  (void)maker.live(0);
  EXPECT_THAT(page_of(maker.shown()), AllOf(HasSubstr("no verdict (exit code 0)"),
                                            HasSubstr("the first night: tonight's program is")));
}

TEST(NightText, AllSeries_HaveTheQuietOnesLast) {
  const ShownNight night = eventful().shown();
  const document::Table all = night_table(night, {.rows = 0});
  ASSERT_EQ(all.rows.size(), night.night.series.size());
  EXPECT_EQ(all.rows.back().cells.at(7).text, "ok");
  EXPECT_EQ(night_table(night, {.rows = 2}).rows.size(), 2U);
}

TEST(NightText, BrokenNight_ShowsTheCauseAndIsJudged) {
  NightMaker maker;
  maker.add_series("0", NightMaker::steady(4));
  (void)maker.live(3);
  ShownNight night = maker.shown();
  night.night.verdict = nights::NightState::kNoData;
  night.night.exit_code = 2;
  night.night.notes = {"n.yaml aborted: the row was not written:\nNo space left on device"};
  const std::string page = page_of(night);
  EXPECT_THAT(page, HasSubstr("verdict: no data: an experiment aborted (exit code 2)"));
  EXPECT_THAT(page, HasSubstr("1 ok"));
  EXPECT_THAT(page, HasSubstr("note: n.yaml aborted: the row was not written:\n"
                              "  No space left on device\n"));
  night.night.exit_code = 4;
  EXPECT_THAT(page_of(night), HasSubstr("verdict: no data: launches failed (exit code 4)"));
}

TEST(NightText, OtherEnvironment_IsOnTheFirstLine) {
  NightMaker maker;
  maker.add_series("0", NightMaker::steady(21));
  maker.add_series("2", NightMaker::steady(21));
  maker.set_cohort_from(20, "560.9");
  (void)maker.live(20);
  const std::string page = page_of(maker.shown());
  EXPECT_THAT(page.substr(0, page.find("\n\n")),
              AllOf(HasSubstr("verdict: ok"), HasSubstr("gpu.driver 550.1 -> 560.9: reference")));
}

TEST(NightText, ManySeries_ShowTheLargestSafely) {
  NightMaker maker;
  for (int i = 0; i < 60; ++i) {
    maker.add_series(std::to_string(i) + "\x1b[31m|<b>",
                     NightMaker::moved_from(20, 1.05 + 0.001 * i, 76e6, 21));
  }
  EXPECT_THAT(maker.live(20).alerts.alerts, SizeIs(1));
  const std::string page = page_of(maker.shown());
  EXPECT_THAT(page, HasSubstr("20 series more (--format json has all)"));
  EXPECT_THAT(page, HasSubstr("A1, new tonight: 60 series worse"));
  EXPECT_THAT(page, Not(HasSubstr("\x1b[31m")));
  EXPECT_THAT(markdown_of(maker.shown()), Not(HasSubstr("<b>")));
}

TEST(NightText, ManyChanges_FitAScreen) {
  NightMaker maker;
  for (int i = 0; i < 25; ++i) {
    maker.add_series(std::to_string(i), NightMaker::moved_from(20, 1.05 + 0.001 * i, 76e6, 21));
  }
  (void)maker.live(20);
  const std::string page = page_of(maker.shown());
  EXPECT_LE(std::ranges::count(page, '\n'), 60) << page;
}

TEST(HistoryText, Series_IsAChartAndATable) {
  const NightMaker maker = eventful();
  const SeriesNames names(maker.history);
  const nights::AlertLog log = nights::fold_alerts(maker.events);
  const HistoryView view =
      view_of(maker.history.series[0], maker.history, log, maker.events, maker.judged("0"), 60);
  const document::Document series = series_document(view, maker.history, names);
  EXPECT_THAT(document::render(series, {.columns = 120}), HasSubstr("A1"));
  const auto json = nlohmann::json::parse(series_json(view, names));
  EXPECT_EQ(json["nights"].size(), 26U);
  EXPECT_EQ(json["nights"][22]["alert"], "A1");
  EXPECT_EQ(json["nights"][22]["state"], "regression");
}

TEST(HistoryText, Alert_ListsItsEvents) {
  NightMaker maker = eventful();
  nights::TrackEvent accepted = nights::accept_alert(
      maker.alert("A1"), {.reason = "a fix is under way", .until = "2026-02-01", .expect = "+5%"},
      "2026-01-24");
  accepted.at_utc = "2026-01-24T09:00:00Z";
  accepted.who = "ann@box";
  maker.tell(std::move(accepted));
  const SeriesNames names(maker.history);
  expect_night_golden(
      "alert.txt", document::render(alert_document(maker.alert("A1"), maker.history, names, {}, ""),
                                    {.columns = 120}));
  EXPECT_EQ(document::render(open_alerts_document({}, names, "2026-02-01"), {}),
            "no alert is open\n");
}

TEST(HistoryText, StaleAlert_ShowsTheCommandThatEndsIt) {
  const NightMaker maker = eventful();
  const nights::Alert alert = maker.alert("A1");
  EXPECT_EQ(stale_alert_words(alert, maker.history.runs, "2026-02-01", ""), "");
  const std::string stale = stale_alert_words(alert, maker.history.runs, "2026-03-01", " --db X");
  EXPECT_THAT(stale, HasSubstr("A1 stays open: train had no night on box since 2026-0"));
  EXPECT_THAT(stale,
              HasSubstr("accept it with stepbench track note A1 --as accepted \"...\" --db X"));
}

TEST(SeriesMeant, WordsOrIdPrefix_FindIt) {
  NightMaker maker;
  maker.add_series("1", NightMaker::steady(2));
  maker.add_series("2", NightMaker::steady(2)).id = "abcdef0123456789";
  maker.add_series("2", NightMaker::steady(2), "loader");
  const SeriesNames names(maker.history);
  const auto meant = [&](std::vector<std::string> words, const std::string& metric = {}) {
    return resolve_series(names, maker.history, words, metric).series.experiment;
  };
  EXPECT_EQ(meant({"loader"}), "loader");
  EXPECT_EQ(meant({"abcd"}), "train");
  EXPECT_EQ(meant({"train", "num_workers=2"}), "train");
  EXPECT_EQ(meant({"loader.num_workers=1", "step"}), "train");
  const auto refuses = [&](std::vector<std::string> words, const std::string& metric,
                           const std::string& why) {
    EXPECT_THAT([&] { meant(words, metric); }, ThrowsMessage<ConfigError>(HasSubstr(why)));
  };
  refuses({"num_workers=2"}, "", "'num_workers=2' matches 2 series; give an id, or add");
  refuses({"num_worker=2"}, "", "(did you mean 'num_workers=2'?)");
  refuses({"loader"}, "peak_byte", "--metric: unknown metric");
  refuses({"loader", "num_workers=1"}, "", "no series matches all of");
}

TEST(SeriesNames, EqualNames_GetOptionsOrIds) {
  NightMaker maker;
  maker.add_series("1", NightMaker::steady(2));
  maker.add_series("2", NightMaker::steady(2));
  maker.add_series("2", NightMaker::steady(2)).id = "abcdef0123456789";
  const SeriesNames ids(maker.history);
  EXPECT_EQ(ids.name(maker.history.series[0].series), "train num_workers=1, step");
  EXPECT_EQ(ids.name(maker.history.series[2].series), "train num_workers=2 (abcdef), step");
  maker.history.series.erase(maker.history.series.begin());
  for (const std::size_t i : {0U, 1U}) {
    maker.history.series[i].series.machine = {
        {"cpu.model", Value(std::string("EPYC"))},
        {"cpu_capability", Value(std::string(i == 0 ? "AVX2" : "AVX512"))}};
  }
  const SeriesNames names(maker.history);
  EXPECT_EQ(names.name(maker.history.series[0].series), "train (cpu_capability=AVX2), step");
  EXPECT_EQ(names.name(maker.history.series[1].series), "train (cpu_capability=AVX512), step");
}

TEST(SeriesNames, OnlyBenchmark_IsNamed) {
  NightMaker maker;
  nights::TrackedSeries& series = maker.add_series("736fe5bc64e8ac88", NightMaker::steady(2));
  series.options["benchmark"] = Value(std::string("BM_Load"));
  const SeriesNames names(maker.history);
  EXPECT_EQ(names.case_words(series), "BM_Load");
  EXPECT_EQ(names.name(series), "train BM_Load, step");
}

}  // namespace
}  // namespace stepbench::report
