// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/compare_traces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "harness/base/format.h"
#include "harness/findings/finding.h"
#include "harness/stats/order_statistics.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::traces {
namespace {

// Collectives of several ranks. A rank is identified by its index in the given steps.

// Ranks that share one collective in a step: the rank's index and its view of the collective.
using Entries = std::vector<std::pair<std::size_t, const ExchangeRow*>>;

// Collectives of one step.
struct Matched {
  std::vector<Entries> collectives;
  std::vector<std::vector<TimeSpan>> unknown;  // by rank index: collectives without a counterpart
};

struct RankWait {
  TimeSpan at = {};  // from its call until the last rank enters
  // As long as the wait, but at the end of the call: if all ranks had come in time, the exchange
  // would have begun with the call, overlapping the rank's computing, and saved this time.
  TimeSpan lost = {};
  TimeSpan exchange = {};     // the rest, at the beginning of the call
  std::size_t for_place = 0;  // index of the rank that entered last
};

Matched match(const std::vector<const RankStep*>& steps) {
  std::map<std::string, std::vector<std::pair<std::size_t, std::vector<const ExchangeRow*>>>>
      by_key;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (const ExchangeRow& row : steps[i]->collectives) {
      auto& ranks = by_key[row.key];
      if (ranks.empty() || ranks.back().first != i) ranks.push_back({i, {}});
      ranks.back().second.push_back(&row);
    }
  }
  Matched matched;
  matched.unknown.resize(steps.size());
  for (auto& [key, ranks] : by_key) {
    const std::size_t count = ranks.front().second.size();
    const bool alike =
        std::ranges::all_of(ranks, [&](const auto& each) { return each.second.size() == count; });
    if (!alike || ranks.size() < 2 || key.empty()) {
      for (auto& [place, all] : ranks) {
        for (const ExchangeRow* each : all) matched.unknown[place].push_back(each->at);
      }
      continue;
    }
    for (std::size_t n = 0; n < count; ++n) {
      Entries& entries = matched.collectives.emplace_back();
      for (const auto& [place, all] : ranks) entries.emplace_back(place, all[n]);
    }
  }
  return matched;
}

// Returns the entry of the last rank to enter: the one that waits least.
Entries::const_iterator last_of(const Entries& entries) {
  return std::ranges::min_element(entries, [](const auto& a, const auto& b) {
    return a.second->at.length_ns() < b.second->at.length_ns();
  });
}

// Waits of each rank, by rank index.
std::vector<std::vector<RankWait>> waits_in(const std::vector<Entries>& collectives,
                                            std::size_t ranks) {
  std::vector<std::vector<RankWait>> waits(ranks);
  for (const Entries& entries : collectives) {
    const auto last = last_of(entries);
    const std::int64_t shortest_ns = last->second->at.length_ns();
    for (const auto& [place, exchange] : entries) {
      const auto [begin_ns, end_ns] = exchange->at;
      waits[place].push_back({.at = {begin_ns, end_ns - shortest_ns},
                              .lost = {begin_ns + shortest_ns, end_ns},
                              .exchange = {begin_ns, begin_ns + shortest_ns},
                              .for_place = last->first});
    }
  }
  return waits;
}

// Time lost in these waits, excluding time in which another collective would be exchanged.
IntervalSet lost_moments(const std::vector<RankWait>& waits,
                         std::optional<std::size_t> for_place = {}) {
  std::vector<TimeSpan> lost;
  std::vector<TimeSpan> exchanging;
  for (const RankWait& wait : waits) {
    if (!for_place || wait.for_place == *for_place) lost.push_back(wait.lost);
    exchanging.push_back(wait.exchange);
  }
  return IntervalSet(std::move(lost)) - IntervalSet(std::move(exchanging));
}

std::string rank_list(const std::vector<std::int64_t>& ranks) {
  constexpr std::size_t kShown = 8;
  const std::size_t shown = std::min(kShown, ranks.size());
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < shown; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  }
  if (shown < ranks.size()) text += formatted(" and {} more", ranks.size() - shown);
  return text;
}

class RankComparison {
 public:
  explicit RankComparison(std::vector<RankTrace> ranks) : ranks_(std::move(ranks)) {}

