// SPDX-License-Identifier: Apache-2.0
// Whole lives of one series through the judge of nights: what is told of it, when, with which
// builds, whether it closes, and what that costs in launches. Programs have a true speed and a
// layout of their own, drawn per build. Seeded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/nights/judge.h"
#include "tests/unit/nights/simulated_machine.h"

namespace stepbench::testing_nights {

// What happens to one series. Changes are shares of the program's time, and add up.
struct Script {
  struct Change {
    std::size_t night = 0;
    double by = 0;
  };
  std::size_t nights = 110;
  std::vector<Change> program = {};  // from that night on, every program
  std::vector<Change> spikes = {};   // of the first launches of that night, tonight's alone
  double creep = 0;                  // a night, from `creep_from` on
  std::size_t creep_from = 0;
  std::size_t accept = 0;         // what is open is accepted after that night; 0: never
  std::size_t new_reference = 0;  // that night's program is the reference; 0: the first one's
  double missing = 0;             // share of nights without a run
  double unchanged = 0;           // share of nights for which nobody built anything
  bool weekends = false;          // two nights of seven have none
  std::size_t wanted = 0;         // the change of this index of `program` is looked for, or creep
  nights::JudgeRule rule = {};
  std::size_t pairs = nights::kPairs;
  // Of each launch: fresh pairs are made where any of them looks odd, and all take them. The first
  // one is looked at where something changes.
  std::size_t metrics = 1;
  double alike = 0;  // correlation of noise and of layouts
};

struct Life {
  std::size_t found_after = 0;   // nights with a run, 1 is that of the change itself; 0: never told
  double found_at = 0;           // creep: how much it had come to
  bool right_range = false;      // the range that was told holds the build
  bool wrongly_fixed = false;    // closed while the change was still there, within 60 nights
  std::size_t closed_after = 0;  // nights after the change that mends it; 0: never
  std::size_t told = 0;          // alerts, and what they grew by
  std::size_t red = 0;           // nights that end with 1
  std::size_t newly_not_green = 0;
  std::size_t nights = 0;       // with a run, of each metric
  std::size_t more_pairs = 0;   // than planned, after the tenth night
  std::size_t late_nights = 0;  // nights after the tenth
};

[[nodiscard]] Life live(const Script& script, const World& world, std::uint64_t seed);

}  // namespace stepbench::testing_nights
