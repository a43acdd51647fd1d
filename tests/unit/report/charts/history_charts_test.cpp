// SPDX-License-Identifier: Apache-2.0
#include "harness/json/line_object.h"
#include "harness/nights/history.h"
#include "harness/report/history.h"
#include "harness/report/night.h"
#include "harness/report/pages.h"
#include "tests/testing.h"
#include "tests/unit/nights/night_maker.h"
#include "tests/unit/report/charts/charted.h"

namespace stepbench::report {
namespace {

using test::Json;
using test::Nightly;
using test::NightMaker;

// One series that became 8 % slower in night 22, one unchanged, and a night without a value.
NightMaker moved_history() {
  NightMaker maker;
  Nightly slower = NightMaker::steady(26, 53e6);
  for (std::size_t i = 22; i < slower.size(); ++i) slower[i] = *slower[i] * 1.08;
  slower[5].reset();
  maker.add_series("0", slower);
  maker.add_series("1", NightMaker::steady(26, 51e6));
  maker.run(22).git_sha = "0123456789abcdef";
  maker.run(22).labels = {{"branch", Value(std::string("<main>"))}};
  (void)maker.live(25);
  return maker;
}

JudgedNights judged_of(const NightMaker& maker) {
  return [&maker](const nights::SeriesHistory& one, const nights::History&) {
    const auto shown = maker.shown();
    const auto found = shown.judged.find(one.series.id);
    return found == shown.judged.end() ? std::vector<nights::JudgedRow>{} : found->second;
  };
}

TEST(HistoryCharts, Series_HasItsNightsLevelAndAlert) {
  const NightMaker maker = moved_history();
  const ReportContent content = history_content(maker.history, maker.events, judged_of(maker));
  EXPECT_EQ(test::figures_of(content.sections.back()).size(), 1U) << "the other one";
  const auto figures = test::figures_of(content.sections.front());
  ASSERT_EQ(figures.size(), 1U) << "on the first screen";
  const nights::SeriesHistory& series = maker.history.series.front();
  EXPECT_EQ(figures[0].json["id"], series.series.id) << "the series of the alert comes first";
  const Json drawn = Json::parse(content.charts)["series"][0];
  EXPECT_EQ(drawn["id"], series.series.id);
  std::vector<double> values;
  std::vector<std::string> alerts;
  bool usual = false;
  for (const Json& night : drawn["nights"]) {
    if (!night["value"].is_number()) continue;
    values.push_back(night["value"]);
    usual = usual || night["usual"].is_number();
    if (night["alert"] == "A1") alerts.push_back(night["started_utc"]);
  }
  ASSERT_EQ(values.size(), series.points.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_TRUE(test::is_near(values[i], series.points[i].value));
  }
  EXPECT_THAT(alerts, ElementsAre(maker.history.runs[22].started_utc));
  EXPECT_TRUE(usual);
  EXPECT_EQ(drawn["alerts"][0]["id"], "A1");
  EXPECT_THAT(report_of(history_content({}, {}, judged_of(maker)), {}).html,
              HasSubstr("There is no night in this history."));
}

TEST(HistoryCharts, BusyNightsAndNotes_AreMarked) {
  NightMaker maker = moved_history();
  const nights::TrackedSeries& series = maker.history.series.front().series;
  nights::set_busy(maker.run(7), series.case_id, {.waited = 0.62, .others = 0.81});
  nights::set_busy(maker.run(8), "another case", {.waited = 0.62});
  maker.tell({.what = std::string(name_of(nights::AlertEvent::kNoted)),
              .reason = "the fan was replaced",
              .details = {{"run", Value(NightMaker::run_id(9))}}});
  const Json drawn =
      Json::parse(history_content(maker.history, maker.events, judged_of(maker)).charts)["series"];
  const Json& nights = drawn[0]["nights"];
  EXPECT_EQ(nights[7]["waited_for_cpu_share"], 0.62);
  EXPECT_FALSE(nights[8].contains("waited_for_cpu_share"));
  EXPECT_EQ(nights[9]["note"], "the fan was replaced");
  EXPECT_FALSE(drawn[1]["nights"][7].contains("waited_for_cpu_share"));
}

// tests/report checks that its pages open and link to each other.
TEST(HistorySite, History_HasItsPagesAndOneScript) {
  NightMaker maker = moved_history();
  maker.run(22).context = {
      {"track.commit_url", Value(std::string("https://git.example.org/{sha}"))}};
  maker.history.series[1].series.id = "../../etc/passwd";
  const nights::AlertLog log = nights::fold_alerts(maker.events);
  const nights::SeriesHistory& moved = maker.history.series[0];
  HistorySite site(maker.history, log, maker.events, judged_of(maker),
                   {.plotly = {.script = "/* drawn */", .version = "4.1.1"},
                    .title = "Nights of <box>",
                    .today = "2026-02-01"});
  EXPECT_EQ(site.series(maker.history.series[1], maker.history).name,
            "series-______etc_passwd.html")
      << "no page lies outside the folder";
  const SiteFile series = site.series(moved, maker.history);
  EXPECT_EQ(series.name, "series-0.html");
  EXPECT_THAT(series.text,
              AllOf(HasSubstr("href=\"alert-A1.html\""),
                    HasSubstr("href=\"https://git.example.org/0123456789abcdef\""),
                    HasSubstr("<script src=\"plotly.min.js\">"), Not(HasSubstr("/* drawn */"))));
  EXPECT_EQ(site.scripts().at(0).text, "/* drawn */");
  const SiteFile alert = site.alert(log.alerts.front());
  EXPECT_EQ(alert.name, "alert-A1.html");
  EXPECT_THAT(alert.text, HasSubstr("value with its interval")) << "its series over the nights";
  EXPECT_THAT(site.index().text,
              AllOf(HasSubstr("Nights of &lt;box&gt;"), HasSubstr("<td>regression</td>"),
                    HasSubstr("<td>not judged</td>"), Not(HasSubstr("alert-.html")),
                    HasSubstr("{\"chart\":\"series\",\"id\":\"0\"")));
  HistorySite bare(maker.history, log, maker.events, judged_of(maker), {});
  EXPECT_TRUE(bare.scripts().empty());
  EXPECT_THAT(bare.series(moved, maker.history).text, Not(HasSubstr("plotly.min.js")));
}

ShownNight moved_night() {
  NightMaker maker = moved_history();
  for (nights::TrackedPoint& point : maker.history.series.front().points) {
    point.low = 0.99 * point.value;
    point.high = 1.01 * point.value;
  }
  return maker.shown();
}

TEST(NightCharts, Words_HaveTheLargestChange) {
  const ReportContent content = night_content(moved_night(), {}, "{}");
  const auto figures = test::figures_of(content.sections.front());
  EXPECT_EQ(figures.at(0).json["chart"], "night");
  EXPECT_THAT(figures.at(0).figure.alt, HasSubstr("the largest change +"));
}

TEST(NightCharts, ChangedSeries_IsDrawnOverItsNights) {
  const ShownNight night = moved_night();
  const ReportContent content = night_content(night, {}, "{}");
  const auto moved = std::ranges::find(content.sections, "moved", &document::Chapter::id);
  ASSERT_NE(moved, content.sections.end());
  const auto figures = test::figures_of(*moved);
  ASSERT_EQ(figures.size(), 1U) << "what did not move is not drawn";
  const Json series = Json::parse(night_json(night, {}))["series"];
  const auto drawn = std::ranges::find_if(
      series, [&](const Json& each) { return each["id"] == figures[0].json["id"]; });
  ASSERT_NE(drawn, series.end()) << "where its chart looks for it";
  const auto with_value = std::ranges::count_if(
      (*drawn)["nights"], [](const Json& each) { return each["value"].is_number(); });
  EXPECT_EQ(with_value, std::ssize(night.history.series.front().points));
}

TEST(NightCharts, VerdictFile_GivesTheSamePage) {
  const ShownNight night = moved_night();
  const std::string json = night_json(night, {.history_words = " --db sqlite:h.db"});
  const ReadNight read = read_night(json);
  EXPECT_EQ(night_json(read.shown, read.view), json);
  const auto page = [&](const ShownNight& of) {
    return report_of(night_content(of, read.view, json), {}).html;
  };
  EXPECT_EQ(page(read.shown), page(night));
}

TEST(NightCharts, OlderFile_NamesItsHistoryInCommands) {
  std::string json = night_json(moved_night(), {.history_words = " --db sqlite:h.db"});
  const std::string since_2_1 = R"("history":"--db sqlite:h.db",)";
  json.erase(json.find(since_2_1), since_2_1.size());
  EXPECT_EQ(read_night(json).view.history_words, " --db sqlite:h.db");
}

TEST(NightCharts, NewerFile_HasANote) {
  std::string json = night_json(moved_night(), {});
  const std::string version(kNightVersion);
  json.replace(json.find(version), version.size(), R"(2.99.0","future":{"a":[1]},"b":")");
  EXPECT_THAT(read_night(json).shown.night.notes.back(),
              HasSubstr("was written in the newer schema 2.99"));
}

TEST(NightCharts, OtherFile_IsRejected) {
  EXPECT_THROW((void)read_night(R"({"schema":"stepbench.verdict","version":"1.0.0"})"),
               json::LineError);
  EXPECT_EQ(read_night(night_error_json(2, "cannot be read")).error, "cannot be read");
}

}  // namespace
}  // namespace stepbench::report
