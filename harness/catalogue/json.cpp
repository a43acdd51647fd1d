// SPDX-License-Identifier: Apache-2.0
#include "harness/catalogue/json.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/catalogue/validate.h"
#include "harness/json/fields.h"
#include "harness/json/json_text.h"
#include "harness/text/words.h"

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

using json::JsonView;

// Reports each error with its location and the expected value.
class PlacedReader {
 public:
  static constexpr bool kReads = true;
  PlacedReader(const JsonView& json, std::string where)
      : where_(std::move(where)), object_(json.object()) {
    if (!object_) fail("", "expected an object");
  }

  template <typename T>
  PlacedReader& operator()(std::string_view field, T& member, const json::FieldRule& rule = {}) {
    const auto json = object_->find(field);
    if (json) take(field, *json, member);
    if (!json && rule.needed) fail(field, "expected a text");
    return *this;
  }

 private:
  [[noreturn]] void fail(std::string_view field, const std::string& what) const {
    throw ConfigError(where_ + (field.empty() ? "" : "/" + std::string(field)), what);
  }

  template <typename T>
  void take_if(std::string_view field, T& member, const auto& found, const char* expected) const {
    if (!found) fail(field, expected);
    member = T(*found);
  }
  void take(std::string_view field, const JsonView& json, std::string& text) const {
    take_if(field, text, json.text(), "expected a text");
  }
  void take(std::string_view field, const JsonView& json, bool& flag) const {
    take_if(field, flag, json.flag(), "expected true or false");
  }
  void take(std::string_view field, const JsonView& json, double& number) const {
    if (!json.is_null()) take_if(field, number, json.number(), "expected a number");
  }
  void take(std::string_view field, const JsonView& json, Value& value) const {
    if (json.object() || json.elements()) fail(field, "expected a single value");
    value = json.plain();
  }
  template <NamedEnum T>
  void take(std::string_view field, const JsonView& json, T& member) const {
    std::string name;
    take(field, json, name);
    const auto found = one_of<T>(name);
    const auto all = names_of(T{});
    std::vector<std::string> known(all.begin(), all.end());
    std::erase(known, "");
    if (!found) {
      fail(field, "expected one of " + text::join(known) + ", found '" + name + "'" +
                      text::did_you_mean(name, known));
    }
    member = *found;
  }
  template <typename T>
  void take(std::string_view field, const JsonView& json, std::optional<T>& member) const {
    take(field, json, member.emplace());
  }
  template <json::HasFields T>
  void take(std::string_view field, const JsonView& json, T& member) const {
    PlacedReader reader(json, where_ + "/" + std::string(field));
    fields(reader, member);
  }
  template <typename T>
  void take(std::string_view field, const JsonView& json,
            std::vector<std::pair<std::string, T>>& all) const {
    const PlacedReader inner(json, where_ + "/" + std::string(field));
    for (const auto& [name, value] : inner.object_->members()) {
      inner.take(name, value, all.emplace_back(std::string(name), T()).second);
    }
  }
  template <typename T>
  void take(std::string_view field, const JsonView& json, std::vector<T>& all) const {
    const auto elements = json.elements();
    if (!elements) fail(field, "expected a list");
    for (const JsonView& each : *elements) {
      if constexpr (json::HasFields<T>) {
        const std::string place = std::string(field) + "/" + std::to_string(all.size());
        take(place, each, all.emplace_back());
      } else {
        take_if(field, all.emplace_back(), each.text(), "expected a list of texts");
      }
    }
  }

  std::string where_;
  std::optional<json::LineObject> object_;
};

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
  PlacedReader root(*json, source + ": ");
  double version = 0;
  root("stepbench_catalogue", version);
  if (version != kCatalogueVersion) {
    throw ConfigError(
        source + ": /stepbench_catalogue",
        "expected version " + std::to_string(kCatalogueVersion) + " of the catalogue's format");
  }
  Catalogue catalogue;
  fields(root, catalogue);
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
