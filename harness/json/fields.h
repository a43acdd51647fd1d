// SPDX-License-Identifier: Apache-2.0
// A struct that goes to disk or over the wire declares its fields once, in its room's fields.h:
//
//   template <typename V>
//   void fields(V& v, json::Of<Stop> auto& stop) {
//     v("reason", stop.reason, json::kNeeded)("steps", stop.steps, json::kSparse);
//   }
//
// Writer, reader and tests visit it. An absent field, or null for a number, leaves the member's
// default. Members are flags, integers (an int is a count), numbers, texts, named enumerators,
// optionals of these, lists, objects of plain values, and structs with fields.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/base/named_values.h"
#include "harness/base/option_values.h"
#include "harness/base/series.h"
#include "harness/base/value.h"
#include "harness/json/json_text.h"
#include "harness/json/line_object.h"

namespace stepbench::json {

class AlikeOptions;

template <typename T, typename Struct>
concept Of = std::same_as<std::remove_const_t<T>, Struct>;

struct FieldRule {
  bool needed = false;      // error if absent
  bool filled = false;      // the same, also if it is an empty text
  bool sparse = false;      // omitted if empty
  bool written = true;      // false: omitted from this object
  bool known = true;        // false: an unknown name (of a later version) leaves the default
  bool below_zero = false;  // an int that may be negative
  std::size_t most_bytes = SIZE_MAX;   // maximum length of a text
  std::string_view also = {};          // an older name: also written; read if the new one is absent
  int since = 0;                       // the minor version that introduced it
  std::optional<double> null_is = {};  // for numbers: the value of null or an absent field
};
inline constexpr FieldRule kNeeded{.needed = true};
inline constexpr FieldRule kFilled{.filled = true};
inline constexpr FieldRule kSparse{.sparse = true};

template <typename T>
inline constexpr bool kIsList = false;
template <typename T>
inline constexpr bool kIsList<std::vector<T>> = true;
template <typename T>  // ordered name -> value pairs
inline constexpr bool kIsList<std::vector<std::pair<std::string, T>>> = false;
template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// FieldWriter stands for any visitor in the check for a fields() function.
class FieldWriter;
template <typename T>
concept HasFields = requires(FieldWriter& writer, const T& value) {
  fields(writer, value);
};

class FieldWriter {
 public:
  static constexpr bool kReads = false;
  explicit FieldWriter(JsonText& json) : json_(json) {}

  template <typename T>
  FieldWriter& operator()(std::string_view field, const T& value, const FieldRule& rule = {}) {
    if (!rule.written || (rule.sparse && is_empty(value))) return *this;
    put(field, value);
    if (!rule.also.empty()) put(rule.also, value);
    return *this;
  }
  FieldWriter& constant(std::string_view field, std::string_view text) {
    json_.text(field, text);
    return *this;
  }
  // Long columns of integers, with their length.
  FieldWriter& series(std::string_view length, const Series& series);
  // Writes numbers in objects that JSON cannot hold: the value itself is null, its spelling is
  // stored here under "object.name".
  FieldWriter& non_finite();

 private:
  template <typename T>
  static bool is_empty(const T& value) {
    if constexpr (kIsOptional<T>) {
      return !value;
    } else if constexpr (requires { value.empty(); }) {
      return value.empty();
    } else if constexpr (std::equality_comparable<T>) {
      return value == T{};
    } else {
      return false;
    }
  }

