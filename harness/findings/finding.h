// SPDX-License-Identifier: Apache-2.0
// One observation about a launch in plain words, with the number it rests on and what to do about
// it. Loader, allocator, memory and trace findings share this type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"

namespace stepbench {

enum class Severity : std::uint8_t { kInfo, kWarning, kProblem };  // written to disk by name
constexpr EnumNames<3> names_of(Severity) { return {"info", "warning", "problem"}; }

inline constexpr std::size_t kMaxPlaces = 8;

struct Finding {
  // An option to change, as `--set` takes it.
  struct Set {
    std::string option = {};  // full name: "loader.num_workers"
    std::string value = {};   // as YAML: "4"
  };
  // Where it is to be seen in a trace.
  struct Place {
    std::string name = {};   // of the op, call or kernel
    std::int64_t at_ns = 0;  // on the trace's own clock
    std::int64_t duration_ns = 0;
    std::int64_t step = -1;  // its number in the trace; -1: in no step
  };

  std::string id = {};  // stable, for tools: "loader.decode_bound"
  Severity severity = Severity::kInfo;
  std::string text = {};  // "decode: 91 % of worker time; 2 workers saturate 2 cores"
  double value = 0;       // what was seen, in `unit`
  double threshold = 0;   // beyond which the finding is made, in `unit`
  std::string unit = {};
  std::optional<double> share = {};        // of the step time, 0..1: what could be won at most
  std::vector<std::string> evidence = {};  // metrics, ops or phases it was read from
  std::string remedy = {};                 // one sentence; empty when there is none
  std::vector<Set> set = {};
  // Of a step, at most: the step's time without the cause. Of traces.
  std::optional<double> gain_ns = {};
  std::string window = {};         // what a step is here: "host_step"
  bool low_confidence = false;     // it follows from signs, not from records
  std::string undecided = {};      // why the rule could not say; it then has found nothing
  std::vector<Place> places = {};  // the longest ones, at most kMaxPlaces
};

}  // namespace stepbench