  RankReport take() {
    order_ranks();
    note_absent_ranks();
    find_common_steps();
    for (const RankTrace& each : ranks_) {
      out_.rows.push_back({.rank = each.rank,
                           .path = each.path,
                           .waits_for_ns = std::vector<double>(ranks_.size()),
                           .parts_ns = std::vector<double>(step_parts().size())});
    }
    unmatched_ns_.resize(ranks_.size());
    out_.window = ranks_.front().window;
    out_.scope = ranks_.front().scope;
    if (!common_.empty()) {
      for (const auto& [number, steps] : common_) add_step(steps);
      finish();
    }
    return std::move(out_);
  }

 private:
  void warn(std::string text) { out_.warnings.push_back(std::move(text)); }

  void order_ranks() {
    std::ranges::stable_sort(ranks_, {}, &RankTrace::rank);
    std::vector<RankTrace> once;
    for (RankTrace& each : ranks_) {
      if (!once.empty() && once.back().rank == each.rank) {
        warn(formatted("rank {} is given more than once: {} counts, {} is left out", each.rank,
                       once.back().path, each.path));
        continue;
      }
      once.push_back(std::move(each));
    }
    ranks_ = std::move(once);
  }

  void note_absent_ranks() {
    out_.world = ranks_.front().world;
    std::set<std::int64_t> there;
    for (const RankTrace& each : ranks_) {
      there.insert(each.rank);
      if (each.damaged) {
        warn(formatted("the trace of rank {} is damaged: do not trust its numbers", each.rank));
      }
      if (each.window != ranks_.front().window) {
        warn(formatted("rank {} has a different kind of steps (window {})", each.rank,
                       name_of(each.window)));
      }
    }
    if (!out_.world) {
      warn("the traces do not say how many ranks the job had");
      return;
    }
    std::vector<std::int64_t> missing;
    std::vector<std::int64_t> beyond;
    constexpr std::int64_t kMaxWorld = 1'000'000;
    for (std::int64_t rank = 0; rank < std::min(kMaxWorld, *out_.world); ++rank) {
      if (!there.contains(rank)) missing.push_back(rank);
    }
    for (const std::int64_t rank : there) {
      if (rank < 0 || rank >= *out_.world) beyond.push_back(rank);
    }
    if (!missing.empty()) {
      warn(formatted("no trace of {} of {}: the slowest rank is chosen among the others",
                     rank_list(missing), *out_.world));
    }
    if (!beyond.empty()) {
      warn(formatted("{} cannot be in a job of {}", rank_list(beyond), *out_.world));
    }
  }

  void find_common_steps() {
    std::map<std::int64_t, std::vector<const RankStep*>> seen;
    for (const RankTrace& each : ranks_) {
      for (const RankStep& step : each.steps) seen[step.number].push_back(&step);
    }
    std::size_t most = 0;
    for (const RankTrace& each : ranks_) most = std::max(most, each.steps.size());
    for (auto& [number, steps] : seen) {
      if (steps.size() == ranks_.size()) common_.emplace(number, std::move(steps));
    }
    out_.steps = std::ssize(common_);
    if (common_.empty()) {
      warn("no step is in the traces of all ranks: nothing can be compared");
    } else if (common_.size() < most) {
      warn(formatted("of {} only {} are in the traces of all ranks, and count",
                     text::counted(std::int64_t(seen.size()), "step"), common_.size()));
    }
  }