  template <typename T>
  void put(std::string_view field, const T& value) {
    if constexpr (requires { write_json(json_, field, value); }) {
      write_json(json_, field, value);
    } else if constexpr (std::same_as<T, bool>) {
      json_.flag(field, value);
    } else if constexpr (std::integral<T>) {
      json_.integer(field, static_cast<std::int64_t>(value));
    } else if constexpr (std::floating_point<T>) {
      json_.number(field, value);
    } else if constexpr (NamedEnum<T>) {
      json_.text(field, name_of(value));
    } else if constexpr (std::same_as<T, std::filesystem::path>) {
      json_.text(field, value.native());
    } else if constexpr (std::convertible_to<const T&, std::string_view>) {
      json_.text(field, value);
    } else if constexpr (std::same_as<T, Value>) {
      json_.value(field, value);
    } else if constexpr (kIsOptional<T>) {
      if (value) {
        put(field, *value);
      } else {
        json_.null(field);
      }
    } else if constexpr (HasFields<T>) {
      json_.open_object(field);
      FieldWriter inner(json_);
      fields(inner, value);
      json_.close_object();
    } else if constexpr (kIsList<T>) {
      json_.open_array(field);
      for (const auto& each : value) put({}, each);
      json_.close_array();
    } else {
      json_.open_object(field);
      for (const auto& [name, each] : value) {
        put(std::string_view(name), each);
        note(field, name, each);
      }
      json_.close_object();
    }
  }

  template <typename T>
  void note(std::string_view, const std::string&, const T&) {}
  void note(std::string_view object, const std::string& name, const Value& value);
  void note(std::string_view object, const std::string& name, const std::optional<double>& value);

  JsonText& json_;
  std::vector<std::pair<std::string, std::string_view>> facts_ = {};  // non-finite ones
  std::vector<std::pair<std::string, std::string_view>> metrics_ = {};
};

struct Reading {
  Nested nested = Nested::kAsText;
  AlikeOptions* alike = nullptr;  // shares options of many cases
  std::optional<std::vector<std::vector<std::int64_t>>>* numbers = nullptr;  // see LineParser::Line
};

// All functions throw LineError naming the field.
class FieldReader {
 public:
  static constexpr bool kReads = true;
  explicit FieldReader(const LineObject& in, const Reading& how = {}) : in_(in), how_(how) {}

  template <typename T>
  FieldReader& operator()(std::string_view field, T& member, const FieldRule& rule = {}) {
    if constexpr (std::same_as<T, double>) {
      if (rule.null_is) member = *rule.null_is;
    }
    if constexpr (std::same_as<T, Fields> || std::same_as<T, OptionValues>) {
      take_values(field, member);
    } else if (const auto view = find(field, rule)) {
      take(field, *view, member, rule);
    }
    return *this;
  }
  FieldReader& constant(std::string_view, std::string_view) { return *this; }
  FieldReader& series(std::string_view length, Series& series);
  FieldReader& non_finite() { return *this; }

 private:
  [[nodiscard]] std::optional<JsonView> find(std::string_view field, const FieldRule& rule) const;
  void take_values(std::string_view field, Fields& values) const;
  void take_values(std::string_view field, OptionValues& values) const;

  static void take(std::string_view field, const JsonView& view, bool& flag, const FieldRule& rule);
  static void take(std::string_view field, const JsonView& view, int& number,
                   const FieldRule& rule);
  static void take(std::string_view field, const JsonView& view, std::int64_t& number,
                   const FieldRule& rule);
  static void take(std::string_view field, const JsonView& view, std::size_t& number,
                   const FieldRule& rule);
  static void take(std::string_view field, const JsonView& view, double& number,
                   const FieldRule& rule);
  static void take(std::string_view field, const JsonView& view, std::string& text,
                   const FieldRule& rule);
  static void take(std::string_view field, const JsonView& view, std::vector<std::string>& texts,
                   const FieldRule& rule);
  static void take(std::string_view field, const JsonView& view, Value& value,
                   const FieldRule& rule);
  static void take(std::string_view field, const JsonView& view,
                   NamedValues<std::optional<double>>& numbers, const FieldRule& rule);

  template <typename T>
  void take(std::string_view field, const JsonView& view, std::optional<T>& member,
            const FieldRule& rule) {
    if (view.is_null()) return member.reset();
    take(field, view, member.emplace(), rule);
  }

  template <std::integral T>
  void take(std::string_view field, const JsonView& view, std::vector<T>& numbers,
            const FieldRule& rule) {
    const auto elements = view.elements();
    if (!elements) wrong_type(field, "an array of integers", view);
    numbers.clear();
    for (const JsonView& each : *elements) take(field, each, numbers.emplace_back(), rule);
  }

