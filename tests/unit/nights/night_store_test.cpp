// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/night_store.h"

#include <random>

#include "harness/nights/acts.h"
#include "harness/text/time_text.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::nights {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kStoredSeed = 20261129;

// A history on disk with nights of generated launches.
class StoredNights : public ::testing::Test {
 protected:
  nights::TrackStore open() { return nights::TrackStore::open(url_); }

  std::string run_of(int night) const { return "night-" + std::to_string(1000 + night); }
  std::string utc_of(int night) const {
    return text::utc_text(*text::parse_utc("2026-01-01T02:00:00Z") + 24h * night);
  }

  // Two cases. `log_ratio`: by how much each is slower than the reference.
  void add(nights::TrackStore& store, int night, const std::vector<double>& log_ratio) {
    nights::ImportedRun run{.run = {.run_id = run_of(night),
                                    .started_utc = utc_of(night),
                                    .experiment = "train",
                                    .host = "box",
                                    .folder = "results/" + run_of(night),
                                    .build_id = "b" + std::to_string(night),
                                    .plan_digest = "p"}};
    for (std::size_t i = 0; i < log_ratio.size(); ++i) {
      nights::ImportedCase made{.case_id = "case" + std::to_string(i), .workload = "w"};
      for (int launch = 0; launch < 4; ++launch) {
        made.launches.push_back({.values = {.launch = launch,
                                            .steps = 5,
                                            .values = {{std::string(nights::kStepSeries),
                                                        1e6 * std::exp(log_ratio[i])}}},
                                 .cohort = "c1",
                                 .digest = std::to_string(launch)});
      }
      run.cases.push_back(std::move(made));
    }
    (void)store.add(nights::Import{
        .runs = {run}, .cohorts = {{.id = "c1", .fields = {{"torch", std::string("2.11")}}}}});
  }

  NightPairs pairs(nights::TrackStore& store, int night, const std::vector<double>& log_ratio,
                   std::size_t count) {
    const nights::History history = store.history({.last = 1});
    NightPairs measured{
        .night = {.run = run_of(night), .utc = utc_of(night), .host = "box", .experiment = "train"},
        .build = "b" + std::to_string(night),
        .reference = "b0",
        .reference_run = run_of(0),
        .environment = "c1"};
    if (night == 0) {
      measured.why = NightReason::kNoReference;
      return measured;
    }
    std::normal_distribution<double> noise(0, .004);
    for (const nights::SeriesHistory& one : history.series) {
      const auto at = static_cast<std::size_t>(one.series.case_id.back() - '0');
      SeriesPairs of{.series = one.series.id, .first = kPairs, .reference = 1e6};
      for (std::size_t i = 0; i < count; ++i)
        of.pairs.push_back(std::round(1e8 * (log_ratio[at] + noise(random_))) / 1e8);
      measured.series.push_back(std::move(of));
    }
    measured.judged = measured.series.size();
    return measured;
  }

  StoredNight night(nights::TrackStore& store, int night, const std::vector<double>& log_ratio,
                    std::size_t count = 28) {
    add(store, night, log_ratio);
    return judge_and_record({.runs = {run_of(night)},
                             .pairs = {pairs(store, night, log_ratio, count)},
                             .who = "ann@box",
                             .now_utc = utc_of(night)},
                            store);
  }

  StoredNight look(nights::TrackStore& store, int night) {
    return judge_and_record({.runs = {run_of(night)}, .now_utc = utc_of(night)}, store);
  }

  test::TemporaryFolder folder_;
  std::string url_ = "sqlite:" + (folder_ / "history.db").string();
  std::mt19937_64 random_{kStoredSeed};
};

TEST_F(StoredNights, NextNight_ContinuesFromTheLast) {
  for (int i = 0; i < 12; ++i) {
    nights::TrackStore store = open();
    EXPECT_EQ(night(store, i, {0, 0}).night.exit_code, 0) << i;
  }
  nights::TrackStore store = open();
  const StoredNight reported = night(store, 12, {.08, 0});
  EXPECT_EQ(reported.night.exit_code, 1);
  ASSERT_THAT(reported.night.alerts.alerts, SizeIs(1));
  EXPECT_EQ(reported.night.alerts.alerts[0].first_bad, run_of(12));
  EXPECT_EQ(reported.night.alerts.alerts[0].last_good, run_of(11));
  EXPECT_THAT(load_states(store, "box", "train"), SizeIs(2));
  EXPECT_THAT(load_states(store, "elsewhere", "train"), IsEmpty());
}

