// SPDX-License-Identifier: Apache-2.0
// Whole lives of one series through the judging code that `nightly` runs: what is told of it, when,
// with which commits, whether it closes, and what that costs in launches. Programs have a true
// speed and a layout of their own, drawn per build; measurements draw their launches. Seeded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/unit/track/simulated_machine.h"

namespace stepbench::testing_track {

// What happens to one series. Changes are shares of the program's time, and add up.
struct Script {
  struct Change {
    std::size_t night = 0;
    double by = 0;
  };
  std::size_t nights = 60;
  std::vector<Change> program = {};  // from that night on, every program
  std::vector<Change> machine = {};  // all programs of every night at once, seen by nobody
  std::vector<Change> spikes = {};   // that night's value alone
  double creep = 0;                  // a night, from `creep_from` on
  std::size_t creep_from = 0;
  std::size_t environment = 0;  // the night of another one; 0: none
  std::size_t accept = 0;       // what is open is accepted after that night; 0: never
  std::size_t baseline = 0;     // that night's run is declared the usual; 0: none
  double missing = 0;           // share of nights without a run
  double failed = 0;            // share of nights whose launches all fail
  double unchanged = 0;         // share of nights for which nobody built anything
  std::size_t hosts = 1;        // machines with the same programs in one history; the first counts
  bool weekends = false;        // two nights of seven have none
  std::size_t first_kept = 0;   // programs of earlier nights do not start
  bool nightly = false;         // track.reference: half of the launches are of a kept program
  bool relinked = false;        // what is measured a second time is tonight's program linked anew
  // What is looked for: the change of this index of `program`, or the creep.
  std::size_t wanted = 0;
};

struct Life {
  std::size_t found_after = 0;      // nights, 1 is the night of the change itself; 0: never told
  double found_at = 0;              // creep: how much it had come to
  bool right_range = false;         // the range that was told holds the commit
  bool wrongly_fixed = false;       // closed while the change was still there, within 60 nights
  std::size_t told = 0;             // alerts of something worse that were told
  std::size_t red = 0;              // nights that end with 1
  std::size_t newly_not_green = 0;  // with anything but 0, after one with 0
  std::size_t nights = 0;           // with a run
  std::size_t launches = 0;         // of measurements, after the tenth night
  std::size_t late_nights = 0;      // nights after the tenth
  std::size_t of_others = 0;        // alerts of another host that were told here
};

[[nodiscard]] Life live(const Script& script, const World& world, std::uint64_t seed);

}  // namespace stepbench::testing_track