  template <NamedEnum T>
  void take(std::string_view field, const JsonView& view, T& member, const FieldRule& rule) {
    std::string name;
    take(field, view, name, rule);
    if (const auto found = one_of<T>(name)) {
      member = *found;
    } else if (rule.known) {
      unknown(field, name, names_of(T{}));
    }
  }
  [[noreturn]] static void unknown(std::string_view field, std::string_view name,
                                   std::span<const std::string_view> known);

  template <typename T>
  requires requires(const JsonView& view, T& value) { read_json("", view, value); }
  void take(std::string_view field, const JsonView& view, T& member, const FieldRule&) {
    read_json(field, view, member);
  }

  template <HasFields T>
  void take(std::string_view field, const JsonView& view, T& member, const FieldRule&) {
    const auto object = view.object();
    if (!object) wrong_type(field, "an object", view);
    within(field, [&] {
      FieldReader inner(*object, how_);
      fields(inner, member);
    });
  }

  template <HasFields T>
  void take(std::string_view field, const JsonView& view, std::vector<T>& all,
            const FieldRule& rule) {
    const auto elements = view.elements();
    if (!elements) wrong_type(field, "an array of objects", view);
    within(field, [&] {
      for (std::size_t i = 0; i < elements->size(); ++i) {
        take(std::to_string(i), (*elements)[i], all.emplace_back(), rule);
      }
    });
  }

  template <typename T>
  void take(std::string_view field, const JsonView& view,
            std::vector<std::pair<std::string, T>>& all, const FieldRule& rule) {
    const auto object = view.object();
    if (!object) wrong_type(field, "an object", view);
    within(field, [&] {
      for (const auto& [name, each] : object->members()) {
        take(name, each, all.emplace_back(name, T()).second, rule);
      }
    });
  }

  // Adds `field` to the place of errors.
  template <typename Read>
  static void within(std::string_view field, const Read& read) {
    try {
      read();
    } catch (const FieldError& error) {
      throw FieldError(std::string(field) + '/' + error.place(), error.problem());
    }
  }

  const LineObject& in_;
  Reading how_;
};

// Returns an object with these fields, as text.
template <HasFields T>
[[nodiscard]] std::string object_text(const T& value) {
  JsonText json;
  json.open_object();
  FieldWriter writer(json);
  fields(writer, value);
  return json.close_object().take();
}

template <HasFields T>
[[nodiscard]] T read(const LineObject& in, const Reading& how = {}) {
  T value{};
  FieldReader reader(in, how);
  fields(reader, value);
  return value;
}

// Reads one field; an absent one gives the type's default.
template <typename T>
[[nodiscard]] T read_field(const LineObject& in, std::string_view field,
                           const FieldRule& rule = {}) {
  T value{};
  FieldReader reader(in);
  reader(field, value, rule);
  return value;
}

// Reads a text that is one object. Throws LineError.
template <HasFields T>
[[nodiscard]] T read_text(const std::string& text, const Reading& how = {}) {
  LineParser parser;
  LineParser::Line line = parser.parse(text, LineParser::Padding::kNone);
  Reading own = how;
  own.numbers = &line.numbers;
  return read<T>(line.object, own);
}

// Returns the minor version of a stored file, whose members `schema` and `member` hold its schema
// and "MAJOR.MINOR.PATCH". Throws LineError for another schema, or another major version than that
// of `known`, the version that this program writes.
[[nodiscard]] int minor_version(const LineObject& in, std::string_view schema,
                                std::string_view known, std::string_view member = "version");
// Warns of a newer file, whose unknown fields are ignored; else empty.
[[nodiscard]] std::string newer_version_text(int minor, std::string_view known);

// Reads the options of many cases and shares common values: a file of a sweep has thousands of
// cases that differ in a few values. One thread.
class AlikeOptions {
 public:
  // Reads the object `field` of a line like LineObject::fields().
  [[nodiscard]] OptionValues read(const LineObject& source, std::string_view field);

 private:
  std::vector<OptionValues> known_;  // one per set of names, most recently used first
};

}  // namespace stepbench::json
