// SPDX-License-Identifier: Apache-2.0
// Checks that the environments of two results allow a comparison of times.
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
  kMustMatch,                           // another device or data set: refused
  // Another driver, torch, kernel or clock policy: a warning, as it may be what is compared.
  kShouldMatch,
  kInformative  // host name or build: only recorded
};
constexpr EnumNames<3> names_of(FieldClass) {
  return {"must-match", "should-match", "informative"};
}

// Classifies a field by name. `on_gpu`: some compared case runs on a GPU; otherwise GPU model and
// driver do not matter.
[[nodiscard]] FieldClass class_of(std::string_view field, bool on_gpu);

struct EnvironmentDifference {
  std::string field;      // "gpu.0", "torch", "data.digest"
  std::string base = {};  // effective values, "-" for none
  std::string candidate = {};
  FieldClass field_class = FieldClass::kInformative;
  bool allowed = false;
  std::size_t cases = 0;  // cases with a differing effective option; 0: a machine or worker field
};

// Compares the workers' environments and the effective options of matched cases. `allow` and
// `ignore` name fields; "all" allows every field.
[[nodiscard]] std::vector<EnvironmentDifference> environment_differences(
    const ComparisonSide& base, const ComparisonSide& candidate, const CasePairs& pairs,
    std::span<const std::string> allow, std::span<const std::string> ignore);

// Names of all environment fields recorded in a result, i.e. the values that `allow` accepts.
[[nodiscard]] std::vector<std::string> environment_fields(const record::Results& results);

// Throws ConfigError listing every must-match difference that is not allowed.
void refuse_mismatch(const ComparisonSide& candidate,
                     std::span<const EnvironmentDifference> differences);

}  // namespace stepbench::compare