TEST_F(StoredNights, JudgedTwice_GiveTheSame) {
  nights::TrackStore store = open();
  for (int i = 0; i < 8; ++i) (void)night(store, i, {0, 0});
  const StoredNight reported = night(store, 8, {.08, 0});
  const std::size_t events = store.events().size();
  const auto states = load_states(store, "box", "train");
  for (const bool with_pairs : {false, true}) {
    const StoredNight again = with_pairs
                                  ? judge_and_record({.runs = {run_of(8)},
                                                      .pairs = {pairs(store, 8, {.08, 0}, 28)},
                                                      .now_utc = utc_of(8)},
                                                     store)
                                  : look(store, 8);
    EXPECT_TRUE(again.night.known);
    EXPECT_TRUE(again.night.is_newest);
    EXPECT_EQ(again.night.exit_code, reported.night.exit_code);
    EXPECT_EQ(again.night.reported, reported.night.reported);
    ASSERT_EQ(again.night.series.size(), reported.night.series.size());
    for (std::size_t i = 0; i < reported.night.series.size(); ++i) {
      EXPECT_EQ(again.night.series[i].state, reported.night.series[i].state);
      EXPECT_EQ(again.night.series[i].change, reported.night.series[i].change);
      EXPECT_EQ(again.night.series[i].alert, reported.night.series[i].alert);
    }
  }
  EXPECT_EQ(store.events().size(), events);
  EXPECT_EQ(load_states(store, "box", "train"), states);
}

TEST_F(StoredNights, Older_AreShownAsTheyWere) {
  nights::TrackStore store = open();
  for (int i = 0; i < 8; ++i) (void)night(store, i, {0, 0});
  const std::size_t events = store.events().size();
  const StoredNight older = look(store, 5);
  EXPECT_FALSE(older.night.is_newest);
  EXPECT_EQ(older.night.verdict, NightState::kOk);
  ASSERT_THAT(older.night.series, SizeIs(2));
  for (const NightSeries& one : older.night.series) {
    EXPECT_EQ(one.value, 1e6);
    ASSERT_TRUE(one.change);
    EXPECT_DOUBLE_EQ(one.usual.value_or(0), 1e6 / (1 + *one.change));
    EXPECT_NEAR(one.reference.value_or(0), 1e6, 1e4);
  }
  EXPECT_EQ(store.events().size(), events);
}

TEST_F(StoredNights, AcceptedMeanwhile_AreShownGreen) {
  nights::TrackStore store = open();
  for (int i = 0; i < 8; ++i) (void)night(store, i, {0, 0});
  const StoredNight reported = night(store, 8, {.08, 0});
  nights::TrackEvent accepted =
      accept_alert(reported.night.alerts.alerts[0], {.reason = "wanted"}, "2026-01-09");
  AlertLog log = reported.night.alerts;
  apply_event(log, accepted);
  store.record({&accepted, 1});
  EXPECT_EQ(look(store, 8).night.exit_code, 0);
}

TEST_F(StoredNights, ManyBuilds_EstimateTheLayout) {
  nights::TrackStore store = open();
  (void)night(store, 0, {0, 0});
  const Alert alert{.host = "box", .experiment = "train"};
  for (int i = 1; i <= 24; ++i) {
    const StoredNight last = night(store, i, {i % 2 == 0 ? .004 : -.004, 0});
    const auto layout = learnt_layout(store, alert, last.night.series[0].series.id);
    EXPECT_EQ(layout.has_value(), i > 19) << i;
    if (i == 24) {
      EXPECT_GT(layout.value_or(0), .005);
    }
  }
  EXPECT_FALSE(learnt_layout(store, alert, "another"));
}

TEST_F(StoredNights, FormerStates_AreMadeAnew) {
  nights::TrackStore store = open();
  std::string series;
  for (int i = 0; i <= 24; ++i) {
    series = night(store, i, {i % 2 == 0 ? .004 : -.004, 0}).night.series[0].series.id;
  }
  const Alert alert{.host = "box", .experiment = "train"};
  const auto states = load_states(store, "box", "train");
  const auto layout = learnt_layout(store, alert, series);
  ASSERT_TRUE(layout);
  const auto with_former_states = [&] {
    std::vector<StateRow> rows = store.states("box", "train");
    for (StateRow& row : rows) {
      row.state.resize(row.state.find("\"builds\":"));
      row.state += "\"rows\":[]}";
    }
    store.record({}, {.states = std::move(rows)});
  };
  with_former_states();
  EXPECT_EQ(learnt_layout(store, alert, series), layout);
  with_former_states();
  EXPECT_EQ(load_states(store, "box", "train"), states);
}

TEST_F(StoredNights, AddedRun_HasNoVerdict) {
  nights::TrackStore store = open();
  add(store, 3, {0, 0});
  const StoredNight night = look(store, 3);
  EXPECT_EQ(night.night.verdict, NightState::kNoVerdict);
  EXPECT_EQ(night.night.exit_code, 0);
  EXPECT_THAT(store.events(), IsEmpty());
}

TEST_F(StoredNights, Series_AreReadableForDisplay) {
  nights::TrackStore store = open();
  for (int i = 0; i < 8; ++i) (void)night(store, i, {0, 0});
  const StoredNight reported = night(store, 8, {.08, 0});
  const std::vector<nights::JudgedRow> nights =
      store.judged_series(reported.night.series[0].series.id, "box");
  ASSERT_THAT(nights, SizeIs(9));
  EXPECT_EQ(nights.front().state, NightState::kNoVerdict);
  EXPECT_EQ(nights.back().state, NightState::kRegression);
  EXPECT_TRUE(nights.back().reported);
  EXPECT_NEAR(nights.back().ratio.value(), std::exp(.08), .01);
  EXPECT_EQ(nights.back().alert, "A1");
}

