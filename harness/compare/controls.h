// SPDX-License-Identifier: Apache-2.0
// How long known pieces of work take on a machine, each of one kind: arithmetic, memory, calls,
// images, processes. What differs between two machines is told by them (explain.h). `doctor
// --measure` measures them, its file and the first line of each run keep them. Pure; any thread.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/reader.h"

namespace stepbench::compare {

// What a control is of; its case stands in campaign/control_cases.cpp.
struct ControlKind {
  std::string_view name;
  std::string_view doc;
};
[[nodiscard]] std::span<const ControlKind> control_kinds();

struct Control {
  std::string name = {};  // of its kind
  double step_ns = 0;     // median over launches
  double sd = 0;          // relative, of launches: from one to the next and over the minutes
  std::size_t launches = 0;
};

struct Controls {
  std::string measured_utc = {};
  Fields machine = {};  // host, cpu.model, cores; torch, threads: of those on all cores
  std::vector<Control> all = {};

  [[nodiscard]] const Control* find(std::string_view name) const;  // null: it was not measured
};
inline constexpr std::size_t kFewestForControl = 6;  // launches

// Of an experiment whose cases are controls: `names` by case id. Those with too few launches are
// left out. Time and machine are for the caller to fill in.
[[nodiscard]] Controls controls_of(const record::Results& results,
                                   const std::map<std::string, std::string>& names);

// As a file and the first line of a run keep them: gemm_ns, gemm_sd, gemm_launches, ..., and
// measured_utc and machine under their names. What is not known or no number is passed over, so
// that controls of a later version can be read.
[[nodiscard]] Fields to_fields(const Controls& controls);
[[nodiscard]] Controls controls_from(const Fields& fields);

// In the context of a run, in front of each name.
inline constexpr std::string_view kControlPrefix = "control.";
// Those that the run's first line carries; without any `all` is empty.
[[nodiscard]] Controls controls_of_run(const record::RunRow& run);

}  // namespace stepbench::compare