  void add_step(const std::vector<const RankStep*>& steps) {
    const std::vector<std::vector<RankWait>> waits = waits_of(steps);
    std::vector<double> works;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      RankRow& row = out_.rows[i];
      const StepTime& time = steps[i]->time;
      // Time hidden behind computing costs nothing.
      const std::int64_t most_ns =
          out_.scope == IdleScope::kHost ? time.wall_ns : time.communication_ns;
      const std::int64_t all_ns = exposed_ns(lost_moments(waits[i]), i);
      const std::int64_t wait_ns = std::min(all_ns, most_ns);
      if (wait_ns > 0) add_waited_ranks(waits[i], i, double(wait_ns) / double(all_ns));
      works.push_back(double(time.wall_ns - wait_ns));
      row.step_ns += double(time.wall_ns);
      row.wait_ns += double(wait_ns);
      row.exposed_ns += double(time.communication_ns);
      row.communication_ns += double(steps[i]->communication_ns);
      for (std::size_t part = 0; part < row.parts_ns.size(); ++part) {
        row.parts_ns[part] += double(step_parts()[part].of(time));
      }
    }
    const auto slowest = std::ranges::max_element(works);
    ++out_.rows[std::size_t(slowest - works.begin())].slowest_in;
    out_.imbalance_ns += *slowest - stats::median(works);
    for (std::size_t i = 0; i < works.size(); ++i) out_.rows[i].work_ns += works[i];
    works_.push_back(std::move(works));
    add_skew(steps);
  }

  // Returns the waits by rank index.
  std::vector<std::vector<RankWait>> waits_of(const std::vector<const RankStep*>& steps) {
    const Matched matched = match(steps);
    for (const Entries& entries : matched.collectives) add_collective(entries);
    std::vector<std::vector<RankWait>> waits = waits_in(matched.collectives, steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      out_.unmatched += std::ssize(matched.unknown[i]);
      unmatched_ns_[i] +=
          double(exposed_ns(IntervalSet(matched.unknown[i]) - lost_moments(waits[i]), i));
    }
    return waits;
  }

  // A moment in which the rank waits for several others counts for the one it waits for longest.
  void add_waited_ranks(const std::vector<RankWait>& waits, std::size_t place,
                        double counted_share) {
    std::map<std::size_t, IntervalSet> for_places;
    for (const RankWait& wait : waits) for_places.try_emplace(wait.for_place);
    std::vector<std::pair<std::int64_t, std::size_t>> longest;
    for (auto& [for_place, set] : for_places) {
      set = lost_moments(waits, for_place);
      longest.emplace_back(-set.length_ns(), for_place);
    }
    std::ranges::sort(longest);
    IntervalSet attributed;
    for (const auto& [length_ns, for_place] : longest) {
      const IntervalSet& set = for_places.at(for_place);
      out_.rows[place].waits_for_ns[for_place] +=
          counted_share * double(exposed_ns(set - attributed, place));
      attributed = attributed | set;
    }
  }

  // Returns the part of these moments in which the rank does not compute.
  [[nodiscard]] std::int64_t exposed_ns(const IntervalSet& set, std::size_t place) const {
    std::int64_t sum_ns = 0;
    for (const TimeSpan& span : set) {
      sum_ns += span.length_ns() - ranks_[place].computing.length_in(span);
    }
    return sum_ns;
  }

  void add_collective(const Entries& entries) {
    ++out_.collectives;
    const auto last = last_of(entries);
    const std::int64_t shortest_ns = last->second->at.length_ns();
    // Differences below the clock's resolution do not count.
    const std::int64_t tick_ns = ranks_[last->first].resolution_ns;
    bool is_sole_last = true;
    std::int64_t longest_ns = shortest_ns;
    for (const auto& [place, exchange] : entries) {
      const std::int64_t length_ns = exchange->at.length_ns();
      longest_ns = std::max(longest_ns, length_ns);
      is_sole_last = is_sole_last && (place == last->first || length_ns > shortest_ns + tick_ns);
    }
    if (is_sole_last) ++out_.rows[last->first].entered_last;
    auto& [durations_ns, skews_ns] = by_facts_[last->second->facts];
    durations_ns.push_back(double(shortest_ns));
    skews_ns.push_back(double(longest_ns - shortest_ns));
  }

  void add_skew(const std::vector<const RankStep*>& steps) {
    std::int64_t first_ns = steps.front()->begin_ns;
    std::int64_t last_ns = first_ns;
    for (const RankStep* step : steps) {
      first_ns = std::min(first_ns, step->begin_ns);
      last_ns = std::max(last_ns, step->begin_ns);
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
      RankRow& row = out_.rows[i];
      row.starts_late_ns = row.starts_late_ns.value_or(0) + double(steps[i]->begin_ns - first_ns);
    }
    skews_.push_back(double(last_ns - first_ns));
  }

  [[nodiscard]] RankClocks clocks() const {
    const bool all_since_1970 = std::ranges::all_of(ranks_, &RankTrace::since_1970);
    if (!all_since_1970) return RankClocks::kUnknown;
    std::set<std::string> hosts;
    for (const RankTrace& each : ranks_) hosts.insert(each.host);
    if (hosts.size() > 1) return RankClocks::kSeveralHosts;
    return hosts.begin()->empty() ? RankClocks::kHostUnknown : RankClocks::kOneHost;
  }

  void finish() {
    const auto steps = double(common_.size());
    out_.imbalance_ns /= steps;
    out_.clocks = clocks();
    const bool comparable =
        out_.clocks == RankClocks::kOneHost || out_.clocks == RankClocks::kHostUnknown;
    std::vector<double> step_times;
    for (RankRow& row : out_.rows) {
      for (double* sum :
           {&row.step_ns, &row.work_ns, &row.wait_ns, &row.exposed_ns, &row.communication_ns}) {
        *sum /= steps;
      }
      for (double& part : row.parts_ns) part /= steps;
      for (double& wait : row.waits_for_ns) wait /= steps;
      if (row.communication_ns > 0) row.hidden_share = 1 - row.exposed_ns / row.communication_ns;
      if (comparable) {
        row.starts_late_ns = *row.starts_late_ns / steps;
      } else {
        row.starts_late_ns.reset();
      }
      step_times.push_back(row.step_ns);
    }
    out_.step_ns = stats::median(step_times);
    out_.unmatched_ns = *std::ranges::max_element(unmatched_ns_) / steps;
    if (comparable) {
      out_.skew_max_ns = *std::ranges::max_element(skews_);
      double sum = 0;
      for (const double skew : skews_) sum += skew;
      out_.skew_mean_ns = sum / steps;
    }
    add_sizes();
    out_.straggler = find_straggler(out_, works_);
    add_lanes(comparable);
  }

  void add_lanes(bool comparable) {
    std::vector<std::pair<double, std::int64_t>> by_time;
    for (const auto& [number, steps] : common_) {
      std::vector<double> times;
      for (const RankStep* step : steps) times.push_back(double(step->time.wall_ns));
      by_time.emplace_back(stats::median(times), number);
    }
    std::ranges::sort(by_time);
    out_.lanes_step = by_time[by_time.size() / 2].second;
    const std::vector<const RankStep*>& steps = common_.at(out_.lanes_step);
    const std::vector<Entries> collectives = match(steps).collectives;
    const std::vector<std::vector<RankWait>> waits = waits_in(collectives, steps.size());
    std::int64_t first_ns = steps.front()->begin_ns;
    for (const RankStep* step : steps) first_ns = std::min(first_ns, step->begin_ns);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      // Collectives use the trace's own clock.
      const std::int64_t own_ns = steps[i]->begin_ns - ranks_[i].base_ns;
      const std::int64_t late_ns = comparable ? steps[i]->begin_ns - first_ns : 0;
      const auto moved = [&](TimeSpan at) {
        return TimeSpan{at.begin_ns - own_ns + late_ns, at.end_ns - own_ns + late_ns};
      };
      RankLane& lane = out_.lanes.emplace_back();
      lane.step = {late_ns, late_ns + steps[i]->time.wall_ns};
      std::vector<TimeSpan> waiting;
      for (const RankWait& wait : waits[i]) waiting.push_back(moved(wait.at));
      std::vector<TimeSpan> exchanging;
      for (const ExchangeRow& row : steps[i]->collectives) exchanging.push_back(moved(row.at));
      const IntervalSet step(lane.step);
      lane.waits = IntervalSet(std::move(waiting)) & step;
      lane.exchanges = (IntervalSet(std::move(exchanging)) & step) - lane.waits;
    }
  }

  void add_sizes() {
    for (auto& [facts, times] : by_facts_) {
      out_.sizes.push_back({.facts = facts,
                            .duration = summarise(std::move(times.first)),
                            .skew = summarise(std::move(times.second))});
    }
    std::ranges::stable_sort(out_.sizes, std::greater(), [](const MatchedCollectives& each) {
      return each.duration.mean * double(each.duration.n);
    });
  }

  std::vector<RankTrace> ranks_;
  std::map<std::int64_t, std::vector<const RankStep*>> common_;  // by step number; one per rank
  std::vector<double> skews_;
  std::vector<double> unmatched_ns_;        // by rank index
  std::vector<std::vector<double>> works_;  // by step and rank index
  // Durations and skews of matched collectives.
  std::map<ExchangeFacts, std::pair<std::vector<double>, std::vector<double>>> by_facts_;
  RankReport out_;
};

}  // namespace

