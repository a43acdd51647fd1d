// SPDX-License-Identifier: Apache-2.0
// Texts about the machine's effects on launches. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/estimate/busy_machine.h"
#include "harness/record/quality.h"

namespace stepbench::report {

// The load of the machine: a sentence and a short form.
struct BusyWords {
  std::string text;   // "the machine was busy: the training thread waited 2.1 to 62.0 % of its ..."
  std::string doubt;  // "waited 2.1 to 62.0 % of its time for a CPU; others used 81.0 %"
};
// `all` must not be empty. `where` is appended to both: " (2 of 3 cases)".
[[nodiscard]] BusyWords busy_words(std::span<const estimate::BusyMachine> all,
                                   const std::string& where);
// "busy machine: waited 62.0 % of its time for a CPU"
[[nodiscard]] std::string busy_words(const estimate::BusyMachine& busy);

// Facts other than waiting that a case's measured launches report: "the hypervisor took 2.0 % of
// the machine's CPU time (in 2 of 6 launches)".
[[nodiscard]] std::vector<std::string> reported_facts(const estimate::CaseRow& row);
// Says that the load of the machine was not recorded, although a launch recorded other facts; else
// empty.
[[nodiscard]] std::string not_watched_words(const estimate::CaseRow& row);

}  // namespace stepbench::report
