// SPDX-License-Identifier: Apache-2.0
// Prints what the nights' screens and confirmations are worth, by simulation, as Markdown: the page
// results/tracking_simulation.md. Ends with 1 where a goal is missed.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/stats/order.h"
#include "harness/text/numbers.h"
#include "tests/unit/track/lives.h"
#include "tests/unit/track/simulate.h"

namespace stepbench::testing_track {
namespace {

constexpr std::uint64_t kSeed = 331933;        // not used while the rules were made
constexpr std::uint64_t kLivesSeed = 4518811;  // nor this one
constexpr std::size_t kNights = 100;
constexpr std::size_t kSeries = 1000;
constexpr std::size_t kLives = 100;
constexpr std::size_t kChangeNight = 40;
constexpr double kLayout = 0.005;
// One alert that stands for weeks is no more than 1 red night of 1,000 of 400 series.
constexpr std::size_t kQuietTimes = 4;
constexpr std::size_t kPlanned = 8;  // launches of a night

// Changes of the program by place: the wanted one is in one of `nights_vary` nights from
// `wanted_from` on, so that lives differ, and as large as its row says.
struct Scenario {
  std::string_view name;
  Script script;
  std::size_t wanted_from = 0;
  std::size_t nights_vary = 1;
  std::vector<double> sizes = {0.03, 0.05};
  bool creeps = false;

  [[nodiscard]] Script with(std::size_t number, double size) const {
    Script one = script;
    if (creeps) one.creep = size;
    if (!creeps) one.program.push_back({wanted_from + number % nights_vary, size});
    return one;
  }
};

std::vector<Scenario> scenarios() {
  return {
      {"a step", {.nights = 110}, kChangeNight, 20, {0.02, 0.03, 0.05}},
      {"the same, weekends without a night and 5 % missing",
       {.nights = 80, .missing = 0.05, .weekends = true},
       kChangeNight,
       20},
      {"the same, linked anew for each second measurement",
       {.nights = 70, .relinked = true},
       kChangeNight,
       20},
      {"in the first ten nights", {.nights = 20}, 2, 8},
      {"with another environment, or in the five nights after",
       {.nights = 46, .machine = {{30, 0.04}}, .environment = 30},
       30,
       6},
      {"after 5 % that were accepted",
       {.nights = 50, .program = {{25, 0.05}}, .accept = 28, .wanted = 1},
       33,
       6},
      {"growth of 5 % that are open", {.nights = 50, .program = {{25, 0.05}}, .wanted = 1}, 33, 6},
      {"5 % that were gained are lost",
       {.nights = 50, .program = {{25, -0.05}}, .wanted = 1},
       29,
       6},
      {"after a spike of 10 %", {.nights = 50, .spikes = {{30, 0.1}}}, 31, 4},
      {"after a baseline by hand", {.nights = 50, .baseline = 30}, 31, 6},
      {"after the machine moved by 4 % unseen", {.nights = 50, .machine = {{30, 0.04}}}, 31, 6},
      {"creep per night, told before 4 %",
       {.nights = 100, .creep_from = 30},
       0,
       1,
       {0.001, 0.002},
       true},
  };
}

std::string fixed(double value, int decimals) {
  std::string text(32, '\0');
  const int length = std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  text.resize(static_cast<std::size_t>(length));
  return text;
}

double percent_of(const std::vector<Life>& lives, const std::function<bool(const Life&)>& is) {
  return 100 * static_cast<double>(std::count_if(lives.begin(), lives.end(), is)) /
         static_cast<double>(lives.size());
}

// What the nights of a public series differ by from the median of the three weeks around them, so
// that its own changes are out of it, as logarithms. Empty where the data are not there.
std::vector<double> recorded_nights() {
  constexpr std::ptrdiff_t kAround = 10;
  std::ifstream file(std::string(STEPBENCH_SOURCE_DIR) +
                     "/../shared/data/series/otava/tigerbeetle.json");
  if (!file) return {};
  const auto values = nlohmann::json::parse(file).at("series").get<std::vector<double>>();
  std::vector<double> nights;
  for (auto at = values.begin(); at != values.end(); ++at) {
    const auto from = at - std::min(kAround, at - values.begin());
    const auto to = at + std::min(kAround + 1, values.end() - at);
    nights.push_back(std::log(*at / stats::median(std::vector<double>(from, to))));
  }
  return nights;
}

// What each way of judging promises.
struct Mode {
  bool nightly = true;
  std::string_view name = {};
  double most_launches = 0;  // percent more than planned
  double found_5 = 0;        // percent of 5 % steps within five nights
  double shifted_3 = 0;      // of 3 % and 5 % after an unseen shift of the machine
  double shifted_5 = 0;
};
constexpr Mode kNightly = {true, "nightly", 20, 99, 85, 99};
constexpr Mode kSuspects = {false, "suspects", 55, 98, 70, 97};

// Whole lives, and what each way of judging promises of them.
class Lives {
 public:
  Lives(std::uint64_t seed, std::size_t lives, const Mode& mode)
      : seed_(seed), lives_(lives), mode_(mode) {}

