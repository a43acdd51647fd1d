// SPDX-License-Identifier: Apache-2.0
#include "harness/catalogue/json.h"

#include <map>
#include <nlohmann/json.hpp>

#include "harness/base/digest.h"

namespace stepbench::catalogue {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson value_json(const Value& value) {
  return std::visit(
      [](const auto& typed) -> OrderedJson {
        if constexpr (std::is_same_v<std::decay_t<decltype(typed)>, std::monostate>) {
          return nullptr;
        } else {
          return typed;
        }
      },
      value);
}

const char* name_of(OptionType type) {
  switch (type) {
    case OptionType::kBool:
      return "bool";
    case OptionType::kInteger:
      return "integer";
    case OptionType::kNumber:
      return "number";
    case OptionType::kString:
      return "string";
    case OptionType::kEnum:
      return "enum";
    case OptionType::kPath:
      return "path";
  }
  return "";
}

const char* name_of(Requires::Op op) {
  switch (op) {
    case Requires::Op::kEqual:
      return "equal";
    case Requires::Op::kNotEqual:
      return "not_equal";
    case Requires::Op::kGreater:
      return "greater";
  }
  return "";
}

const char* name_of(Direction direction) {
  switch (direction) {
    case Direction::kLowerIsBetter:
      return "lower_is_better";
    case Direction::kHigherIsBetter:
      return "higher_is_better";
    case Direction::kNeither:
      return "neither";
  }
  return "";
}

const char* name_of(Role role) {
  switch (role) {
    case Role::kKey:
      return "key";
    case Role::kContext:
      return "context";
    case Role::kMetric:
      return "metric";
  }
  return "";
}

OrderedJson option_json(const Option& option) {
  const Option plain;
  OrderedJson json = {{"name", option.name}, {"type", name_of(option.type)}, {"doc", option.doc}};
  if (!option.unit.empty()) json["unit"] = option.unit;
  if (!is_null(option.default_value)) json["default"] = value_json(option.default_value);
  for (const auto& [variant, value] : option.default_in) {
    json["default_in"][variant] = value_json(value);
  }
  if (option.required) json["required"] = true;
  if (option.min != plain.min) json["min"] = option.min;
  if (option.max != plain.max) json["max"] = option.max;
  if (!option.choices.empty()) json["choices"] = option.choices;
  json["identity"] = option.identity == Identity::kKey ? "key" : "context";
  if (!is_null(option.identity_default)) {
    json["identity_default"] = value_json(option.identity_default);
  }
  if (option.requires_) {
    json["requires"] = {{"option", option.requires_->option},
                        {"op", name_of(option.requires_->op)},
                        {"value", value_json(option.requires_->value)},
                        {"doc", option.requires_->doc}};
  }
  if (!option.pattern.empty()) json["pattern"] = option.pattern;
  if (option.must_exist) json["must_exist"] = true;
  if (!option.pattern_words.empty()) json["pattern_words"] = option.pattern_words;
  if (!option.also_called.empty()) json["also_called"] = option.also_called;
  // In the order in which they are read again.
  const std::map<std::string, std::string> called(option.values_called.begin(),
                                                  option.values_called.end());
  if (!called.empty()) json["values_called"] = called;
  return json;
}

OrderedJson options_json(const std::vector<Option>& options) {
  OrderedJson json = OrderedJson::array();
  for (const Option& option : options) json.push_back(option_json(option));
  return json;
}

OrderedJson section_json(const Section& section) {
  OrderedJson json = {{"name", section.name}, {"doc", section.doc}};
  if (!section.selector.empty()) json["selector"] = section.selector;
  if (section.open) json["open"] = true;
  const std::map<std::string, std::string> elsewhere(section.elsewhere.begin(),
                                                     section.elsewhere.end());
  if (!elsewhere.empty()) json["elsewhere"] = elsewhere;
  json["options"] = options_json(section.options);
  for (const Variant& variant : section.variants) {
    json["variants"].push_back(
        {{"name", variant.name}, {"doc", variant.doc}, {"options", options_json(variant.options)}});
  }
  return json;
}

OrderedJson metric_json(const Metric& metric) {
  OrderedJson json = {{"name", metric.name},
                      {"unit", metric.unit},
                      {"role", name_of(metric.role)},
                      {"direction", name_of(metric.direction)},
                      {"doc", metric.doc}};
  if (metric.source != Source::kUnknown) json["source"] = name_of(metric.source);
  if (metric.exact || exact_by_unit(metric)) json["exact"] = metric.exact;
  return json;
}

OrderedJson workload_json(const WorkloadSpec& workload) {
  OrderedJson json = {
      {"name", workload.name}, {"doc", workload.doc}, {"sections", workload.sections}};
  for (const Phase& phase : workload.phases) {
    json["phases"].push_back({{"name", phase.name}, {"doc", phase.doc}});
  }
  for (const Metric& metric : workload.metrics) {
    json["metrics"].push_back(metric_json(metric));
  }
  return json;
}

}  // namespace

std::string to_json(const Catalogue& catalogue) {
  OrderedJson json = {{"stepbench_catalogue", kCatalogueVersion},
                      {"sections", OrderedJson::array()},
                      {"workloads", OrderedJson::array()}};
  for (const Section& section : catalogue.sections)
    json["sections"].push_back(section_json(section));
  for (const WorkloadSpec& workload : catalogue.workloads) {
    json["workloads"].push_back(workload_json(workload));
  }
  return json.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

std::string catalogue_digest(const Catalogue& catalogue) { return digest(to_json(catalogue)); }

}  // namespace stepbench::catalogue
