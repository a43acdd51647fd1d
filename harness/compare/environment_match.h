// SPDX-License-Identifier: Apache-2.0
// What two results must share before their times may be set side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/compare/case_pairs.h"

namespace stepbench::compare {

enum class FieldClass : std::uint8_t {  // written to disk by name
  kMustMatch,                           // another device, another data set: refused
  kShouldMatch,  // another driver, torch, kernel, clock policy: a warning, for that may be what is
                 // compared
  kInformative   // host name, build: recorded
};
constexpr EnumNames<3> names_of(FieldClass) {
  return {"must-match", "should-match", "informative"};
}

// By the field's name. `on_gpu`: some compared case runs on one; else a GPU's model and driver do
// not matter.
[[nodiscard]] FieldClass class_of(std::string_view field, bool on_gpu);

struct EnvironmentDifference {
  std::string field;      // "gpu.0", "torch", "data.digest"
  std::string base = {};  // values in force, "-" for none
  std::string candidate = {};
  FieldClass field_class = FieldClass::kInformative;
  bool allowed = false;
  std::size_t cases = 0;  // in which an effective option differs; 0: of the machine or the worker
};

// Of the workers' environments, and of the options as they were in force in joined cases. `allow`
// and `ignore` name fields; "all" allows every one.
[[nodiscard]] std::vector<EnvironmentDifference> environment_differences(
    const ComparisonSide& base, const ComparisonSide& candidate, const CasePairs& pairs,
    std::span<const std::string> allow, std::span<const std::string> ignore);

// Names of all fields that a result says something of: what `allow` may name.
[[nodiscard]] std::vector<std::string> environment_fields(const record::Results& results);

// Throws ConfigError naming every difference that must not be and is not allowed.
void refuse_mismatch(const ComparisonSide& candidate,
                     std::span<const EnvironmentDifference> differences);

}  // namespace stepbench::compare
