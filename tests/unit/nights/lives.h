// SPDX-License-Identifier: Apache-2.0
// Whole lives of one series through the judge of nights: what is reported, when, with which builds,
// whether it closes, and the cost in launches. Programs have a true speed and a layout, drawn per
// build. Seeded.
#pragma once

#include "harness/nights/internal/judge.h"
#include "tests/testing.h"
#include "tests/unit/nights/simulated_machine.h"

namespace stepbench::testing_nights {

// Events of one series. Changes are shares of the program's time, and add up.
struct Script {
  struct Change {
    std::size_t night = 0;
    double by = 0;
  };
  std::size_t nights = 110;
  std::vector<Change> program = {};  // every program from that night on
  std::vector<Change> spikes = {};   // first launches of that night, of tonight's program only
  double creep = 0;                  // per night, from `creep_from` on
  std::size_t creep_from = 0;
  std::size_t accept = 0;         // the open alert is accepted after that night; 0: never
  std::size_t new_reference = 0;  // that night's program becomes the reference; 0: the first one's
  double missing = 0;             // share of nights without a run
  double unchanged = 0;           // share of nights without a new build
  bool weekends = false;          // two nights of seven have no run
  std::size_t wanted = 0;         // index in `program` of the change to find, or creep
  nights::JudgeRule rule = {};
  std::size_t pairs = nights::kPairs;
  // Chance that the night's budget reaches a round of fresh pairs. After a night without any, the
  // first round is measured for certain.
  double affords = 1;
  // Metrics of each launch: if any of them looks odd, fresh pairs are measured for all. What is
  // found, and when, is checked for the first one only.
  std::size_t metrics = 1;
  double alike = 0;  // correlation of noise and of layouts
};

struct Life {
  std::size_t found_after = 0;   // nights with a run, 1: that of the change itself; 0: never found
  double found_at = 0;           // creep: its size when found
  double size_error = 0;         // of the change when found: reported less true, log ratios
  bool right_range = false;      // the reported range includes the build
  bool wrongly_fixed = false;    // closed while the change still existed, within 60 nights
  std::size_t closed_after = 0;  // nights after the change that fixes it; 0: never
  std::size_t reported = 0;      // alerts, including those that grew
  std::size_t red = 0;           // nights with exit status 1
  std::size_t newly_not_green = 0;
  std::size_t nights = 0;       // with a run, per metric
  std::size_t more_pairs = 0;   // beyond the plan, after the tenth night
  std::size_t late_nights = 0;  // nights after the tenth
};

[[nodiscard]] Life live(const Script& script, const World& world, std::uint64_t seed);

}  // namespace stepbench::testing_nights
