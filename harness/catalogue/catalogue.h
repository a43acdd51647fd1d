// SPDX-License-Identifier: Apache-2.0
// Everything that can be varied, as plain data: workloads, option sections with variants, phases
// and metrics. Each option is declared here once; the parser, `stepbench list`, JSON Schema, case
// ids and documentation derive from it. Immutable after construction; any thread may read it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/base/value.h"
#include "harness/catalogue/source.h"

namespace stepbench {

enum class OptionType : std::uint8_t { kBool, kInteger, kNumber, kString, kEnum, kPath };
constexpr EnumNames<6> names_of(OptionType) {
  return {"bool", "integer", "number", "string", "enum", "path"};
}

// key: part of case_id if it differs from identity_default. context: recorded only.
enum class Identity : std::uint8_t { kKey, kContext };
constexpr EnumNames<2> names_of(Identity) { return {"key", "context"}; }

// The option applies only while another option of the same case satisfies this condition.
struct Requires {
  enum class Op : std::uint8_t { kEqual, kNotEqual, kGreater };
  std::string option;  // full name: "loader.num_workers"
  Op op = Op::kEqual;
  Value value;
  std::string doc;  // shown to the user: "needs worker processes (num_workers > 0)"
};
constexpr EnumNames<3> names_of(Requires::Op) { return {"equal", "not_equal", "greater"}; }

struct Option {
  std::string name;  // within its section: "num_workers"
  OptionType type = OptionType::kString;
  std::string doc;           // one or two sentences, for users
  std::string unit = {};     // "s", "bytes", "samples", ... or empty
  Value default_value = {};  // null: no default; the option is then unset unless `required`
  // In sections with variants: {variant, its default} where it differs from default_value.
  std::vector<std::pair<std::string, Value>> default_in = {};
  bool required = false;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices = {};  // kEnum: the values; other types: extra keywords ("auto")
  Identity identity = Identity::kKey;
  // The value that leaves case_id unchanged. Frozen when the option is introduced; independent of
  // default_value.
  Value identity_default = {};
  std::optional<Requires> requires_ = {};
  std::string pattern = {};  // kString: an ECMAScript regular expression for the whole text
  // kPath: checked during planning, relative to the current directory.
  bool must_exist = false;
  bool decides_samples = false;    // of a loader: which samples a batch holds, and in which order
  std::string pattern_words = {};  // readable `pattern`: "auto, or a share such as 2% or 0.02"
  // Names that other tools use for the option and its values, {theirs, ours}. Only for hints; never
  // accepted as input.
  std::vector<std::string> also_called = {};
  std::vector<std::pair<std::string, std::string>> values_called = {};
};

// Returns the default under this variant; `variant` is empty in sections without variants.
[[nodiscard]] const Value& default_of(const Option& option, std::string_view variant);
// True if `value` is the default of any variant.
[[nodiscard]] bool is_a_default(const Option& option, const Value& value);

// One value of a section's selector option, with the options that only this variant has (data.kind:
// jpeg_folder).
struct Variant {
  std::string name;
  std::string doc;
  std::vector<Option> options = {};
};

struct Section {
  std::string name;  // YAML key; "": the top level of the file
  std::string doc;
  // Names of other tools without an option here, {theirs, where to set it instead}. Only for hints.
  std::vector<std::pair<std::string, std::string>> elsewhere = {};
  // The option whose value names the variant: "kind", "engine"; empty: no variants.
  std::string selector = {};
  std::vector<Option> options = {};
  std::vector<Variant> variants = {};
  bool open = false;  // any key with a string value is allowed (env)
};

enum class Direction : std::uint8_t { kLowerIsBetter, kHigherIsBetter, kNeither };
constexpr EnumNames<3> names_of(Direction) { return {"lower", "higher", "neither"}; }
// kKey joins two runs, kContext explains them, kMetric is compared.
enum class Role : std::uint8_t { kKey, kContext, kMetric };
constexpr EnumNames<3> names_of(Role) { return {"key", "context", "metric"}; }

struct Phase {
  std::string name;
  std::string doc;
};

struct Metric {
  std::string name;
  std::string unit = {};
  Role role = Role::kMetric;
  Direction direction = Direction::kLowerIsBetter;
  std::string doc = {};
  Source source = Source::kUnknown;
  // Deterministic: a program that does the same work repeats the number exactly (calls,
  // allocations, bytes). Compared without statistics.
  bool exact = false;
  // Part of the step: a samples column that sums to the step together with the others of its clock.
  bool phase = false;
};
// Default for files written before `exact` existed: inferred from the unit.
[[nodiscard]] bool exact_by_unit(const Metric& metric);

struct WorkloadSpec {
  std::string name;
  std::string doc;
  std::vector<std::string> sections = {};  // the sections that it reads, besides the harness's own
  std::vector<Phase> phases = {};          // in addition to the built-in ones, at most 16
  std::vector<Metric> metrics = {};        // added by its report()
};

struct Catalogue {
  std::vector<Section> sections;
  std::vector<WorkloadSpec> workloads;

  [[nodiscard]] const Section* find_section(std::string_view name) const;
  [[nodiscard]] const WorkloadSpec* find_workload(std::string_view name) const;
  // "loader.num_workers" or, at top level, "launches"; searches all variants. Null if unknown.
  [[nodiscard]] const Option* find_option(std::string_view full_name) const;
};

// The harness's own sections and built-in phases (in order of PhaseId).
[[nodiscard]] std::vector<Section> harness_sections();
[[nodiscard]] const std::vector<Phase>& built_in_phases();
// In order of PhaseId: built-in phases, then those of the workload.
[[nodiscard]] std::vector<std::string> phase_names(const Catalogue& catalogue,
                                                   std::string_view workload);

// Sets `source` on the metrics that have none.
[[nodiscard]] std::vector<Metric> read_from(Source source, std::vector<Metric> metrics);

}  // namespace stepbench
