// SPDX-License-Identifier: Apache-2.0
// One observation about a launch in plain words, with the number it rests on and what to do about
// it. Loader, allocator, memory and trace findings share this type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench {

enum class Severity : std::uint8_t { kInfo, kWarning, kProblem };  // written to disk by name

[[nodiscard]] std::string_view name_of(Severity severity);  // info, warning, problem
[[nodiscard]] std::optional<Severity> severity_named(std::string_view name);

struct Finding {
  // An option to change, as `--set` takes it.
  struct Set {
    std::string option = {};  // full name: "loader.num_workers"
    std::string value = {};   // as YAML: "4"
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
};

}  // namespace stepbench
