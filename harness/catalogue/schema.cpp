// SPDX-License-Identifier: Apache-2.0
#include "harness/catalogue/json.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>

#include "harness/catalogue/torch_names.h"
#include "harness/json/json_text.h"
#include "harness/text/names.h"
#include "harness/text/words.h"

namespace stepbench::catalogue {
namespace {

std::string full_name(const Section& section, const Option& option) {
  return section.name.empty() ? option.name : section.name + "." + option.name;
}

// A complete JSON value.
using Json = std::string;

Json text(std::string_view words) { return json::json_string(words); }

// Members in insertion order.
class Members {
 public:
  Members(std::initializer_list<std::pair<std::string, Json>> members = {}) : members_(members) {}
  void set(const std::string& name, Json json) {
    const auto found = std::ranges::find(members_, name, &std::pair<std::string, Json>::first);
    if (found == members_.end()) {
      members_.emplace_back(name, std::move(json));
    } else {
      found->second = std::move(json);
    }
  }
  [[nodiscard]] bool empty() const { return members_.empty(); }
  [[nodiscard]] Json object() const {
    json::JsonText json;
    json.open_object();
    for (const auto& [name, each] : members_) json.json(name, each);
    return json.close_object().take();
  }

 private:
  std::vector<std::pair<std::string, Json>> members_;
};

Json object(std::initializer_list<std::pair<std::string, Json>> members) {
  return Members(members).object();
}

Json list(const std::vector<Json>& elements) { return "[" + text::join(elements, ",") + "]"; }

Json texts(const std::vector<std::string>& words) {
  return "[" + text::join(words, ",", [](const std::string& each) { return text(each); }) + "]";
}

Json scalar(const Value& value) {
  json::JsonText json;
  return json.value({}, value).take();
}

void add_bound(Members& members, const char* name, double bound) {
  if (!std::isfinite(bound)) return;
  const bool is_whole = bound == std::floor(bound) && std::abs(bound) < 9e15;
  members.set(name, scalar(is_whole ? Value(static_cast<std::int64_t>(bound)) : Value(bound)));
}

Json typed(const Option& option) {
  switch (option.type) {
    case OptionType::kBool:
      return object({{"type", text("boolean")}});
    case OptionType::kEnum:
      return object({{"enum", texts(option.choices)}});
    case OptionType::kInteger:
    case OptionType::kNumber: {
      Members members = {{"type", text(name_of(option.type))}};
      add_bound(members, "minimum", option.min);
      add_bound(members, "maximum", option.max);
      return members.object();
    }
    case OptionType::kString:
      if (!option.pattern.empty()) {
        // YAML passes a number-like text without quotes as a number.
        const bool may_be_number = std::regex_match("0", std::regex(option.pattern));
        return object({{"type", may_be_number ? texts({"string", "number"}) : text("string")},
                       {"pattern", text("^(" + option.pattern + ")$")}});
      }
      return object({{"type", texts({"string", "number", "boolean"})}});
    case OptionType::kPath:
      return object({{"type", text("string")}, {"minLength", "1"}});
  }
  return "{}";
}

std::vector<Json> value_schema(const Option& option) {
  std::vector<Json> any = {typed(option)};
  if (option.type != OptionType::kEnum && !option.choices.empty()) {
    std::vector<Json> keywords;
    for (const std::string& choice : option.choices) keywords.push_back(text(choice));
    if (std::ranges::find(option.choices, "null") != option.choices.end()) {
      keywords.emplace_back("null");
    }
    any.push_back(object({{"enum", list(keywords)}}));
  }
  any.push_back(object({{"$ref", text("#/$defs/variable")}}));
  return any;
}

std::string description(const Option& option) {
  std::string text = option.doc;
  if (!option.unit.empty()) text += " Unit: " + option.unit + ".";
  if (option.requires_ && !option.requires_->doc.empty())
    text += " It " + option.requires_->doc + ".";
  return text;
}

// Adds torch's names for the option's values.
void add_torch_values(const std::string& full_name, std::vector<Json>& any) {
  const auto row = std::ranges::find(torch_names(), full_name, &TorchName::name);
  if (row == torch_names().end()) return;
  std::vector<Json> values;
  for (const TorchValue& value : row->values) {
    const bool bare = value.theirs == "null" || value.theirs == "0";
    values.push_back(bare ? Json(value.theirs) : text(value.theirs));
  }
  any.push_back(object({{"enum", list(values)}}));
}

// Merges all declarations of one name, which variants may share. If `any` is empty, it accepts the
// values of all of them.
Json option_schema(const std::string& full_name, const std::vector<const Option*>& declarations,
                   std::vector<Json> any = {}) {
  const Option& first = *declarations.front();
  Members members = {{"description", text(description(first))}};
  if (declarations.size() == 1 && !is_null(first.default_value) && first.default_in.empty()) {
    members.set("default", scalar(first.default_value));
  }
  if (any.empty()) {
    for (const Option* option : declarations) {
      for (Json& alternative : value_schema(*option)) {
        if (std::ranges::find(any, alternative) == any.end()) any.push_back(alternative);
      }
    }
  }
  add_torch_values(full_name, any);
  members.set("anyOf", list(any));
  return members.object();
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

  Json make() {
    Members properties;
    for (const Section& section : catalogue_.sections) {
      if (section.name.empty()) properties = options_of(section);
    }
    for (const Section& section : catalogue_.sections) {
      if (!section.name.empty()) properties.set(section.name, section_schema(section));
    }
    const bool has_model = catalogue_.find_option("model.precision") != nullptr;
    if (has_model) add_torch_names("", properties);
    for (const char* section : {"autocast", "grad_scaler"}) {
      Members members;
      if (has_model) add_torch_names(section, members);
      if (members.empty()) continue;
      properties.set(section, object({{"description", text("Torch's words for model.precision.")},
                                      {"type", text("object")},
                                      {"additionalProperties", "false"},
                                      {"properties", members.object()}}));
    }
    properties.set("sweep", sweep_schema());
    const auto required = [](const char* name) { return object({{"required", texts({name})}}); };
    return object(
        {{"$schema", text("https://json-schema.org/draft/2020-12/schema")},
         {"title", text("stepbench experiment")},
         {"type", text("object")},
         {"additionalProperties", "false"},
         {"anyOf", list({required("workload"), required("sweep")})},
         {"properties", properties.object()},
         {"allOf", variant_rules()},
         {"$defs",
          object({{"variable",
                   object({{"description", text("A value with ${NAME:-default} in it.")},
                           {"type", text("string")},
                           {"pattern", text("\\$\\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\\}")}})}})}});
  }

 private:
  // Adds torch's names for options of `section`; the planner checks their values.
  void add_torch_names(const std::string& section, Members& properties) const {
    for (const TorchName& row : torch_names()) {
      const std::size_t dot = row.name.find('.');
      const std::string_view of = dot == std::string_view::npos ? "" : row.name.substr(0, dot);
      if (of == section && is_another_name(row)) {
        properties.set(std::string(row.name.substr(dot + 1)), torch_schema(row));
      }
    }
  }

  [[nodiscard]] bool is_another_name(const TorchName& row) const {
    return catalogue_.find_option(row.name) == nullptr &&
           std::ranges::all_of(row.ours, [&](std::string_view option) {
             return catalogue_.find_option(option) != nullptr;
           });
  }

  static Json torch_schema(const TorchName& row) {
    return object({{"description",
                    text(row.ours.empty() ? "Torch's; what it is there without a word is accepted."
                                          : "Torch's name of " + text::join(row.ours) + ".")}});
  }

  [[nodiscard]] Json workload_values() const { return object({{"enum", texts(workload_names_)}}); }

  [[nodiscard]] Members options_of(const Section& section) const {
    Members properties;
    std::map<std::string, Members> groups;
    for (const auto& [name, declarations] : declarations_of(section)) {
      const std::size_t dot = name.find('.');
      if (dot == std::string::npos) {
        const bool is_workload = section.name.empty() && name == "workload";
        std::vector<Json> any;
        if (is_workload) any = {workload_values(), object({{"$ref", text("#/$defs/variable")}})};
        properties.set(name,
                       option_schema(full_name(section, *declarations.front()), declarations, any));
        continue;
      }
      Members& group = groups[name.substr(0, dot)];
      group.set(name.substr(dot + 1),
                option_schema(full_name(section, *declarations.front()), declarations));
      properties.set(name.substr(0, dot), object({{"type", text("object")},
                                                  {"additionalProperties", "false"},
                                                  {"properties", group.object()}}));
    }
    if (!section.name.empty()) add_torch_names(section.name, properties);
    return properties;
  }

  [[nodiscard]] Json section_schema(const Section& section) const {
    return object({{"description", text(section.doc)},
                   {"type", texts({"object", "null"})},
                   {"properties", options_of(section).object()},
                   {"additionalProperties", section.open ? plain_value() : "false"}});
  }

  static Json plain_value() { return object({{"type", texts({"string", "number", "boolean"})}}); }

  // Without a sweep, a file must not set options of other variants.
  [[nodiscard]] Json variant_rules() const {
    std::vector<Json> rules;
    const auto properties = [](const std::string& name, Json json) {
      return object({{"properties", object({{name, std::move(json)}})}});
    };
    for (const Section& section : catalogue_.sections) {
      for (const Variant& variant : section.variants) {
        Members refused;
        for (const auto& [name, declarations] : declarations_of(section)) {
          if (!belongs(section, variant, name)) refused.set(name, "false");
        }
        if (refused.empty()) continue;
        const Json is_variant = object(
            {{"properties", object({{section.selector, object({{"const", text(variant.name)}})}})},
             {"required", texts({section.selector})}});
        rules.push_back(object(
            {{"if", object({{"properties", object({{section.name, is_variant}})},
                            {"required", texts({section.name})},
                            {"not", object({{"required", texts({"sweep"})}})}})},
             {"then", properties(section.name, object({{"properties", refused.object()}}))}}));
      }
    }
    return list(rules);
  }

  static bool belongs(const Section& section, const Variant& variant, const std::string& name) {
    const auto named = [&](const Option& option) { return option.name == name; };
    return std::any_of(section.options.begin(), section.options.end(), named) ||
           std::any_of(variant.options.begin(), variant.options.end(), named);
  }

  template <typename Wrap>
  [[nodiscard]] Json by_full_name(const char* words, bool keys_only, Wrap wrap) const {
    Members properties;
    Members patterns;
    for (const Section& section : catalogue_.sections) {
      for (const auto& [name, declarations] : declarations_of(section)) {
        if (keys_only && declarations.front()->identity == Identity::kContext) continue;
        std::vector<Json> any;
        if (section.name.empty() && name == "workload") any = {workload_values()};
        const std::string full = full_name(section, *declarations.front());
        const Json value = wrap(option_schema(full, declarations, any));
        properties.set(full, value);
        if (text::matching_names(name, all_names_).size() == 1) properties.set(name, value);
      }
      if (!section.open) continue;
      patterns.set("^" + section.name + "\\..+$", wrap(plain_value()));
    }
    for (const TorchName& row : torch_names()) {
      if (row.ours.empty() || !is_another_name(row)) continue;
      properties.set(std::string(row.name), torch_schema(row));
      const std::string_view last = row.name.substr(row.name.find('.') + 1);
      if (!text::matching_names(last, all_names_).empty()) continue;
      properties.set(std::string(last), torch_schema(row));
    }
    Members members = {{"type", text("object")},
                       {"minProperties", "1"},
                       {"additionalProperties", "false"},
                       {"properties", properties.object()},
                       {"patternProperties", patterns.object()}};
    if (words != nullptr) members.set("description", text(words));
    return members.object();
  }

  [[nodiscard]] Json sweep_schema() const {
    const auto list_or_one = [](const Json& value) {
      return object(
          {{"anyOf",
            list(
                {value, object({{"type", text("array")}, {"minItems", "1"}, {"items", value}})})}});
    };
    const auto list_of = [](const char* words, const Json& items) {
      return object({{"description", text(words)},
                     {"type", text("array")},
                     {"minItems", "1"},
                     {"items", items}});
    };
    const auto one = [](const Json& value) { return value; };
    return object(
        {{"description", text("Options that vary from case to case, by full names or by short ones "
                              "that only one has.")},
         {"type", text("object")},
         {"minProperties", "1"},
         {"additionalProperties", "false"},
         {"properties",
          object({{"matrix", by_full_name("Every combination of the values.", true, list_or_one)},
                  {"zip", by_full_name("Lists of equal length that advance together.", false,
                                       list_or_one)},
                  {"exclude", list_of("Points of matrix x zip to leave out.",
                                      by_full_name(nullptr, false, list_or_one))},
                  {"include", list_of("Cases to append: the file's options with these over them.",
                                      by_full_name(nullptr, false, one))}})}});
  }

  const Catalogue& catalogue_;
  std::vector<std::string> workload_names_;
  std::vector<std::string> all_names_;  // full option names
};

}  // namespace

std::string json_schema(const Catalogue& catalogue) {
  return json::indented(SchemaMaker(catalogue).make()) + "\n";
}

}  // namespace stepbench::catalogue
