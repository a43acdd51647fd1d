// SPDX-License-Identifier: Apache-2.0
// What machines did to launches, in words. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/estimate/busy_machine.h"
#include "harness/record/quality.h"

namespace stepbench::report {

// How busy the machine was: a sentence, and the same in few words.
struct BusyWords {
  std::string text;   // "the machine was busy: the training thread waited 2.1 to 62.0 % of its ..."
  std::string doubt;  // "waited 2.1 to 62.0 % of its time for a CPU; others used 81.0 %"
};
// `all` is not empty. `where` ends both: " (2 of 3 cases)".
[[nodiscard]] BusyWords busy_words(std::span<const estimate::BusyMachine> all,
                                   const std::string& where);
// "busy machine: waited 62.0 % of its time for a CPU"
[[nodiscard]] std::string busy_words(const estimate::BusyMachine& busy);

// Of each fact but waiting that the measured launches of a case tell: "the hypervisor took 2.0 % of
// the machine's CPU time (in 2 of 6 launches)".
[[nodiscard]] std::vector<std::string> told_facts(const estimate::CaseRow& row);
// That nobody saw whether the machine was busy, in any launch that was watched at all; or empty.
[[nodiscard]] std::string not_watched_words(const estimate::CaseRow& row);

}  // namespace stepbench::report
