// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/base/error.h"
#include "harness/catalogue/json.h"
#include "harness/catalogue/validate.h"
#include "harness/json/scalar.h"
#include "harness/text/words.h"

namespace stepbench::catalogue {
namespace {

using Json = nlohmann::json;

template <typename Enum, std::size_t N>
using Names = std::array<std::pair<std::string_view, Enum>, N>;

constexpr Names<OptionType, 6> kTypes = {{{"bool", OptionType::kBool},
                                          {"integer", OptionType::kInteger},
                                          {"number", OptionType::kNumber},
                                          {"string", OptionType::kString},
                                          {"enum", OptionType::kEnum},
                                          {"path", OptionType::kPath}}};
constexpr Names<Identity, 2> kIdentities = {
    {{"key", Identity::kKey}, {"context", Identity::kContext}}};
constexpr Names<Requires::Op, 3> kOps = {{{"equal", Requires::Op::kEqual},
                                          {"not_equal", Requires::Op::kNotEqual},
                                          {"greater", Requires::Op::kGreater}}};
constexpr Names<Role, 3> kRoles = {
    {{"key", Role::kKey}, {"context", Role::kContext}, {"metric", Role::kMetric}}};
constexpr Names<Direction, 3> kDirections = {{{"lower_is_better", Direction::kLowerIsBetter},
                                              {"higher_is_better", Direction::kHigherIsBetter},
                                              {"neither", Direction::kNeither}}};

// One JSON object with its place; every accessor says where and what was expected.
class Object {
 public:
  Object(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object()) fail("", "expected an object");
  }

  [[noreturn]] void fail(std::string_view field, const std::string& what) const {
    throw ConfigError(where_ + (field.empty() ? "" : "/" + std::string(field)), what);
  }

  [[nodiscard]] const Json* find(const char* field) const {
    const auto found = json_.find(field);
    return found == json_.end() ? nullptr : &*found;
  }

  [[nodiscard]] std::string text(const char* field, bool required = false) const {
    const Json* json = find(field);
    if (json == nullptr && !required) return {};
    if (json == nullptr || !json->is_string()) fail(field, "expected a text");
    return json->get<std::string>();
  }

  [[nodiscard]] bool flag(const char* field) const {
    const Json* json = find(field);
    if (json == nullptr) return false;
    if (!json->is_boolean()) fail(field, "expected true or false");
    return json->get<bool>();
  }

  [[nodiscard]] double number(const char* field, double otherwise) const {
    const Json* json = find(field);
    if (json == nullptr || json->is_null()) return otherwise;
    if (!json->is_number()) fail(field, "expected a number");
    return json->get<double>();
  }

  [[nodiscard]] Value value(const char* field) const {
    const Json* json = find(field);
    if (json == nullptr) return {};
    if (const auto value = json::scalar_of(*json)) return *value;
    fail(field, "expected a single value");
  }

  [[nodiscard]] std::vector<std::string> texts(const char* field) const {
    std::vector<std::string> all;
    for (const Json& json : list(field)) {
      if (!json.is_string()) fail(field, "expected a list of texts");
      all.push_back(json.get<std::string>());
    }
    return all;
  }

  template <typename Enum, std::size_t N>
  [[nodiscard]] Enum one_of(const char* field, const Names<Enum, N>& names, Enum otherwise) const {
    if (find(field) == nullptr) return otherwise;
    const std::string name = text(field);
    std::vector<std::string> known;
    for (const auto& [candidate, value] : names) {
      if (candidate == name) return value;
      known.emplace_back(candidate);
    }
    fail(field, "expected one of " + text::join(known) + ", found '" + name + "'" +
                    text::did_you_mean(name, known));
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> named_texts(
      const char* field) const {
    const Json* json = find(field);
    if (json == nullptr) return {};
    const Object object(*json, where_ + "/" + field);
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& [name, value] : json->items()) {
      if (!value.is_string()) object.fail(name, "expected a text");
      all.emplace_back(name, value.get<std::string>());
    }
    return all;
  }

  [[nodiscard]] std::vector<std::pair<std::string, Value>> named_values(const char* field) const {
    const Json* json = find(field);
    if (json == nullptr) return {};
    const Object object(*json, where_ + "/" + field);
    std::vector<std::pair<std::string, Value>> all;
    for (const auto& [name, value] : json->items()) {
      all.emplace_back(name, object.value(name.c_str()));
    }
    return all;
  }

  template <typename Read>
  [[nodiscard]] auto objects(const char* field, Read read) const {
    std::vector<decltype(read(*this))> all;
    std::size_t index = 0;
    for (const Json& json : list(field)) {
      all.push_back(read(Object(json, where_ + "/" + field + "/" + std::to_string(index++))));
    }
    return all;
  }

