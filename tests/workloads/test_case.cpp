// SPDX-License-Identifier: Apache-2.0
#include "tests/workloads/test_case.h"

#include <charconv>

#include "workloads/built_in.h"

namespace stepbench::test {
namespace {

void add_defaults(ResolvedCase& resolved, const std::string& section,
                  const std::vector<Option>& options) {
  for (const Option& option : options) {
    const std::string name = section.empty() ? option.name : section + "." + option.name;
    if (resolved.options.find(name) == resolved.options.end()) {
      resolved.options[name] = option.default_value;
    }
  }
}

Value value_of(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return text;
  if (text.find('.') != std::string::npos) return number;
  return static_cast<std::int64_t>(number);
}

}  // namespace

ResolvedCase train_case(const Options& set) {
  ResolvedCase resolved;
  resolved.case_id = "test";
  resolved.workload = set.contains("workload") ? std::get<std::string>(set.at("workload"))
                                               : std::string("train_step");
  resolved.options["device"] = std::string("cpu");
  for (const auto& [name, value] : set) resolved.options[name] = value;
  for (const Section& section : built_in_catalogue().sections) {
    add_defaults(resolved, section.name, section.options);
    for (const Variant& variant : section.variants) {
      const std::string selector = section.name + "." + section.selector;
      if (resolved.has(selector) && resolved.text(selector) == variant.name) {
        add_defaults(resolved, section.name, variant.options);
      }
    }
  }
  return resolved;
}

Options tiny_images(const std::string& model) {
  return {{"data.kind", std::string("synthetic")},  {"data.image_size", std::int64_t{32}},
          {"data.samples", std::int64_t{32}},       {"loader.batch_size", std::int64_t{8}},
          {"loader.engine", std::string("inline")}, {"model.kind", model},
          {"model.size", std::string("tiny")}};
}

void set_option(Options& options, const std::string& text) {
  const std::size_t equals = text.find('=');
  options[text.substr(0, equals)] = value_of(text.substr(equals + 1));
}

}  // namespace stepbench::test
