// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/resolved_case.h"
#include "harness/rule.h"
#include "tests/testing.h"
#include "workloads/data/data_kinds.h"
#include "workloads/loader/loader_section.h"

namespace stepbench::test {

using OptionList = std::vector<std::pair<std::string, Value>>;

// A case with the defaults of the sections data and loader, changed by `changes`. Options without a
// meaning are kept, unlike in the planner.
inline ResolvedCase loader_case(const OptionList& changes) {
  ResolvedCase resolved;
  resolved.workload = "loader";
  for (const Section& section : {data::data_section(), loader::loader_section()}) {
    const auto add = [&](const std::vector<Option>& options) {
      for (const Option& option : options)
        resolved.options.emplace(section.name + "." + option.name, option.default_value);
    };
    add(section.options);
    for (const Variant& variant : section.variants) add(variant.options);
  }
  for (const auto& [name, value] : changes) resolved.options[name] = value;
  return resolved;
}

// A rule's messages about a case, and the resulting case.
struct Said {
  ResolvedCase resolved;
  std::vector<std::string> errors = {}, skips = {}, notes = {}, without_effect = {};
};
template <typename Rule>
Said said_by(const Rule& rule, ResolvedCase resolved, const RuleFacts& facts) {
  struct Sink final : RuleSink {
    explicit Sink(Said& into) : said(into) {}
    void error(std::string_view option, std::string reason) override {
      said.errors.push_back(std::string(option) + ": " + reason);
    }
    void skip(std::string reason) override { said.skips.push_back(std::move(reason)); }
    void note(std::string text) override { said.notes.push_back(std::move(text)); }
    void plan_note(std::string text) override { note(std::move(text)); }
    void no_effect(std::string_view option, std::string without) override {
      said.without_effect.push_back(std::string(option) + " without " + without);
    }
    Said& said;
  };
  Said said{std::move(resolved)};
  Sink sink(said);
  rule(said.resolved, facts, sink);
  return said;
}
template <typename Rule>
Said said_by(const Rule& rule, const OptionList& changes, const RuleFacts& facts) {
  return said_by(rule, loader_case(changes), facts);
}

}  // namespace stepbench::test