  bool print() {
    std::cout << "## Goals of `track.reference: " << mode_.name << "`"
              << (mode_.nightly ? ", the default" : "") << "\n\n"
              << "Told within five nights, in percent, where nothing else is said; " << lives_
              << " series of each of five\nnoises, " << kQuietTimes * lives_
              << " of 110 nights where nothing changes.\n\n"
              << "| what | goal | found |  |\n| --- | --- | --- | --- |\n";
    const std::vector<Goal> quiet = quiet_goals();
    for (const Scenario& scenario : scenarios()) {
      for (const double size : scenario.sizes) judge(scenario, size);
    }
    for (const Goal& goal : quiet) tell(goal);
    tell({"the range holds the commit, worst row", ">= 95 %", worst_range_, worst_range_ >= 95});
    std::cout << '\n';
    return met_;
  }

 private:
  struct Goal {
    std::string what;
    std::string goal;
    double found = 0;
    bool met = false;
  };
  void tell(const Goal& goal) {
    std::cout << "| " << goal.what << " | " << goal.goal << " | " << fixed(goal.found, 2) << " | "
              << (goal.met ? "met" : "**missed**") << " |\n"
              << std::flush;
    met_ = met_ && goal.met;
  }
  void tell_least(std::string what, double least, double found) {
    tell({std::move(what), ">= " + fixed(least, 0) + " %", found, found >= least});
  }
  static Goal most(std::string what, double most, const char* words, double found) {
    return {std::move(what), words, found, found <= most};
  }

  std::vector<Life> lives_of(const std::function<Script(std::size_t)>& script, Noise noise,
                             std::size_t times = 1) {
    std::vector<Life> all;
    const World world{
        .noise = noise, .layout = Layout::kOfBuilds, .layout_sd = kLayout, .recorded = recorded_};
    for (std::size_t i = 0; i < times * lives_; ++i) {
      Script one = script(i);
      one.nightly = mode_.nightly;
      all.push_back(live(one, world, ++seed_));
    }
    return all;
  }

  // Per 1,000 nights of a series, and launches besides the planned ones in percent.
  struct Quiet {
    double told = 0;
    double red = 0;
    double newly_not_green = 0;
    double more = 0;
  };
  Quiet quiet_nights_of(const Script& script, Noise noise) {
    Life sum;
    for (const Life& life : lives_of([&](std::size_t) { return script; }, noise, kQuietTimes)) {
      sum.nights += life.nights;
      sum.late_nights += life.late_nights;
      sum.told += life.told;
      sum.red += life.red;
      sum.newly_not_green += life.newly_not_green;
      sum.launches += life.launches;
      of_others_ += life.of_others;
    }
    const double thousand = static_cast<double>(sum.nights) / 1000;
    return {static_cast<double>(sum.told) / thousand, static_cast<double>(sum.red) / thousand,
            static_cast<double>(sum.newly_not_green) / thousand,
            100 * static_cast<double>(sum.launches) / static_cast<double>(sum.late_nights) /
                static_cast<double>(kPlanned)};
  }

