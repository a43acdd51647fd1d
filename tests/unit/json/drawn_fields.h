// SPDX-License-Identifier: Apache-2.0
// Visitors of fields for tests: one draws values into a struct, one lists its fields.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "harness/json/fields.h"

namespace stepbench::testing {

class DrawnFields {
 public:
  static constexpr bool kReads = true;
  explicit DrawnFields(std::uint64_t seed) : random_(seed) {}

  template <typename T>
  DrawnFields& operator()(std::string_view, T& member, const json::FieldRule& = {}) {
    draw(member);
    return *this;
  }
  DrawnFields& constant(std::string_view, std::string_view) { return *this; }
  DrawnFields& series(std::string_view, Series& series) {
    series.names = {"step_ns", "flags"};
    series.columns.assign(2, {whole(), whole(), whole()});
    return *this;
  }
  DrawnFields& non_finite() { return *this; }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  std::int64_t whole() {
    constexpr std::int64_t kEnds[] = {std::numeric_limits<std::int64_t>::min(),
                                      std::numeric_limits<std::int64_t>::max(), 9007199254740993};
    return below(4) == 0 ? kEnds[below(3)] : static_cast<std::int64_t>(below(1000)) - 500;
  }
  std::string text() {
    const char* const kTexts[] = {"a", "\"\\\n\t\x01", "gr\xC3\xBCn \xF0\x9F\x98\x80", "1e400"};
    return kTexts[below(4)] + std::to_string(below(100));
  }

  template <typename T>
  void draw(T& member) {
    if constexpr (std::same_as<T, bool>) {
      member = below(2) == 0;
    } else if constexpr (std::same_as<T, std::int64_t>) {
      member = whole();
    } else if constexpr (std::integral<T>) {
      member = static_cast<T>(below(1000));
    } else if constexpr (std::floating_point<T>) {
      member = static_cast<double>(whole()) / 7;
    } else if constexpr (NamedEnum<T>) {
      member = static_cast<T>(below(names_of(T{}).size()));
    } else if constexpr (std::same_as<T, std::string>) {
      member = text();
    } else if constexpr (std::same_as<T, Value>) {
      const Value kValues[] = {{}, true, whole(), 0.1, text()};
      member = kValues[below(5)];
    } else if constexpr (json::kIsOptional<T>) {
      if (below(3) != 0) draw(member.emplace());
    } else if constexpr (json::HasFields<T>) {
      fields(*this, member);
    } else if constexpr (json::kIsList<T>) {
      for (int i = 0; i < 2; ++i) draw(member.emplace_back());
    } else if constexpr (requires { member[""]; }) {
      for (int i = 0; i < 5; ++i) draw(member[text()]);
    } else if constexpr (requires { member.emplace_back("", ""); }) {
      for (int i = 0; i < 2; ++i) member.emplace_back(text(), text());
    }
  }

  std::mt19937_64 random_;
};

// The names of fields with the minor version that added each.
class FieldNames {
 public:
  static constexpr bool kReads = true;

  template <typename T>
  FieldNames& operator()(std::string_view field, T& member, const json::FieldRule& rule = {}) {
    names_[std::string(field)] = rule.since;
    if (!rule.also.empty()) names_[std::string(rule.also)] = rule.since;
    if constexpr (json::HasFields<T>) {
      fields(*this, member);
    } else if constexpr (json::kIsList<T>) {
      if constexpr (json::HasFields<typename T::value_type>) fields(*this, member.emplace_back());
    }
    return *this;
  }
  FieldNames& constant(std::string_view field, std::string_view) {
    names_[std::string(field)] = 0;
    return *this;
  }
  FieldNames& series(std::string_view length, Series&) {
    for (const std::string_view each :
         {length, std::string_view("columns"), std::string_view("values")}) {
      names_[std::string(each)] = 0;
    }
    return *this;
  }
  FieldNames& non_finite() { return constant("non_finite", ""); }
  [[nodiscard]] const std::map<std::string, int>& names() const { return names_; }

 private:
  std::map<std::string, int> names_ = {};
};

}  // namespace stepbench::testing