RankReport compare_ranks(std::vector<RankTrace> ranks) {
  if (ranks.empty()) return {};
  return RankComparison(std::move(ranks)).take();
}

namespace {

constexpr std::size_t kStepsForStraggler = 4;

// Neighbouring steps are correlated (garbage collection, other jobs), so the slowest rank of some
// steps need not be a slow rank. A straggler's mean lead over the slowest other rank of each step
// must be at least this many times its own standard deviation. For equal ranks whose work
// correlates by .8 from step to step, at most 1 in 100 leads this much (simulated, 2-8 ranks, 4-100
// steps).
double steady_lead(std::size_t steps) { return 21 / std::pow(double(steps) - 1, 0.7); }

std::vector<double> without(const std::vector<double>& values, std::size_t place) {
  std::vector<double> others = values;
  others.erase(others.begin() + std::ptrdiff_t(place));
  return others;
}

double most_of(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::ranges::max_element(values);
}

bool lead_is_steady(const std::vector<std::vector<double>>& work_ns, std::size_t place) {
  if (work_ns.size() < kStepsForStraggler) return false;
  std::vector<double> leads_ns;
  for (const std::vector<double>& of_step : work_ns) {
    leads_ns.push_back(of_step[place] - most_of(without(of_step, place)));
  }
  const double mean_ns =
      std::accumulate(leads_ns.begin(), leads_ns.end(), 0.0) / double(leads_ns.size());
  return mean_ns >= steady_lead(leads_ns.size()) * stats::standard_deviation(leads_ns);
}

}  // namespace