  std::vector<Goal> quiet_goals() {
    std::vector<Quiet> every_night;
    std::vector<Quiet> relinked;
    std::vector<Quiet> all;
    for (const Noise noise : kNoises)
      every_night.push_back(quiet_nights_of({.nights = 110}, noise));
    for (const Noise noise : kNoises) {
      relinked.push_back(quiet_nights_of({.nights = 110, .relinked = true}, noise));
    }
    all = every_night;
    const Script as_people_do{.nights = 110,
                              .missing = 0.05,
                              .failed = 0.03,
                              .unchanged = 0.5,
                              .hosts = 2,
                              .weekends = true};
    for (const Noise noise : kNoises) all.push_back(quiet_nights_of(as_people_do, noise));
    if (!recorded_.empty()) all.push_back(quiet_nights_of({.nights = 110}, Noise::kRecorded));
    seed_ += 2 * kQuietTimes * lives_;  // so that what follows is what the page has
    const auto mean = [](const std::vector<Quiet>& rows, double Quiet::*what) {
      double sum = 0;
      for (const Quiet& row : rows) sum += row.*what;
      return sum / static_cast<double>(rows.size());
    };
    double worst_red = 0;
    for (const Quiet& row : all) worst_red = std::max(worst_red, row.red);
    const std::string quiet = "nothing changes: ";
    const std::string per = " per 1,000 nights of a series";
    return {
        most(quiet + "told" + per, 0.5, "<= .5", mean(all, &Quiet::told)),
        most(quiet + "red" + per + ", worst row", 4, "<= 4", worst_red),
        most(quiet + "red" + per + ", linked anew, mean of the noises", 0.5, "<= .5",
             mean(relinked, &Quiet::red)),
        most(quiet + "newly not green" + per, 0.4, "<= .4", mean(all, &Quiet::newly_not_green)),
        {quiet + "more launches after ten nights, mean of the noises",
         "<= " + fixed(mode_.most_launches, 0) + " %", mean(every_night, &Quiet::more),
         mean(every_night, &Quiet::more) <= mode_.most_launches},
        most("alerts of another host shown in a night", 0, "0", static_cast<double>(of_others_))};
  }

  void judge(const Scenario& scenario, double size) {
    std::vector<Life> all;
    std::vector<Life> found;
    for (const Noise noise : kNoises) {
      for (const Life& life :
           lives_of([&](std::size_t i) { return scenario.with(i, size); }, noise)) {
        all.push_back(life);
        if (life.found_after > 0) found.push_back(life);
      }
    }
    const double soon = percent_of(all, [&](const Life& life) {
      if (scenario.creeps) return life.found_after > 0 && life.found_at < 0.04;
      return life.found_after > 0 && life.found_after <= 5;
    });
    if (scenario.name == "a step" && size < 0.05) {
      const double allowed = size < 0.03 ? 15 : 2;
      const double wrong = percent_of(all, [](const Life& life) { return life.wrongly_fixed; });
      tell({"wrongly fixed, " + fixed(100 * size, 0) + " %", "<= " + fixed(allowed, 0) + " %",
            wrong, wrong <= allowed});
    }
    const std::string what = std::string(scenario.name) + ", " + fixed(100 * size, 1) + " %";
    const bool shifted = scenario.name.find("unseen") != std::string_view::npos;
    if (scenario.creeps) tell_least(what, 95, soon);
    if (size == 0.03) tell_least(what, shifted ? mode_.shifted_3 : 85, soon);
    if (size == 0.05) tell_least(what, shifted ? mode_.shifted_5 : mode_.found_5, soon);
    if (scenario.creeps) return;
    const double range =
        found.empty() ? 0 : percent_of(found, [](const Life& life) { return life.right_range; });
    worst_range_ = std::min(worst_range_, range);
  }

