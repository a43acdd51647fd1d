// SPDX-License-Identifier: Apache-2.0
#include "harness/catalogue/json.h"

#include <algorithm>
#include <utility>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/catalogue/validate.h"
#include "harness/json/fields.h"
#include "harness/json/json_text.h"

namespace stepbench {

template <typename V>
void fields(V& v, json::Of<Requires> auto& needs) {
  v("option", needs.option, json::kNeeded)("op", needs.op)("value", needs.value);
  v("doc", needs.doc);
}

// Sorts by name for writing, so that equal catalogues give equal text.
template <typename V>
auto by_name(std::vector<std::pair<std::string, std::string>> pairs) {
  if constexpr (!V::kReads) std::ranges::sort(pairs);
  return pairs;
}

template <typename V>
void fields(V& v, json::Of<Option> auto& option) {
  const Option plain;
  v("name", option.name, json::kNeeded)("type", option.type)("doc", option.doc, json::kNeeded);
  v("unit", option.unit, json::kSparse)("default", option.default_value, json::kSparse);
  v("default_in", option.default_in, json::kSparse)("required", option.required, json::kSparse);
  v("min", option.min, {.written = option.min != plain.min});
  v("max", option.max, {.written = option.max != plain.max});
  v("choices", option.choices, json::kSparse)("identity", option.identity);
  v("identity_default", option.identity_default, json::kSparse);
  v("requires", option.requires_, {.written = option.requires_.has_value()});
  v("pattern", option.pattern, json::kSparse)("must_exist", option.must_exist, json::kSparse);
  v("pattern_words", option.pattern_words, json::kSparse);
  v("also_called", option.also_called, json::kSparse);
  auto called = by_name<V>(option.values_called);
  v("values_called", called, json::kSparse);
  if constexpr (V::kReads) option.values_called = std::move(called);
}

template <typename V>
void fields(V& v, json::Of<Variant> auto& variant) {
  v("name", variant.name, json::kNeeded)("doc", variant.doc)("options", variant.options);
}

template <typename V>
void fields(V& v, json::Of<Section> auto& section) {
  v("name", section.name, json::kNeeded)("doc", section.doc);
  v("selector", section.selector, json::kSparse)("open", section.open, json::kSparse);
  auto elsewhere = by_name<V>(section.elsewhere);
  v("elsewhere", elsewhere, json::kSparse)("options", section.options);
  if constexpr (V::kReads) section.elsewhere = std::move(elsewhere);
  v("variants", section.variants, json::kSparse);
}

template <typename V>
void fields(V& v, json::Of<Phase> auto& phase) {
  v("name", phase.name, json::kNeeded)("doc", phase.doc);
}

}  // namespace stepbench

namespace stepbench::catalogue {

// A metric in the JSON spelling of a catalogue.
struct Declared : Metric {
  Declared() = default;
  Declared(const Metric& metric) : Metric(metric) {}  // NOLINT: the same with other words
};
enum class Better : std::uint8_t { kLower, kHigher, kNeither };
constexpr EnumNames<3> names_of(Better) {
  return {"lower_is_better", "higher_is_better", "neither"};
}

template <typename V>
void fields(V& v, json::Of<Declared> auto& metric) {
  auto better = static_cast<Better>(metric.direction);
  v("name", metric.name, json::kNeeded)("unit", metric.unit)("role", metric.role);
  v("direction", better)("doc", metric.doc)("source", metric.source, json::kSparse);
  if constexpr (V::kReads) {
    metric.direction = static_cast<Direction>(better);
    metric.exact = exact_by_unit(metric);
  }
  v("exact", metric.exact, {.written = metric.exact || exact_by_unit(metric)});
}

}  // namespace stepbench::catalogue

namespace stepbench {

template <typename V>
void fields(V& v, json::Of<WorkloadSpec> auto& spec) {
  v("name", spec.name, json::kNeeded)("doc", spec.doc, json::kNeeded)("sections", spec.sections);
  v("phases", spec.phases, json::kSparse);
  std::vector<catalogue::Declared> metrics(spec.metrics.begin(), spec.metrics.end());
  v("metrics", metrics, json::kSparse);
  if constexpr (V::kReads) spec.metrics.assign(metrics.begin(), metrics.end());
}

template <typename V>
void fields(V& v, json::Of<Catalogue> auto& catalogue) {
  if constexpr (!V::kReads) v("stepbench_catalogue", catalogue::kCatalogueVersion);
  v("sections", catalogue.sections)("workloads", catalogue.workloads);
}

namespace catalogue {
namespace {

// Number options accept a default that was written without a decimal point.
void make_number(Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) value = static_cast<double>(*whole);
}

void make_numbers(std::vector<Option>& options) {
  for (Option& option : options) {
    if (option.type != OptionType::kNumber) continue;
    make_number(option.default_value);
    make_number(option.identity_default);
    for (auto& [variant, value] : option.default_in) make_number(value);
  }
}

void add_missing_harness_sections(Catalogue& catalogue) {
  std::vector<Section> sections;
  for (Section& section : harness_sections()) {
    if (catalogue.find_section(section.name) == nullptr) sections.push_back(std::move(section));
  }
  for (Section& section : catalogue.sections) sections.push_back(std::move(section));
  catalogue.sections = std::move(sections);
}

}  // namespace

std::string to_json(const Catalogue& catalogue) {
  return json::indented(json::object_text(catalogue)) + "\n";
}

Catalogue catalogue_from_json(std::string_view text, const std::string& source,
                              std::span<const Metric> taken) {
  json::LineParser parser;
  const auto json = parser.parse_value(text);
  if (!json) {
    throw ConfigError(source,
                      "its description is not JSON; see `stepbench list --format json` for one");
  }
  const auto object = json->object();
  if (!object) throw ConfigError(source, "expected an object, found " + std::string(json->type()));
  Catalogue catalogue;
  try {
    if (json::read_field<double>(*object, "stepbench_catalogue") != kCatalogueVersion) {
      throw json::FieldError("stepbench_catalogue", "must be " + std::to_string(kCatalogueVersion) +
                                                        ", the version of this format");
    }
    catalogue = json::read<Catalogue>(*object);
  } catch (const json::FieldError& error) {
    throw ConfigError(source + ": /" + error.place(), error.problem());
  }
  for (Section& section : catalogue.sections) {
    make_numbers(section.options);
    for (Variant& variant : section.variants) make_numbers(variant.options);
  }
  add_missing_harness_sections(catalogue);
  const std::vector<std::string> mistakes = validate(catalogue, taken);
  if (!mistakes.empty()) throw ConfigError(source, mistakes.front());
  return catalogue;
}

std::string catalogue_digest(const Catalogue& catalogue) { return digest(to_json(catalogue)); }

}  // namespace catalogue
}  // namespace stepbench
