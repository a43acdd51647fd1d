// SPDX-License-Identifier: Apache-2.0
// Prints what the nights' screens and confirmations are worth, by simulation, as Markdown: the page
// results/tracking_simulation.md. Ends with 1 where a goal is missed.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/text/numbers.h"
#include "tests/unit/track/lives_page.h"
#include "tests/unit/track/simulate.h"

namespace stepbench::testing_track {
namespace {

constexpr std::uint64_t kSeed = 271933;        // not used while the rules were made
constexpr std::uint64_t kLivesSeed = 4518811;  // nor this one
constexpr std::size_t kSeries = 10000;
constexpr std::size_t kNights = 100;
constexpr std::size_t kOtherSeries = 1000;
constexpr std::size_t kLives = 100;

struct Setting {
  std::string_view name;
  World world;
};

std::vector<Setting> settings(Noise noise) {
  return {
      {"none", {.noise = noise}},
      {"0.5 % between the arms", {.noise = noise, .layout_sd = 0.005}},
      {"0.5 % of each build", {.noise = noise, .layout = Layout::kOfBuilds, .layout_sd = 0.005}},
      {"0.5 % of each build, the same when linked anew",
       {.noise = noise,
        .layout = Layout::kOfBuilds,
        .layout_sd = 0.005,
        .second_draws_anew = false}},
      {"1 % between the arms", {.noise = noise, .layout_sd = 0.01}},
      {"1 % of each build", {.noise = noise, .layout = Layout::kOfBuilds, .layout_sd = 0.01}}};
}

std::string fixed(double value, int decimals) {
  std::string text(32, '\0');
  const int length = std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  text.resize(static_cast<std::size_t>(length));
  return text;
}

std::string rate(const QuietNights& quiet, std::size_t count) {
  return count == 0 ? "0" : fixed(quiet.per_thousand(count), 3);
}

class Page {
 public:
  void write() {
    quiet();
    steps();
    others();
  }

  static void head() {
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
nights is there where the data are. The last rows of nothing are in no goal: how much layout makes is learnt, but slowly
among launches that vary by 1 %, and where builds differ by twice what is assumed of a new series it shows.

)";
  }

 private:
  static void line(std::string_view text) { std::cout << text << '\n'; }
  static void row(const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) std::cout << "| " << cell << ' ';
    std::cout << "|\n" << std::flush;
  }