std::optional<Straggler> find_straggler(const RankReport& report,
                                        const std::vector<std::vector<double>>& work_ns) {
  std::vector<double> works;
  for (const RankRow& row : report.rows) works.push_back(row.work_ns);
  const auto slowest = std::size_t(std::ranges::max_element(works) - works.begin());
  const RankRow& row = report.rows[slowest];
  const std::vector<double> others = without(works, slowest);
  Straggler found{.rank = row.rank,
                  .gain_ns = row.work_ns - most_of(others),
                  .excess_ns = row.work_ns - stats::median(others)};
  found.share = report.step_ns > 0 ? found.gain_ns / report.step_ns : 0;
  if (found.share < kStragglerShare || 2 * row.slowest_in <= report.steps) return std::nullopt;
  if (report.unmatched_ns >= found.gain_ns) return std::nullopt;
  if (!lead_is_steady(work_ns, slowest)) return std::nullopt;
  for (std::size_t part = 0; part < step_parts().size(); ++part) {
    if (step_parts()[part].name == "communication") continue;
    std::vector<double> times;
    for (const RankRow& each : report.rows) times.push_back(each.parts_ns[part]);
    const double more_ns = times[slowest] - stats::median(without(times, slowest));
    if (more_ns > found.part_ns) {
      found.part = std::string(step_parts()[part].name);
      found.part_ns = more_ns;
    }
  }
  return found;
}

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
  const double share = 1.0 / double(ranks);
  double tail = 0;
  for (std::int64_t k = slowest_in; k <= steps; ++k) {
    double term = 1;
    for (std::int64_t i = 0; i < k; ++i) {
      term *= share * double(steps - i) / double(i + 1);
    }
    for (std::int64_t i = k; i < steps; ++i) term *= 1 - share;
    tail += term;
  }
  return tail * double(ranks);
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
  Finding finding{.id = kStragglerFinding, .severity = severity_of_share(straggler.share)};
  finding.text = formatted("rank {} holds the others up by {} per step", straggler.rank,
                           text::duration(straggler.gain_ns));
  if (words != kPartWords.end()) finding.text += ", " + std::string(words->doing);
  finding.text += formatted(": it is the slowest in {} of {}", slowest->slowest_in,
                            text::counted(report.steps, "profiled step"));
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
  finding.remedy = formatted("its own trace says: {}; {}", cause->text, finding.remedy);
  finding.evidence.push_back(cause->id);
}

}  // namespace stepbench::traces
