// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/rank_finding.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "harness/findings/of_ranks.h"
#include "harness/findings/severity.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::analyze {
namespace {

// Describes the part in which the rank takes longer, and the remedy.
struct PartWords {
  std::string_view part;
  std::string_view doing;
  std::string_view remedy;
};
constexpr std::array<PartWords, 5> kPartWords = {{
    {"idle_data_loading", "loading data",
     "give its loader more workers, or check the cost of its part of the data set"},
    {"idle_backward", "in backward", "find out what only this rank computes in backward"},
    {"idle_host_op", "in operators of the host", "find out what only this rank computes"},
    {"idle_unattributed", "where nothing is recorded",
     "put record_function around suspected parts of its loop, or record its stacks"},
    {"compute", "computing", "give it less to compute, or look at the clock of its device"},
}};

// Upper bound of the probability that some rank of equal ones is the slowest in at least
// `slowest_in` steps: the tail of a binomial distribution times the number of ranks.
double chance_of(std::int64_t slowest_in, std::int64_t steps, std::size_t ranks) {
  const double share = 1.0 / static_cast<double>(ranks);
  double tail = 0;
  for (std::int64_t k = slowest_in; k <= steps; ++k) {
    double term = 1;
    for (std::int64_t i = 0; i < k; ++i) {
      term *= share * static_cast<double>(steps - i) / static_cast<double>(i + 1);
    }
    for (std::int64_t i = k; i < steps; ++i) term *= 1 - share;
    tail += term;
  }
  return tail * static_cast<double>(ranks);
}

}  // namespace

std::optional<Finding> straggler_finding(const RankReport& report) {
  if (!report.straggler || report.collectives == 0) return std::nullopt;
  const Straggler& straggler = *report.straggler;
  const auto slowest = std::ranges::find(report.rows, straggler.rank, &RankRow::rank);
  if (chance_of(slowest->slowest_in, report.steps, report.rows.size()) > kStragglerChance) {
    return std::nullopt;
  }
  const auto words = std::ranges::find(kPartWords, straggler.part, &PartWords::part);
  Finding finding{.id = findings::kStragglerFinding,
                  .severity = findings::severity_of_share(straggler.share)};
  finding.text = "rank " + std::to_string(straggler.rank) + " holds the others up by " +
                 text::duration(straggler.gain_ns) + " per step";
  if (words != kPartWords.end()) finding.text += ", " + std::string(words->doing);
  finding.text += ": it is the slowest in " + std::to_string(slowest->slowest_in) + " of " +
                  text::counted(report.steps, "profiled step");
  finding.value = straggler.gain_ns;
  finding.threshold = kStragglerShare * report.step_ns;
  finding.unit = "ns";
  finding.share = straggler.share;
  finding.gain_ns = straggler.gain_ns;
  finding.window = "host_step";
  finding.evidence = {"rank_wait_ns", "own_work_ns"};
  finding.remedy = words == kPartWords.end()
                       ? "compare a step of its trace with one of another rank"
                       : std::string(words->remedy);
  return finding;
}

void add_own_cause(std::span<const Finding> of_straggler, Finding& finding) {
  constexpr double kOfTheWait = 0.5;
  const Finding* cause = nullptr;
  for (const Finding& each : of_straggler) {
    if (each.gain_ns.value_or(0) < kOfTheWait * finding.value) continue;
    if (cause == nullptr || *each.gain_ns > *cause->gain_ns) cause = &each;
  }
  if (cause == nullptr) return;
  finding.remedy = "its own trace says: " + cause->text + "; " + finding.remedy;
  finding.evidence.push_back(cause->id);
}

}  // namespace stepbench::analyze
