// SPDX-License-Identifier: Apache-2.0
#include "harness/report/quality_words.h"

#include <algorithm>
#include <set>

#include "harness/base/launch_flags.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

using record::Fact;
using record::Quality;

// "2.1 to 62.0 %"
std::string range_of_shares(const std::vector<double>& shares) {
  const auto [low, high] = std::ranges::minmax(shares);
  const std::string text = text::percent_text(high);
  return text::percent_text(low) == text ? text : text::percent(low) + " to " + text;
}

struct ReportedFact {
  std::int64_t launches = 0;
  std::vector<double> values = {};
  std::set<std::string> reasons = {};
};

std::string words_of(const record::FactRow& row, const ReportedFact& reported) {
  if (reported.values.empty()) return std::string(launch_flag::meaning(row.flag));
  switch (row.fact) {
    case Fact::kSteal:
      return "the hypervisor took " + range_of_shares(reported.values) +
             " of the machine's CPU time";
    case Fact::kQuota:
      return "the control group's CPU quota stopped the worker for " +
             range_of_shares(reported.values) + " of its time";
    case Fact::kThrottled:
      return "the GPU was slowed down: " + text::join(reported.reasons, "; ");
    case Fact::kLost:
      return "the GPU was lost while a launch ran: it no longer responds (dmesg names the Xid); "
             "restart the machine, or take another device";
    case Fact::kMemoryErrors:
      return "the GPU had " + text::short_number(std::ranges::max(reported.values)) +
             " memory errors during a launch that could not be repaired: its results may be wrong "
             "(stepbench doctor says what to do)";
    case Fact::kGrowth:
      return "memory grew within the windows by " +
             text::byte_text(std::ranges::max(reported.values)) +
             " a step, up to their end: a long run would fill the machine's memory";
    default:
      return std::string(launch_flag::meaning(row.flag));
  }
}

}  // namespace

BusyWords busy_words(std::span<const estimate::BusyMachine> all, const std::string& where) {
  std::vector<double> waits;
  std::vector<double> others;
  bool only_own_threads = true;
  for (const estimate::BusyMachine& busy : all) {
    waits.push_back(busy.waited);
    if (!busy.others) continue;
    others.push_back(*busy.others);
    only_own_threads = only_own_threads && busy.only_own_threads();
  }
  only_own_threads = only_own_threads && !others.empty();
  const std::string waited = "waited " + range_of_shares(waits) + " of its time for a CPU";
  BusyWords words{
      .text = (only_own_threads ? "more threads than CPUs: " : "the machine was busy: ") +
              ("the training thread " + waited),
      .doubt = waited};
  if (only_own_threads) {
    words.text += ", with no other programs running";
    words.doubt += ", by its own threads";
  } else if (!others.empty()) {
    words.text += "; other programs used " + range_of_shares(others) + " of the CPUs";
    words.doubt += "; others used " + range_of_shares(others);
  }
  words.text += where;
  words.doubt += where;
  return words;
}

std::string busy_words(const estimate::BusyMachine& busy) {
  return (busy.only_own_threads() ? "more threads than CPUs: waited " : "busy machine: waited ") +
         text::percent_text(busy.waited) + " of its time for a CPU";
}

std::vector<std::string> reported_facts(const estimate::CaseRow& row) {
  std::vector<std::string> sentences;
  for (const record::FactRow& fact : record::facts()) {
    if (fact.flag.empty() || fact.fact == Fact::kWaited) continue;
    ReportedFact reported;
    for (const estimate::MeasuredLaunch& each : row.measured) {
      const Quality quality(each.launch->row);
      if (!quality.reported(fact.fact)) continue;
      ++reported.launches;
      if (const auto value = quality.value(fact.fact)) reported.values.push_back(*value);
      reported.reasons.insert(text_of(each.launch->row.machine, fact.name));
    }
    if (reported.launches == 0) continue;
    sentences.push_back(words_of(fact, reported) + " (in " + std::to_string(reported.launches) +
                        " of " + text::counted(std::ssize(row.measured), "launch") + ')');
  }
  return sentences;
}

std::string not_watched_words(const estimate::CaseRow& row) {
  bool watched = false;  // in any launch
  for (const estimate::MeasuredLaunch& each : row.measured) {
    const Quality quality(each.launch->row);
    if (quality.value(Fact::kWaited) || quality.value(Fact::kOthers)) return {};
    watched = watched || !each.launch->row.machine.empty();
  }
  return watched ? "not watched: whether the machine was busy" : "";
}

}  // namespace stepbench::report
