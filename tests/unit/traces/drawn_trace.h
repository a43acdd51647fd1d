// SPDX-License-Identifier: Apache-2.0
// Traces and their numbers as text, for tables of tests. A trace is rows with ';' between:
//
//   step 1 0 100; load 0 34; op aten::add 34 38; kernel gemm 40 60 stream=8 < 35 37
//
// KIND NAME BEGIN END, further fields of the row, and after `<` the call that started it, with its
// name if it is not cudaLaunchKernel. A name with blanks is in 'quotes'.
#pragma once

#include <iomanip>
#include <nlohmann/json.hpp>

#include "harness/report/trace_analysis.h"
#include "harness/traces/analysis.h"
#include "tests/testing.h"
#include "tests/unit/traces/trace_maker.h"

namespace stepbench {

using Json = nlohmann::json;

inline void draw_row(TraceMaker& maker, std::istringstream& in, std::int64_t unit_ns,
                     std::int64_t from_ns) {
  using traces::EventKind;
  static const std::map<std::string, EventKind> kKinds = {
      {"step", EventKind::kAnnotation}, {"load", EventKind::kAnnotation},
      {"note", EventKind::kAnnotation}, {"op", EventKind::kOp},
      {"python", EventKind::kPython},   {"call", EventKind::kRuntime},
      {"span", EventKind::kSpan},       {"kernel", EventKind::kKernel},
      {"copy", EventKind::kMemcpy},     {"set", EventKind::kMemset}};
  static const std::map<std::string, std::string> kCopies = {
      {"up", "Memcpy HtoD (Pageable -> Device)"},
      {"pinned", "Memcpy HtoD (Pinned -> Device)"},
      {"down", "Memcpy DtoH (Device -> Pinned)"},
      {"across", "Memcpy DtoD (Device -> Device)"}};
  std::string word;
  if (!(in >> word)) return;
  ASSERT_TRUE(kKinds.contains(word)) << word;
  const EventKind kind = kKinds.at(word);
  std::string name = word == "load" ? std::string(kSingleProcess) : "Memset (Device)";
  if (word != "load" && word != "set") in >> std::quoted(name, '\'');
  if (word == "step") name = "ProfilerStep#" + name;
  const auto time_ns = [&] {
    std::int64_t at = 0;
    EXPECT_TRUE(in >> at) << name;
    return from_ns + at * unit_ns;
  };
  const std::int64_t begin_ns = time_ns();
  const std::int64_t end_ns = time_ns();
  std::map<std::string, double> given;
  bool called = false;
  while (!called && in >> word) {
    called = word == "<";
    if (!called) given[word.substr(0, word.find('='))] = std::stod(word.substr(word.find('=') + 1));
  }
  const auto or_else = [&](const char* key, double otherwise) {
    return given.contains(key) ? given.at(key) : otherwise;
  };
  if (kind == EventKind::kRuntime) return maker.call(name, begin_ns, end_ns);
  if (kind == EventKind::kSpan) {
    maker.row(maker.builder.other_lane("Spans"), kind, name, begin_ns, end_ns);
    return;
  }
  if (kind < EventKind::kKernel) {
    const auto tid = std::int64_t(or_else("tid", 4711));
    const auto pid = std::int64_t(or_else("pid", 4711));
    maker.row(maker.builder.host_lane(pid, tid), kind, name, begin_ns, end_ns);
    return;
  }
  if (kCopies.contains(name)) name = kCopies.at(name);
  traces::TraceEvent& row =
      maker.work(kind, name, begin_ns, end_ns,
                 std::int64_t(or_else("stream", kind == EventKind::kMemcpy ? 20 : 7)),
                 int(or_else("device", 0)));
  if (kind == EventKind::kMemcpy) row.value = std::int64_t(or_else("bytes", -1));
  if (given.contains("blocks") || given.contains("occupancy")) {
    row.detail = maker.builder.detail(traces::KernelDetail{
        .blocks_per_sm = or_else("blocks", -1), .occupancy_percent = or_else("occupancy", -1)});
  }
  if (!called) return;
  std::string call = "cudaLaunchKernel";
  if (std::isalpha((in >> std::ws).peek()) != 0) in >> call;
  const std::int64_t call_begin_ns = time_ns();
  maker.called(row, call, call_begin_ns, time_ns(),
               call.starts_with("cuL") ? EventKind::kDriver : EventKind::kRuntime);
}

inline void draw(TraceMaker& maker, const std::string& rows, std::int64_t unit_ns = 1,
                 std::int64_t from_ns = 0) {
  std::istringstream all(rows);
  for (std::string row; std::getline(all, row, ';');) {
    std::istringstream in(row);
    draw_row(maker, in, unit_ns, from_ns);
  }
}

inline traces::Trace drawn(const std::string& rows, std::int64_t unit_ns = 1) {
  TraceMaker maker;
  draw(maker, rows, unit_ns);
  return maker.finish();
}

// The output of `stepbench analyze --format json`, and the steps that it omits.
inline Json numbers_of(const traces::Trace& trace, const traces::AnalysisOptions& options = {}) {
  const report::AnalysedTrace analysed{
      .trace = &trace, .path = "a.json", .analysis = traces::analyse(trace, options)};
  Json all = Json::parse(report::analysis_json(analysed, 0));
  const traces::Steps& steps = analysed.analysis.steps;
  for (const traces::Step& each : steps.steps) {
    all["windows"].push_back({each.window.begin_ns, each.window.end_ns});
    all["marks"].push_back({each.mark.begin_ns, each.mark.end_ns});
  }
  all["gaps_in_numbers"] = steps.gaps;
  all["duplicates"] = steps.duplicates;
  all["clipped"] = steps.clipped;
  all["other_thread"] = steps.other_thread;
  all["step_tid"] = steps.lane == ops::kNoIndex ? -1 : trace.lanes[steps.lane].tid;
  return all;
}

// Numbers that must not depend on the time of recording or on the order of rows in a file.
inline Json steady_numbers(const traces::Trace& trace) {
  const Json all = numbers_of(trace);
  Json kept = {{"launches", all["blocks"]["launches"]}, {"idle", all["idle"]}};
  for (Json& idle : kept["idle"]) {
    idle["places"] = idle["places"].size();
    idle["gaps"] = idle["gaps"].size();
  }
  for (const Json& note : all["integrity"])
    kept["integrity"].push_back({note["id"], note["count"]});
  return kept;
}

// The member at "a/b/2/c", null if missing. In an array a number is an index, '#' the length, and
// another word the name of an element.
inline Json number_at(Json at, const std::string& path) {
  std::istringstream parts(path);
  for (std::string part; std::getline(parts, part, '/');) {
    if (at.is_object()) {
      at = at.value(part, Json());
    } else if (part == "#") {
      at = at.size();
    } else if (part.find_first_not_of("0123456789") == std::string::npos) {
      at = std::stoul(part) < at.size() ? Json(at[std::stoul(part)]) : Json();
    } else {
      Json found;
      for (const Json& each : at) {
        for (const char* key : {"cause", "id", "kind", "name"}) {
          if (found.is_null() && each.value(key, Json()) == part) found = each;
        }
      }
      at = found;
    }
  }
  return at;
}

inline bool same_number(const Json& a, const Json& b) {
  if (a.is_array() && b.is_array() && a.size() == b.size()) {
    return std::equal(a.begin(), a.end(), b.begin(), same_number);
  }
  if (!a.is_number() || !b.is_number()) return a == b;
  return std::abs(a.get<double>() - b.get<double>()) <= 1e-9 * std::abs(b.get<double>());
}

// Each "path = value" of `wanted`, with ';' between; "path ~ words": they are part of the text. A
// path that is not at the top starts in the first report of idle time, or in a block.
inline void expect_numbers(const Json& all, const std::string& wanted) {
  std::istringstream facts(wanted);
  for (std::string fact; std::getline(facts, fact, ';');) {
    std::istringstream in(fact);
    std::string path, relation, value;
    std::getline(in >> std::quoted(path, '|') >> relation >> std::ws, value);
    const std::string first = path.substr(0, path.find('/'));
    const Json idle = number_at(all, "idle/0");
    const Json& root = all.contains(first) ? all : idle.contains(first) ? idle : all.at("blocks");
    const Json found = number_at(root, path);
    if (relation == "~") {
      EXPECT_NE(found.dump().find(value), std::string::npos) << path << ": " << found;
      continue;
    }
    const Json parsed = Json::parse(value, nullptr, false);
    EXPECT_TRUE(same_number(found, parsed.is_discarded() ? Json(value) : parsed))
        << path << " is " << found << ", not " << value;
  }
}

// A row of a table: a trace and its expected numbers.
struct Drawn {
  const char* name;
  const char* rows;
  const char* numbers;
};

template <std::size_t kRows>
void expect_all(const Drawn (&table)[kRows], std::int64_t unit_ns = 1,
                const traces::AnalysisOptions& options = {}) {
  for (const Drawn& each : table) {
    SCOPED_TRACE(each.name);
    expect_numbers(numbers_of(drawn(each.rows, unit_ns), options), each.numbers);
  }
}

}  // namespace stepbench