  std::uint64_t seed_;
  std::size_t lives_;
  const Mode& mode_;
  const std::vector<double> recorded_ = recorded_nights();
  std::size_t of_others_ = 0;
  double worst_range_ = 100;
  bool met_ = true;
};

std::string rate(const QuietNights& quiet, std::size_t count) {
  return count == 0 ? "0" : fixed(quiet.per_thousand(count), 3);
}

void head() {
  std::cout << R"(# What the nights are worth

Nights that were made up, through the real code. Printed by `build/ci/tests/unit/track/tracking-simulation` (seeds )"
            << kLivesSeed << " and " << kSeed << R"(,
some minutes; with `lives` the first part alone). `ctest --test-dir build/ci -R '^tracking_simulation$'` runs it and fails
where a goal is missed.

A night's point and a launch have a standard deviation of 1 %. The noise is Gaussian; with heavy tails (5 % of the
nights are later by an exponential of 5 %, 7 % of the launches by one of 4 %); of two levels 2 % apart; or nights are
autoregressive by 0.5 and 0.8. During a measurement the machine's level walks by 0.3 % per launch. GPU noise was not
measured for this.

## How lives are simulated

Series night by night, through what `nightly` does after it has measured: judge, measure what is due, record, judge
again. Eight launches a night are planned. With `track.reference: nightly` four of them are of a kept program, in turns
with four of tonight's; with `suspects` all are tonight's. A spike is of tonight's launches alone, and the reference's
show nothing of it. If nothing else is said every night has another build, and each build costs 0.5 % more or less by how
its code happens to lie; a second measurement of the same night has the same two builds, except in the rows that say
"linked anew": there it is of tonight's program with another layout, as with `--relinked`. What was recorded of real
nights counts where the data are. *Wrongly fixed*: closed within 60 nights, though nobody mended it; the *range* of what
was told holds the commit.

)";
}

void screens() {
  std::cout << R"(## The screens and one confirmation alone

20 pairs of launches in ABBA order, the one-sided rule; )"
            << text::with_separators(static_cast<std::int64_t>(kSeries * (kNights - 10)))
            << " quiet nights and " << text::with_separators(static_cast<std::int64_t>(kSeries))
            << R"( steps of 3 % in each row.
*Fired*, and so measured again, per 1,000 nights; *layout*: 0.5 % between the arms, else none. What fires costs 40 launches:
where that is too much, `otava2` fires least for what it finds, except with heavy tails. `rank` fires least and is the
slowest. `t_pred` and `otava2` miss steps among outliers.

| screen | noise | fired | slower, once | slower, once, with layout | 3 % within 5 nights, twice | median |
| --- | --- | --- | --- | --- | --- | --- |
)";
  std::uint64_t seed = kSeed;
  const auto next_seed = [&] { return std::exchange(seed, seed + 1000); };
  for (const track::ScreenKind kind : {track::ScreenKind::kRobustZ, track::ScreenKind::kOtava2,
                                       track::ScreenKind::kRank, track::ScreenKind::kTPred}) {
    for (const Noise noise : kNoises) {
      const QuietNights plain = quiet_nights({.noise = noise}, kind, kSeries, kNights, next_seed());
      const QuietNights layout =
          quiet_nights({.noise = noise, .layout_sd = 0.005}, kind, kSeries, kNights, next_seed());
      const FoundSteps found = found_steps({.noise = noise}, kind, 0.03, kSeries, next_seed());
      const std::size_t middle = median_night(found.twice);
      std::cout << "| `" << stepbench::name_of(kind) << "` | " << name_of(noise) << " | "
                << fixed(plain.per_thousand(plain.fired), 1) << " | "
                << rate(plain, plain.slower_once) << " | " << rate(layout, layout.slower_once)
                << " | " << fixed(100 * share_within(found.twice, 5), 1) << " | "
                << (middle == kNeverFound ? "-" : std::to_string(middle)) << " |\n"
                << std::flush;
    }
  }
}

}  // namespace
}  // namespace stepbench::testing_track

// `tracking-simulation lives [N [nightly|suspects]]`: the lives alone, N in each cell.
int main(int count, char** words) {
  using namespace stepbench::testing_track;
  const bool alone = count > 1 && std::string_view(words[1]) == "lives";
  const std::size_t lives = count > 2 ? std::stoul(words[2]) : kLives;
  const std::string_view reference = count > 3 ? words[3] : "";
  if (!alone) head();
  bool met = true;
  for (const Mode& mode : {kNightly, kSuspects}) {
    if (!reference.empty() && reference != mode.name) continue;
    const std::uint64_t seed = mode.nightly ? kLivesSeed : kLivesSeed + 500'000;
    met = Lives(seed, lives, mode).print() && met;
  }
  if (!alone) screens();
  return met ? 0 : 1;
}
