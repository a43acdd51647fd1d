// SPDX-License-Identifier: Apache-2.0
#include "harness/catalogue/schema.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "harness/text/names.h"

namespace stepbench::catalogue {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string full_name(const Section& section, const Option& option) {
  return section.name.empty() ? option.name : section.name + "." + option.name;
}

OrderedJson scalar(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

void add_bound(OrderedJson& json, const char* name, double bound) {
  if (!std::isfinite(bound)) return;
  if (bound == std::floor(bound) && std::abs(bound) < 9e15) {
    json[name] = static_cast<std::int64_t>(bound);
  } else {
    json[name] = bound;
  }
}

OrderedJson typed(const Option& option) {
  switch (option.type) {
    case OptionType::kBool:
      return {{"type", "boolean"}};
    case OptionType::kEnum:
      return {{"enum", option.choices}};
    case OptionType::kInteger:
    case OptionType::kNumber: {
      OrderedJson json = {{"type", option.type == OptionType::kInteger ? "integer" : "number"}};
      add_bound(json, "minimum", option.min);
      add_bound(json, "maximum", option.max);
      return json;
    }
    case OptionType::kString:
      if (!option.pattern.empty()) {
        // A text that looks like a number is written without quotes.
        const bool may_be_number = std::regex_match("0", std::regex(option.pattern));
        return {{"type",
                 may_be_number ? OrderedJson::array({"string", "number"}) : OrderedJson("string")},
                {"pattern", "^(" + option.pattern + ")$"}};
      }
      return {{"type", OrderedJson::array({"string", "number", "boolean"})}};
    case OptionType::kPath:
      return {{"type", "string"}, {"minLength", 1}};
  }
  return OrderedJson::object();
}

OrderedJson value_schema(const Option& option) {
  OrderedJson any = OrderedJson::array({typed(option)});
  if (option.type != OptionType::kEnum && !option.choices.empty()) {
    OrderedJson keywords = option.choices;
    if (std::ranges::find(option.choices, "null") != option.choices.end()) {
      keywords.push_back(nullptr);
    }
    any.push_back({{"enum", std::move(keywords)}});
  }
  any.push_back({{"$ref", "#/$defs/variable"}});
  return any;
}

std::string description(const Option& option) {
  std::string text = option.doc;
  if (!option.unit.empty()) text += " Unit: " + option.unit + ".";
  if (option.requires_ && !option.requires_->doc.empty())
    text += " It " + option.requires_->doc + ".";
  return text;
}

// All declarations of one name; variants may share it.
OrderedJson option_schema(const std::vector<const Option*>& declarations) {
  OrderedJson json = {{"description", description(*declarations.front())}};
  if (declarations.size() == 1 && !is_null(declarations.front()->default_value) &&
      declarations.front()->default_in.empty()) {
    json["default"] = scalar(declarations.front()->default_value);
  }
  OrderedJson any = OrderedJson::array();
  for (const Option* option : declarations) {
    for (OrderedJson& alternative : value_schema(*option)) {
      if (std::find(any.begin(), any.end(), alternative) == any.end()) any.push_back(alternative);
    }
  }
  json["anyOf"] = std::move(any);
  return json;
}

using Declarations = std::vector<std::pair<std::string, std::vector<const Option*>>>;

void add(Declarations& all, const Option& option) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const auto& entry) { return entry.first == option.name; });
  if (found == all.end()) {
    all.push_back({option.name, {&option}});
  } else {
    found->second.push_back(&option);
  }
}

Declarations declarations_of(const Section& section) {
  Declarations all;
  for (const Option& option : section.options) add(all, option);
  for (const Variant& variant : section.variants) {
    for (const Option& option : variant.options) add(all, option);
  }
  return all;
}

class SchemaMaker {
 public:
  explicit SchemaMaker(const Catalogue& catalogue) : catalogue_(catalogue) {
    for (const WorkloadSpec& spec : catalogue.workloads) workload_names_.push_back(spec.name);
    for (const Section& section : catalogue.sections) {
      for (const auto& [name, declarations] : declarations_of(section)) {
        all_names_.push_back(full_name(section, *declarations.front()));
      }
    }
  }

  OrderedJson make() {
    OrderedJson properties = OrderedJson::object();
    for (const Section& section : catalogue_.sections) {
      if (section.name.empty()) properties = options_of(section);
    }
    if (properties.contains("workload")) {
      properties["workload"]["anyOf"] =
          OrderedJson::array({workload_values(), {{"$ref", "#/$defs/variable"}}});
    }
    for (const Section& section : catalogue_.sections) {
      if (!section.name.empty()) properties[section.name] = section_schema(section);
    }
    properties["sweep"] = sweep_schema();
    OrderedJson schema = {
        {"$schema", "https://json-schema.org/draft/2020-12/schema"},
        {"title", "stepbench experiment"},
        {"type", "object"},
        {"additionalProperties", false},
        {"anyOf", OrderedJson::array({{{"required", OrderedJson::array({"workload"})}},
                                      {{"required", OrderedJson::array({"sweep"})}}})},
        {"properties", std::move(properties)}};
    schema["allOf"] = variant_rules();
    schema["$defs"] = {{"variable",
                        {{"description", "A value with ${NAME:-default} in it."},
                         {"type", "string"},
                         {"pattern", "\\$\\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\\}"}}}};
    return schema;
  }