TEST_F(StoredNights, Reference_StaysUntilABaseline) {
  nights::TrackStore store = open();
  EXPECT_EQ(stored_reference(store, "box", "train").why, NightReason::kNoReference);
  for (int i = 0; i < 3; ++i) (void)night(store, i, {0, 0});
  EXPECT_EQ(stored_reference(store, "box", "train").build, "b0");
  EXPECT_EQ(stored_reference(store, "box", "train").run, run_of(0));
  EXPECT_EQ(stored_reference(store, "box", "train@dev").why, NightReason::kNoReference);
  std::vector<nights::TrackEvent> events =
      set_baseline(store.runs().back(), {}, store.runs(), "release");
  for (nights::TrackEvent& event : events) event.at_utc = utc_of(3);
  store.record(events);
  EXPECT_EQ(stored_reference(store, "box", "train").build, "");
  EXPECT_EQ(stored_reference(store, "box", "train").why, NightReason::kBaseline);
}

TEST_F(StoredNights, FailingReference_IsCounted) {
  nights::TrackStore store = open();
  for (int i = 0; i < 3; ++i) (void)night(store, i, {0, 0});
  for (int i = 3; i < 5; ++i) {
    add(store, i, {0, 0});
    NightPairs none = pairs(store, i, {0, 0}, 0);
    none.series.clear();
    none.why = NightReason::kReferenceFails;
    none.reason = "signal 11";
    const StoredNight failed =
        judge_and_record({.runs = {run_of(i)}, .pairs = {none}, .now_utc = utc_of(i)}, store);
    EXPECT_EQ(failed.night.exit_code, 4);
    EXPECT_EQ(stored_reference(store, "box", "train").failed_nights, i - 2);
  }
}

// Random lives, with human actions between the nights.
class RebuiltNights : public StoredNights, public ::testing::WithParamInterface<int> {};

TEST_P(RebuiltNights, RandomHistory_EqualsTheJudgedOne) {
  random_.seed(kStoredSeed + static_cast<std::uint64_t>(GetParam()));
  nights::TrackStore store = open();
  std::vector<double> level = {0, 0};
  for (int i = 0; i < 45; ++i) {
    for (double& one : level) {
      if (random_() % 15 == 0) one += static_cast<double>(random_() % 13) / 100 - .06;
    }
    const StoredNight judged = night(store, i, level, random_() % 5 == 0 ? 4 : 28);
    for (const Alert& alert : judged.night.alerts.alerts) {
      if (alert.state != AlertState::kOpen || random_() % 8 != 0) continue;
      nights::TrackEvent event = accept_alert(alert, {.reason = "wanted"}, utc_of(i).substr(0, 10));
      AlertLog log = judged.night.alerts;
      apply_event(log, event);
      event.at_utc = utc_of(i);
      store.record({&event, 1});
    }
  }
  const auto before = load_states(store, "box", "train");
  const std::size_t events = store.events().size();
  std::vector<std::vector<nights::JudgedRow>> nights;
  for (const auto& [series, state] : before) nights.push_back(store.judged_series(series, "box"));
  EXPECT_EQ(rebuild(store, "box"), 45U);
  EXPECT_EQ(load_states(store, "box", "train"), before);
  EXPECT_EQ(store.events().size(), events) << "what was told stays told, and nothing is added";
  std::size_t at = 0;
  for (const auto& [series, state] : before) {
    const std::vector<nights::JudgedRow> again = store.judged_series(series, "box");
    ASSERT_EQ(again.size(), nights[at].size());
    for (std::size_t i = 0; i < again.size(); ++i) {
      EXPECT_EQ(again[i].change, nights[at][i].change) << i;
      EXPECT_EQ(again[i].reported, nights[at][i].reported) << i;
      EXPECT_EQ(again[i].alert, nights[at][i].alert) << i;
    }
    ++at;
  }
}

INSTANTIATE_TEST_SUITE_P(Lives, RebuiltNights, ::testing::Range(0, 6));

TEST_F(StoredNights, HistoryFromEvents_IsContinued) {
  std::map<std::string, SeriesState> before;
  {
    nights::TrackStore store = open();
    for (int i = 0; i < 12; ++i) (void)night(store, i, {0, 0});
    before = load_states(store, "box", "train");
  }
  for (const char* ending : {"", "-wal", "-shm"})
    fs::remove((folder_ / "history.db").string() + ending);
  nights::TrackStore store = open();
  for (int i = 0; i < 12; ++i) add(store, i, {0, 0});
  EXPECT_EQ(night(store, 12, {.08, 0}).night.exit_code, 1) << "its level is known";
}

}  // namespace
}  // namespace stepbench::nights
