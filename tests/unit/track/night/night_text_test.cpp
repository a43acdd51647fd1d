// SPDX-License-Identifier: Apache-2.0
// Nights and alerts as people and other programs read them: a night with one of everything and what
// became of its alert stand in data/, and STEPBENCH_APPROVE=1 writes them anew. tests/corpus has
// the words of the other pages.
#include "harness/report/night_document.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "harness/base/error.h"
#include "harness/document/render.h"
#include "harness/report/history_document.h"
#include "harness/report/history_export.h"
#include "harness/report/history_words.h"
#include "harness/report/night_json.h"
#include "tests/unit/track/night/history_maker.h"

namespace stepbench::report {
namespace {

using test::HistoryMaker;
using test::Nightly;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

const std::filesystem::path kNightData =
    std::filesystem::path(STEPBENCH_SOURCE_DIR) / "tests/unit/track/night/data";

void expect_night_golden(const std::string& name, const std::string& text) {
  if (std::getenv("STEPBENCH_APPROVE") != nullptr) {
    std::ofstream(kNightData / name, std::ios::binary) << text;
  }
  std::ostringstream known;
  known << std::ifstream(kNightData / name, std::ios::binary).rdbuf();
  EXPECT_EQ(text, known.str()) << "STEPBENCH_APPROVE=1 accepts a change";
}

Nightly moved_from(std::size_t night, double factor, double level, std::size_t count = 26) {
  Nightly values = HistoryMaker::steady(count, level);
  for (std::size_t i = night; i < count; ++i) values[i] = *values[i] * factor;
  return values;
}

// One of everything in night 25.
HistoryMaker eventful() {
  HistoryMaker maker;
  maker.add_series("0", moved_from(22, 1.05, 76e6));
  maker.add_series("2", moved_from(25, 1.08, 53e6));
  maker.add_series("4", moved_from(25, 0.90, 52e6));
  maker.add_series("8", HistoryMaker::steady(26, 51e6));
  Nightly missing = HistoryMaker::steady(26, 50e6);
  missing[25].reset();
  maker.add_series("16", missing);
  Nightly young(26);
  for (std::size_t i = 20; i < 26; ++i) young[i] = 40e6;
  maker.add_series("32", young);
  maker.set_control(HistoryMaker::steady(26, 10e6));
  maker.measure(maker.judge(22), track::AlertState::kRegression, 0.048);
  return maker;
}

campaign::CheckedNight checked(const HistoryMaker& maker, std::size_t night) {
  return {.night = maker.look(night), .history = maker.history};
}

std::string page_of(const campaign::CheckedNight& night) {
  return document::render(night_document(night, {}), {});
}

std::string markdown_of(const campaign::CheckedNight& night) {
  return document::render(night_document(night, {}), {.markdown = true});
}

TEST(NightText, OfAnEventfulNight) {
  HistoryMaker maker = eventful();
  maker.measure(maker.judge(25), track::AlertState::kReproduced, 0.079);
  const campaign::CheckedNight night = checked(maker, 25);
  expect_night_golden("eventful.txt", page_of(night));
  std::string json = nlohmann::ordered_json::parse(night_json(night, {})).dump() + '\n';
  for (std::size_t at = 0; (at = json.find("{\"", at + 1)) != std::string::npos;) {
    if (json[at - 1] == ',' || json[at - 1] == '[')
      json.insert(at++, 1, '\n');  // a line per object
  }
  expect_night_golden("eventful.json", json);
}

TEST(NightText, TheTableOfAllSeriesHasTheQuietOnesLastAndNoScoreOfMinusZero) {
  HistoryMaker maker = eventful();
  campaign::CheckedNight night = checked(maker, 25);
  for (track::NightSeries& series : night.night.series) series.score = -0.01;
  const document::Table all = night_table(night, {.rows = 0});
  ASSERT_EQ(all.rows.size(), night.night.series.size());
  std::vector<std::string> heads;
  for (const document::Column& column : all.columns) heads.push_back(column.head);
  const auto place = [&](const char* head) {
    return static_cast<std::size_t>(std::ranges::find(heads, head) - heads.begin());
  };
  EXPECT_EQ(all.rows.back().cells.at(place("state")).text, "warming-up");
  for (const document::TableRow& row : all.rows) {
    EXPECT_EQ(row.cells.at(place("robust_z")).text, "0.0");
  }
  EXPECT_EQ(night_table(night, {.rows = 2}).rows.size(), 2U);
}

TEST(NightText, SaysWhatBrokeANightWhoseSeriesAreJudgedAllTheSame) {
  HistoryMaker maker;
  maker.add_series("0", HistoryMaker::steady(4));
  campaign::CheckedNight night = checked(maker, 3);
  night.night.verdict = track::NightState::kNoData;
  night.night.exit_code = 2;
  night.night.notes = {"n.yaml broke off: the row was not written:\nNo space left on device"};
  const std::string page = page_of(night);
  EXPECT_THAT(page, HasSubstr("verdict: no-data: an experiment broke off (exit code 2)"));
  EXPECT_THAT(page, HasSubstr("1 warming-up"));
  EXPECT_THAT(page, HasSubstr("note: n.yaml broke off: the row was not written:\n"
                              "  No space left on device\n"));
  night.night.exit_code = 4;
  EXPECT_THAT(page_of(night), HasSubstr("verdict: no-data: launches failed (exit code 4)"));
}

TEST(NightText, SaysWhichFieldOfTheEnvironmentChanged) {
  HistoryMaker maker;
  maker.nightly = true;
  maker.add_programs("0", std::vector<double>(21, 1.0));
  maker.add_programs("2", std::vector<double>(21, 1.0));
  for (std::size_t night = 0; night < 20; ++night) (void)maker.live(night);
  maker.set_cohort_from(20, "560.9");
  const std::string was = "environment: gpu.driver was 550.1 and is 560.9 since tonight: 2 series ";
  EXPECT_THAT(page_of(checked(maker, 20)), HasSubstr(was + "of train begin a new level\n"));
  (void)maker.live(20);
  EXPECT_THAT(page_of(checked(maker, 20)),
              HasSubstr(was + "of train go on, by their\n  ratios to the reference program\n"));
}

TEST(NightText, OfManySeriesShowsTheLargestAndForeignTextHarmless) {
  HistoryMaker maker;
  for (int i = 0; i < 60; ++i) {
    maker.add_series(std::to_string(i) + "\x1b[31m|<b>",
                     moved_from(20, 1.05 + 0.001 * i, 76e6, 21));
  }
  const track::Night night = maker.judge(20);
  EXPECT_THAT(night.alerts.alerts, SizeIs(1));
  const std::string page = page_of(checked(maker, 20));
  EXPECT_THAT(page, HasSubstr("20 series more (--format json has all)"));
  EXPECT_THAT(page, HasSubstr("A1, opened tonight: suspect, 60 series worse"));
  EXPECT_THAT(page, Not(HasSubstr("\x1b[31m")));
  EXPECT_THAT(markdown_of(checked(maker, 20)), Not(HasSubstr("<b>")));
}

TEST(HistoryText, OfASeriesIsAChartAndATable) {
  HistoryMaker maker = eventful();
  (void)maker.judge(25);
  const SeriesNames names(maker.history);
  const track::AlertLog log = track::fold_alerts(maker.events);
  const HistoryView view =
      view_of(maker.history.series[0], maker.history, log, maker.events, {}, 60);
  const document::Document series = series_document(view, maker.history, names);
  EXPECT_THAT(document::render(series, {.columns = 120}), HasSubstr("A1"));
  const auto json = nlohmann::json::parse(series_json(view, names));
  EXPECT_EQ(json["nights"].size(), 26U);
  EXPECT_EQ(json["nights"][22]["alert"], "A1");
}

TEST(HistoryText, OfAnAlertIsWhatHappenedToIt) {
  HistoryMaker maker = eventful();
  maker.tell({.at_utc = "2026-01-24T09:00:00Z",
              .who = "ann@box",
              .what = "acknowledged",
              .alert_id = "A1",
              .from_state = "regression",
              .to_state = "acknowledged",
              .reason = "a fix is under way",
              .details = {{"until", std::string("2026-02-01")}, {"expect", 0.05}}});
  const SeriesNames names(maker.history);
  expect_night_golden("alert.txt",
                      document::render(alert_document(maker.alert("A1"), maker.history, names, ""),
                                       {.columns = 120}));
  EXPECT_EQ(document::render(open_alerts_document({}, names, "2026-02-01"), {}),
            "no alert is open\n");
}

TEST(HistoryText, OfAnAlertThatNoNightMeasuresAnyMoreSaysWhatEndsIt) {
  const HistoryMaker maker = eventful();
  const track::Alert alert = maker.alert("A1");
  EXPECT_EQ(stale_alert_words(alert, maker.history.runs, "2026-02-01", ""), "");
  const std::string stale = stale_alert_words(alert, maker.history.runs, "2026-03-01", " --db X");
  EXPECT_THAT(stale, HasSubstr("A1 stays open: train had no night on box since 2026-0"));
  EXPECT_THAT(stale, HasSubstr("track note A1 --as accepted \"...\" --db X ends it"));
}

TEST(SeriesMeant, IsNamedByWordsOrTheBeginOfItsId) {
  HistoryMaker maker;
  maker.add_series("1", HistoryMaker::steady(2));
  maker.add_series("2", HistoryMaker::steady(2)).id = "abcdef0123456789";
  maker.add_series("2", HistoryMaker::steady(2), "loader");
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
  refuses({"num_workers=2"}, "", "'num_workers=2' may be 2 series; name one by its id, or add");
  refuses({"num_worker=2"}, "", "(did you mean 'num_workers=2'?)");
  refuses({"loader"}, "peak_byte", "--metric: no series has the metric");
  refuses({"loader", "num_workers=1"}, "", "no series fits all of");
}

TEST(SeriesNames, ThatAreAlike_AreToldApartByWhatVariesOrIds) {
  HistoryMaker maker;
  maker.add_series("1", HistoryMaker::steady(2));
  maker.add_series("2", HistoryMaker::steady(2));
  maker.add_series("2", HistoryMaker::steady(2)).id = "abcdef0123456789";
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

}  // namespace
}  // namespace stepbench::report