 private:
  [[nodiscard]] OrderedJson workload_values() const { return {{"enum", workload_names_}}; }

  [[nodiscard]] OrderedJson options_of(const Section& section) const {
    OrderedJson properties = OrderedJson::object();
    for (const auto& [name, declarations] : declarations_of(section)) {
      const std::size_t dot = name.find('.');
      if (dot == std::string::npos) {
        properties[name] = option_schema(declarations);
        continue;
      }
      OrderedJson& group = properties[name.substr(0, dot)];
      group["type"] = "object";
      group["additionalProperties"] = false;
      group["properties"][name.substr(dot + 1)] = option_schema(declarations);
    }
    return properties;
  }

  [[nodiscard]] OrderedJson section_schema(const Section& section) const {
    OrderedJson json = {{"description", section.doc},
                        {"type", OrderedJson::array({"object", "null"})}};
    json["properties"] = options_of(section);
    if (section.open) {
      json["additionalProperties"] = {
          {"type", OrderedJson::array({"string", "number", "boolean"})}};
    } else {
      json["additionalProperties"] = false;
    }
    return json;
  }

  // Without a sweep a variant's file must not hold options of its siblings.
  [[nodiscard]] OrderedJson variant_rules() const {
    OrderedJson rules = OrderedJson::array();
    for (const Section& section : catalogue_.sections) {
      for (const Variant& variant : section.variants) {
        OrderedJson refused = OrderedJson::object();
        for (const auto& [name, declarations] : declarations_of(section)) {
          if (!belongs(section, variant, name)) refused[name] = false;
        }
        if (refused.empty()) continue;
        const OrderedJson is_variant = {
            {"properties", {{section.selector, {{"const", variant.name}}}}},
            {"required", OrderedJson::array({section.selector})}};
        rules.push_back({{"if",
                          {{"properties", {{section.name, is_variant}}},
                           {"required", OrderedJson::array({section.name})},
                           {"not", {{"required", OrderedJson::array({"sweep"})}}}}},
                         {"then", {{"properties", {{section.name, {{"properties", refused}}}}}}}});
      }
    }
    return rules;
  }

  static bool belongs(const Section& section, const Variant& variant, const std::string& name) {
    const auto named = [&](const Option& option) { return option.name == name; };
    return std::any_of(section.options.begin(), section.options.end(), named) ||
           std::any_of(variant.options.begin(), variant.options.end(), named);
  }

  template <typename Wrap>
  [[nodiscard]] OrderedJson by_full_name(bool keys_only, Wrap wrap) const {
    OrderedJson properties = OrderedJson::object();
    OrderedJson patterns = OrderedJson::object();
    for (const Section& section : catalogue_.sections) {
      for (const auto& [name, declarations] : declarations_of(section)) {
        if (keys_only && declarations.front()->identity == Identity::kContext) continue;
        OrderedJson value = option_schema(declarations);
        if (section.name.empty() && name == "workload")
          value["anyOf"] = OrderedJson::array({workload_values()});
        const std::string full = full_name(section, *declarations.front());
        properties[full] = wrap(value);
        if (text::matching_names(name, all_names_).size() == 1) properties[name] = properties[full];
      }
      if (!section.open) continue;
      patterns["^" + section.name + "\\..+$"] =
          wrap({{"type", OrderedJson::array({"string", "number", "boolean"})}});
    }
    OrderedJson json = {{"type", "object"}, {"minProperties", 1}, {"additionalProperties", false}};
    json["properties"] = std::move(properties);
    json["patternProperties"] = std::move(patterns);
    return json;
  }

  [[nodiscard]] OrderedJson sweep_schema() const {
    const auto list_or_one = [](const OrderedJson& value) -> OrderedJson {
      return {{"anyOf", OrderedJson::array(
                            {value, {{"type", "array"}, {"minItems", 1}, {"items", value}}})}};
    };
    const auto one = [](const OrderedJson& value) -> OrderedJson { return value; };
    OrderedJson matrix = by_full_name(true, list_or_one);
    matrix["description"] = "Every combination of the values.";
    OrderedJson zip = by_full_name(false, list_or_one);
    zip["description"] = "Lists of equal length that advance together.";
    OrderedJson exclude = {{"description", "Points of matrix x zip to leave out."},
                           {"type", "array"},
                           {"minItems", 1},
                           {"items", by_full_name(false, list_or_one)}};
    OrderedJson include = {
        {"description", "Cases to append: the file's options with these over them."},
        {"type", "array"},
        {"minItems", 1},
        {"items", by_full_name(false, one)}};
    return {
        {"description",
         "Options that vary from case to case, by full names or by short ones that only one has."},
        {"type", "object"},
        {"minProperties", 1},
        {"additionalProperties", false},
        {"properties",
         {{"matrix", std::move(matrix)},
          {"zip", std::move(zip)},
          {"exclude", std::move(exclude)},
          {"include", std::move(include)}}}};
  }

  const Catalogue& catalogue_;
  std::vector<std::string> workload_names_;
  std::vector<std::string> all_names_;  // of options, in full
};

}  // namespace

std::string json_schema(const Catalogue& catalogue) {
  return SchemaMaker(catalogue).make().dump(1, ' ', false, OrderedJson::error_handler_t::replace) +
         "\n";
}

}  // namespace stepbench::catalogue