  template <typename Read>
  [[nodiscard]] auto object(const char* field, Read read) const {
    return read(Object(*find(field), where_ + "/" + field));
  }

 private:
  [[nodiscard]] const Json& list(const char* field) const {
    static const Json none = Json::array();
    const Json* json = find(field);
    if (json == nullptr) return none;
    if (!json->is_array()) fail(field, "expected a list");
    return *json;
  }

  const Json& json_;
  std::string where_;
};

// A number option whose default was written without a decimal point.
Value as_declared(Value value, OptionType type) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  if (type == OptionType::kNumber && whole != nullptr) return static_cast<double>(*whole);
  return value;
}

Option read_option(const Object& json) {
  Option option{.name = json.text("name", true),
                .type = json.one_of("type", kTypes, OptionType::kString),
                .doc = json.text("doc", true)};
  option.unit = json.text("unit");
  option.default_value = as_declared(json.value("default"), option.type);
  option.default_in = json.named_values("default_in");
  for (auto& [variant, value] : option.default_in) value = as_declared(value, option.type);
  option.required = json.flag("required");
  option.min = json.number("min", option.min);
  option.max = json.number("max", option.max);
  option.choices = json.texts("choices");
  option.identity = json.one_of("identity", kIdentities, Identity::kKey);
  option.identity_default = as_declared(json.value("identity_default"), option.type);
  option.pattern = json.text("pattern");
  option.must_exist = json.flag("must_exist");
  option.pattern_words = json.text("pattern_words");
  option.also_called = json.texts("also_called");
  option.values_called = json.named_texts("values_called");
  if (json.find("requires") != nullptr) {
    const auto read = [](const Object& needs) {
      return Requires{.option = needs.text("option", true),
                      .op = needs.one_of("op", kOps, Requires::Op::kEqual),
                      .value = needs.value("value"),
                      .doc = needs.text("doc")};
    };
    option.requires_ = json.object("requires", read);
  }
  return option;
}

Variant read_variant(const Object& json) {
  return {.name = json.text("name", true),
          .doc = json.text("doc"),
          .options = json.objects("options", read_option)};
}

Section read_section(const Object& json) {
  return {.name = json.text("name", true),
          .doc = json.text("doc"),
          .selector = json.text("selector"),
          .options = json.objects("options", read_option),
          .variants = json.objects("variants", read_variant),
          .open = json.flag("open"),
          .elsewhere = json.named_texts("elsewhere")};
}

Phase read_phase(const Object& json) { return {json.text("name", true), json.text("doc")}; }

Source read_source(const Object& json) {
  const std::string name = json.text("source");
  if (name.empty()) return Source::kUnknown;
  if (const std::optional<Source> source = one_of<Source>(name)) return *source;
  std::vector<std::string> known;
  for (const SourceName& each : sources()) known.emplace_back(each.name);
  json.fail("source", "expected one of " + text::join(known) + ", found '" + name + "'" +
                          text::did_you_mean(name, known));
}

Metric read_metric(const Object& json) {
  Metric metric{.name = json.text("name", true),
                .unit = json.text("unit"),
                .role = json.one_of("role", kRoles, Role::kMetric),
                .direction = json.one_of("direction", kDirections, Direction::kLowerIsBetter),
                .doc = json.text("doc"),
                .source = read_source(json)};
  metric.exact = json.find("exact") == nullptr ? exact_by_unit(metric) : json.flag("exact");
  return metric;
}

WorkloadSpec read_workload(const Object& json) {
  return {.name = json.text("name", true),
          .doc = json.text("doc"),
          .sections = json.texts("sections"),
          .phases = json.objects("phases", read_phase),
          .metrics = json.objects("metrics", read_metric)};
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

Catalogue catalogue_from_json(std::string_view text, const std::string& source,
                              std::span<const Metric> taken) {
  const Json json = Json::parse(text.begin(), text.end(), nullptr, false);
  if (json.is_discarded()) {
    throw ConfigError(source,
                      "its description is not JSON; see `stepbench list --format json` for one");
  }
  const Object root(json, source + ": ");
  const double version = root.number("stepbench_catalogue", 0);
  if (version != kCatalogueVersion) {
    root.fail("stepbench_catalogue", "expected version " + std::to_string(kCatalogueVersion) +
                                         " of the catalogue's format");
  }
  Catalogue catalogue{.sections = root.objects("sections", read_section),
                      .workloads = root.objects("workloads", read_workload)};
  add_missing_harness_sections(catalogue);
  const std::vector<std::string> mistakes = validate(catalogue, taken);
  if (!mistakes.empty()) throw ConfigError(source, mistakes.front());
  return catalogue;
}

}  // namespace stepbench::catalogue
