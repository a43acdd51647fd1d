// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/analyze_diff.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/report/analysis_diff.h"
#include "harness/text/words.h"

namespace stepbench::cli {
namespace {

using Paths = std::vector<std::filesystem::path>;

struct ReadSide {
  analyze::DiffSide side = {};
  std::string own_case = {};  // for a trace written by stepbench: its case and profiler
};

std::vector<ReadSide> read_sides(const Paths& paths, AnalyzeRequest& request,
                                 const Environment& environment, bool& any_unreadable) {
  std::vector<ReadSide> sides;
  for (const std::filesystem::path& path : paths) {
    const std::optional<trace::Trace> trace = read_one(path, paths.size() > 1, environment);
    if (!trace) {
      any_unreadable = true;
      continue;
    }
    const report::AnalysedTrace analysed = analyse_one(*trace, path, request);
    ReadSide read{.side = analyze::diff_side(path.string(), *trace, analysed.analysis,
                                             analysed.findings, request.rules.device)};
    if (trace->own && !trace->own_fact("case_id").empty()) {
      read.own_case = "case " + std::string(trace->own_fact("case_id")) + ' ' +
                      std::string(trace->own_fact("engine"));
    }
    sides.push_back(std::move(read));
  }
  return sides;
}

// "worker0" of "worker0.1623143089861.pt.trace.json.gz"
std::string worker_of(const analyze::DiffSide& side) {
  std::string name = std::filesystem::path(side.paths.front()).filename().string();
  for (const char* suffix : {".gz", ".json", ".sqlite", ".trace", ".pt"}) {
    if (name.ends_with(suffix)) name.resize(name.size() - std::string_view(suffix).size());
  }
  const std::size_t dot = name.rfind('.');
  const bool is_time = dot != std::string::npos && dot + 1 < name.size() &&
                       name.find_first_not_of("0123456789", dot + 1) == std::string::npos;
  return is_time ? name.substr(0, dot) : name;
}

bool are_ranks(const std::vector<ReadSide>& sides) {
  std::set<std::int64_t> ranks;
  return std::all_of(sides.begin(), sides.end(), [&](const ReadSide& each) {
    return each.side.rank && ranks.insert(*each.side.rank).second;
  });
}

using SidesByKey = std::map<std::string, analyze::DiffSide>;

SidesByKey keyed(std::vector<ReadSide> sides, bool own, bool ranks) {
  SidesByKey by_key;
  for (ReadSide& each : sides) {
    std::string key = worker_of(each.side);
    const std::string rank =
        each.side.rank ? "rank " + std::to_string(*each.side.rank) : std::string();
    if (own) {
      key = each.own_case;
      if (each.side.world.value_or(1) > 1) key += ", " + rank;
    } else if (ranks) {
      key = rank;
    }
    const auto [at, is_new] = by_key.try_emplace(key);
    if (is_new) {
      at->second = std::move(each.side);
    } else {
      at->second.append(std::move(each.side));
    }
  }
  return by_key;
}

std::string keys_of(const SidesByKey& sides) {
  return text::join(sides, ", ", [](const auto& each) { return each.first; });
}

using SidePairs = std::vector<std::pair<analyze::DiffSide, analyze::DiffSide>>;  // base, new

SidePairs paired(std::vector<ReadSide> bases, std::vector<ReadSide> news,
                 const Environment& environment) {
  const auto is_own = [](const ReadSide& each) { return !each.own_case.empty(); };
  const bool own = std::all_of(bases.begin(), bases.end(), is_own) &&
                   std::all_of(news.begin(), news.end(), is_own);
  const bool ranks = are_ranks(bases) && are_ranks(news);
  SidesByKey base = keyed(std::move(bases), own, ranks);
  SidesByKey next = keyed(std::move(news), own, ranks);
  SidePairs pairs;
  if (base.size() == 1 && next.size() == 1) {
    pairs.emplace_back(std::move(base.begin()->second), std::move(next.begin()->second));
    return pairs;
  }
  std::vector<std::string> unmatched;
  for (auto& [key, side] : next) {
    const auto found = base.find(key);
    if (found == base.end()) {
      unmatched.push_back(key + " (only in new)");
    } else {
      pairs.emplace_back(std::move(found->second), std::move(side));
    }
  }
  if (pairs.empty()) {
    throw ConfigError("--diff", "no trace has a counterpart; new has " + keys_of(next) +
                                    "; base has " + keys_of(base));
  }
  for (const auto& [key, side] : base) {
    if (!next.contains(key)) unmatched.push_back(key + " (only in base)");
  }
  if (!unmatched.empty()) environment.err << "no counterpart: " << text::join(unmatched) << '\n';
  return pairs;
}

int status_of_diff(const AnalyzeOptions& options, const analyze::TraceDiff& diff) {
  if (!diff.comparable() || (options.strict && diff.doubtful())) return kExitNothingMeasured;
  const bool fails = std::any_of(
      diff.findings.begin(), diff.findings.end(), [&](const analyze::DiffFinding& finding) {
        const bool worse = finding.change == analyze::DiffChange::kAppeared ||
                           (finding.is_gain && finding.change == analyze::DiffChange::kGrew);
        return worse && fails_on(options, finding.severity);
      });
  return fails ? kExitSomeFailed : kExitOk;
}

}  // namespace

AnalyzeOutput diff_pages(const AnalyzeOptions& options, const document::RenderStyle& style,
                         const Paths& bases, const Paths& news, const Environment& environment) {
  AnalyzeRequest request(options);
  bool any_unreadable = false;
  std::vector<ReadSide> base = read_sides(bases, request, environment, any_unreadable);
  std::vector<ReadSide> next = read_sides(news, request, environment, any_unreadable);
  AnalyzeOutput out;
  if (base.empty() || next.empty()) {
    out.status = kExitUsage;
    return out;
  }
  for (const auto& [base_side, new_side] : paired(std::move(base), std::move(next), environment)) {
    analyze::TraceDiff diff = analyze::compare_traces(base_side, new_side);
    const int own = status_of_diff(options, diff);
    out.status = std::max(out.status, own);
    if (options.format == "json") {
      out.text += report::diff_json(diff, own);
    } else {
      if (!out.text.empty()) out.text += '\n';
      out.text += document::render(report::diff_document(diff, options.rows()), style);
    }
    if (!options.report.empty()) out.diffs.push_back(std::move(diff));
  }
  if (any_unreadable) out.status = kExitUsage;
  return out;
}

}  // namespace stepbench::cli
