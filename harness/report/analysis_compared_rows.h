// SPDX-License-Identifier: Apache-2.0
// Rows of comparisons, of two traces or of the ranks of a job: JSON keys and table columns in their
// order (block_fields.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analyze/diff.h"
#include "harness/analyze/ranks.h"
#include "harness/report/block_fields.h"
#include "harness/text/numbers.h"

namespace stepbench::report {

// A kind of rows by which two traces are compared.
struct ComparedKind {
  std::string_view key;  // in JSON
  const char* title;
  const char* head;
  const char* all;             // name of the sum
  const char* phase = "";      // head of the column that tells equal names apart; empty: none
  std::string_view rate = {};  // JSON key, for kinds that record a rate
  Shown shown_rate = {};       // per second
};

// A row of a kind, or a part of the step if `kind` is null.
struct DiffRowOf {
  const analyze::DiffRow& row;
  const ComparedKind* kind = nullptr;
  std::string name = {};  // as displayed
  bool is_sum = false;    // a sum of rows, without a change of its own
  bool rates = false;     // some row of the table has a rate
};
inline std::string words_of_change(analyze::DiffChange change) {
  if (change == analyze::DiffChange::kNone) return "-";
  std::string words(name_of(change));
  std::ranges::replace(words, '_', ' ');
  return words;
}
inline document::Cell calls_cell(const analyze::DiffRow& row) {
  const std::string base = text::short_number(row.base_count, 1);
  const std::string next = text::short_number(row.new_count, 1);
  return {base == next ? next : base + " -> " + next, row.new_count};
}
template <typename V>
void block_fields(V& v, const DiffRowOf& of) {
  const analyze::DiffRow& row = of.row;
  const auto column = [&](const char* head, auto cell, int drop_at = 0) {
    return Shown{head, cell, v.unit_name(), drop_at};
  };
  const auto per_second = [](std::optional<double> per_ns) {
    return per_ns ? std::optional(*per_ns * 1e9) : per_ns;
  };
  const auto rate_column = [&](const char* head) {
    if (!of.rates) return Shown{};
    Shown shown = of.kind->shown_rate;
    shown.head = head;
    return shown;
  };
  v.text("name", row.name);
  if (of.kind == nullptr) {
    v.words(document::words("part"), of.name);
  } else {
    v.words(name_column(of.kind->head, 1), of.name);
  }
  if (!row.phase.empty()) v.text("phase", row.phase);
  if (of.kind != nullptr && *of.kind->phase != '\0') {
    v.words({.head = of.kind->phase, .left = true, .shrink_at = 2, .shrink_inside = true},
            row.phase.empty() ? "-" : row.phase);
  }
  v("change", row.change)("base_ns", row.base_ns, column("base", as_time));
  v("new_ns", row.new_ns, column("new", as_time));
  v("difference_ns", row.difference_ns(), column("difference", as_difference));
  if (of.kind == nullptr) {
    v.shown({"of the step", as_change_of_total, "%", 1}, row.difference_ns());
    v("noise_ns", row.noise_ns, column("counts from", as_time, 2));
  } else {
    v("noise_ns", row.noise_ns)("base_calls", row.base_count)("new_calls", row.new_count);
    if (!of.kind->rate.empty()) {
      const std::string rate(of.kind->rate);
      v("base_" + rate, per_second(row.base_rate), rate_column("base"));
      v("new_" + rate, per_second(row.new_rate), rate_column("new"));
    }
    v.words({.head = "calls"}, calls_cell(row));
  }
  v.words(document::words("change"), of.is_sum ? "" : words_of_change(row.change));
}
inline void block_fields(BlockJson& v, const analyze::DiffFinding& of) {
  const std::string unit = of.is_gain ? "gain_ns" : "value";
  v.text("id", of.id)("change", of.change)("severity", of.severity).text("text", of.text);
  v("base_" + unit, of.base)("new_" + unit, of.next);
}
inline void block_fields(BlockJson& v, const analyze::DiffNote& of) {
  v("level", of.level).text("text", of.text);
}

// A rank of a job; values are means per step.
struct RankRowOf {
  const analyze::RankRow& row;
  const analyze::RankReport& report;
  bool communicates = true;  // some rank of the job communicates
};
inline void block_fields(BlockJson& v, const std::vector<double>& parts_ns) {
  for (std::size_t i = 0; i < parts_ns.size(); ++i) {
    v(std::string(analyze::step_parts()[i].name) + "_ns", parts_ns[i]);
  }
}
template <typename V>
void block_fields(V& v, const RankRowOf& of) {
  const analyze::RankRow& row = of.row;
  const auto time = [&](const char* head, int drop_at = 0) {
    return Shown{head, as_part_of_time, v.unit_name(), drop_at};
  };
  const auto share = [](std::int64_t part, std::int64_t whole) {
    return whole > 0 ? std::optional(double(part) / double(whole)) : std::nullopt;
  };
  const auto if_any = [&](const Shown& shown) { return of.communicates ? shown : Shown{}; };
  v("rank", row.rank, {"rank", as_count}).text("path", row.path);
  v("step_ns", row.step_ns, time("step"))("work_ns", row.work_ns, time("own work"));
  v("wait_ns", row.wait_ns, time("waits for others")).numbers("waits_for_ns", row.waits_for_ns);
  v.object("parts", row.parts_ns);
  v("slowest_in", row.slowest_in)("entered_last", row.entered_last);
  v.shown({"slowest in", as_percent, "%"}, share(row.slowest_in, of.report.steps));
  v.shown({"enters last", as_percent, "%", 2}, share(row.entered_last, of.report.collectives));
  v("communication_ns", row.communication_ns, if_any(time("communication", 3)));
  v("exposed_communication_ns", row.exposed_ns, if_any(time("not hidden", 4)));
  v("hidden_share", row.hidden_share, if_any({"hidden", as_percent, "%", 5}));
  v("starts_late_ns", row.starts_late_ns,
    of.report.skew_mean_ns ? time("starts late", 1) : Shown{});
}
inline void block_fields(BlockJson& v, const analyze::Straggler& of) {
  v("rank", of.rank)("gain_ns", of.gain_ns)("excess_ns", of.excess_ns)("share", of.share);
  v.text_or_null("part", of.part)("part_excess_ns", of.part_ns);
}

}  // namespace stepbench::report