  void quiet() {
    std::cout << R"(## The screen and one confirmation alone

20 pairs of launches in ABBA order, the one-sided rule. *Layout* is here either one offset between the two arms of a
confirmation that no night sees, as in published simulations, or an offset of each build, which its night sees too, so
that the slowest builds are the ones that are suspected. The second confirmation draws new offsets, except where it says
so: in the nights themselves it does not, which is why they tell by the mean of several pairs of builds.

### Nights on which nothing changed

)";
    line("Screen `robust_z`, " +
         text::with_separators(static_cast<std::int64_t>(kSeries * (kNights - 10))) +
         " nights in each row. Per 1,000 nights of a series: *fired*, and so measured again "
         "(either");
    line("way); confirmed once and twice though nothing changed.");
    line("");
    row({"noise", "layout", "fired", "slower, once", "slower, twice", "faster, once",
         "faster, twice"});
    row({"---", "---", "---", "---", "---", "---", "---"});
    for (const Noise noise : kNoises) {
      for (const Setting& setting : settings(noise)) {
        const QuietNights found =
            quiet_nights(setting.world, track::ScreenKind::kRobustZ, kSeries, kNights, next_seed());
        row({std::string(name_of(noise)), std::string(setting.name),
             fixed(found.per_thousand(found.fired), 1), rate(found, found.slower_once),
             rate(found, found.slower_twice), rate(found, found.faster_once),
             rate(found, found.faster_twice)});
      }
    }
    line("");
  }

  void steps() {
    line("### Steps");
    line("");
    line("`robust_z`, a step after 40 to 59 nights, " +
         text::with_separators(static_cast<std::int64_t>(kSeries)) +
         " series in each row: the share that is confirmed within five nights, in");
    line("percent, and the median night (1 is the night of the step itself).");
    line("");
    row({"noise", "layout", "3 %, once", "3 %, twice", "median", "5 %, once", "5 %, twice",
         "median"});
    row({"---", "---", "---", "---", "---", "---", "---", "---"});
    for (const Noise noise : kNoises) {
      std::size_t number = 0;
      for (const Setting& setting : settings(noise)) {
        if (number == 0 || number == 2 || number == 5) {
          const FoundSteps three =
              found_steps(setting.world, track::ScreenKind::kRobustZ, 0.03, kSeries, next_seed());
          const FoundSteps five =
              found_steps(setting.world, track::ScreenKind::kRobustZ, 0.05, kSeries, next_seed());
          row({std::string(name_of(noise)), std::string(setting.name),
               fixed(100 * share_within(three.once, 5), 1),
               fixed(100 * share_within(three.twice, 5), 1),
               std::to_string(median_night(three.twice)),
               fixed(100 * share_within(five.once, 5), 1),
               fixed(100 * share_within(five.twice, 5), 1),
               std::to_string(median_night(five.twice))});
        }
        ++number;
      }
    }
    line("");
  }

  void others() {
    line("### The other screens");
    line("");
    line("With the same confirmation; " +
         text::with_separators(static_cast<std::int64_t>(kOtherSeries * (kNights - 10))) +
         " quiet nights and " + text::with_separators(static_cast<std::int64_t>(kOtherSeries)) +
         " steps of 3 % in each row. *Layout*: 0.5 %");
    line(
        "between the arms, else none. What fires costs 40 launches: where that is too much, "
        "`otava2` fires least for what it");
    line(
        "finds, except with heavy tails. `rank` fires least and is the slowest. `t_pred` and "
        "`otava2` "
        "miss steps among outliers.");
    line("");
    row({"screen", "noise", "fired", "slower, once", "slower, once, with layout",
         "3 % within 5 nights, twice", "median"});
    row({"---", "---", "---", "---", "---", "---", "---"});
    for (const track::ScreenKind kind : {track::ScreenKind::kRobustZ, track::ScreenKind::kOtava2,
                                         track::ScreenKind::kRank, track::ScreenKind::kTPred}) {
      for (const Noise noise : kNoises) {
        const QuietNights plain =
            quiet_nights({.noise = noise}, kind, kOtherSeries, kNights, next_seed());
        const QuietNights layout = quiet_nights({.noise = noise, .layout_sd = 0.005}, kind,
                                                kOtherSeries, kNights, next_seed());
        const FoundSteps found =
            found_steps({.noise = noise}, kind, 0.03, kOtherSeries, next_seed());
        const std::size_t middle = median_night(found.twice);
        row({"`" + std::string(track::name_of(kind)) + "`", std::string(name_of(noise)),
             fixed(plain.per_thousand(plain.fired), 1), rate(plain, plain.slower_once),
             rate(layout, layout.slower_once), fixed(100 * share_within(found.twice, 5), 1),
             middle == kNeverFound ? "-" : std::to_string(middle)});
      }
    }
    line("");
  }

  std::uint64_t next_seed() { return kSeed + 1000 * seeds_++; }

  std::uint64_t seeds_ = 0;
};

}  // namespace
}  // namespace stepbench::testing_track

// `tracking-simulation lives [N [nightly|suspects]]`: the lives alone, N in each cell.
int main(int count, char** words) {
  using namespace stepbench::testing_track;
  const bool alone = count > 1 && std::string_view(words[1]) == "lives";
  const std::size_t lives = count > 2 ? std::stoul(words[2]) : kLives;
  const std::string_view reference = count > 3 ? words[3] : "";
  if (!alone) Page::head();
  const bool met = write_lives(std::cout, kLivesSeed, lives, reference);
  if (!alone) Page().write();
  return met ? 0 : 1;
}
