// SPDX-License-Identifier: Apache-2.0
// Reads one line of JSON, and describes its errors. LineParser keeps its memory between lines: use
// one for each file or connection, on one thread; it returns views that live until it reads its
// next line. Arrays of arrays of integers, nearly all bytes of a result file, have a parser of
// their own.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/option_values.h"
#include "harness/base/value.h"

namespace stepbench::json {

class LineObject;

// One value of a line. Getters return nullopt if the value is of another type.
class JsonView {
 public:
  [[nodiscard]] bool is_null() const;
  [[nodiscard]] std::optional<std::string_view> text() const;
  [[nodiscard]] std::optional<std::int64_t> integer() const;   // without fraction or exponent
  [[nodiscard]] std::optional<double> number() const;          // also accepts an integer
  [[nodiscard]] std::optional<std::uint64_t> natural() const;  // up to 2^64 - 1
  [[nodiscard]] std::optional<bool> flag() const;
  [[nodiscard]] Value plain() const;  // null also for a list or an object
  [[nodiscard]] std::optional<std::vector<JsonView>> elements() const;
  [[nodiscard]] std::optional<LineObject> object() const;
  [[nodiscard]] std::string_view type() const;  // "an array", "a string", "null"
  [[nodiscard]] std::string json() const;       // as text without blanks

 private:
  friend class LineObject;
  friend class LineParser;
  using Handle = std::array<std::uintptr_t, 2>;  // the parser library's handle
  explicit JsonView(Handle handle) : handle_(handle) {}
  Handle handle_;
};

// Conversion of a list or an object where a plain value is expected.
enum class Nested : std::uint8_t { kAsText, kRefused };

// Fields of one object; fields.h reads those that a struct declares. An absent field gives its
// default; a field of another type throws LineError naming it.
class LineObject {
 public:
  [[nodiscard]] std::optional<JsonView> find(std::string_view field) const;
  [[nodiscard]] std::vector<std::pair<std::string_view, JsonView>> members() const;

  [[nodiscard]] std::string text(std::string_view field) const;
  [[nodiscard]] std::optional<LineObject> object(std::string_view field) const;
  // The plain values of an object, by name.
  [[nodiscard]] Fields fields(std::string_view field, Nested nested = Nested::kAsText) const;
  // The same, if the names equal those that `like` shares, in order; else nullopt. Copies only the
  // values that differ.
  [[nodiscard]] std::optional<OptionValues> options_like(const OptionValues& like,
                                                         std::string_view field) const;

 private:
  friend class JsonView;
  friend class LineParser;
  explicit LineObject(JsonView view) : view_(view) {}
  JsonView view_;
};

class LineParser {
 public:
  static constexpr std::size_t kPadding = 64;  // bytes past a line's end that the parser may read
  static constexpr std::size_t kMaxDepth = 1024;  // nested lists and objects

  struct Line {
    LineObject object;
    // The integers of the field "values", if the line begins like our lines of numbers; the field
    // is then null.
    std::optional<std::vector<std::vector<std::int64_t>>> numbers = {};
  };
  enum class Padding : std::uint8_t { kReadable, kNone };

  explicit LineParser(std::size_t max_depth = kMaxDepth);
  LineParser(const LineParser&) = delete;
  LineParser& operator=(const LineParser&) = delete;
  ~LineParser();

  // '\n' or NUL must follow the line; with kReadable, also kPadding readable bytes. Throws
  // LineError if it is not a JSON object.
  [[nodiscard]] Line parse(std::string_view line, Padding padding);
  [[nodiscard]] bool is_json(std::string_view line);  // complete; padded
  // Parses a whole document of any type; nullopt if it is not JSON. Views are valid as those of a
  // line.
  [[nodiscard]] std::optional<JsonView> parse_value(std::string_view text);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

// An unusable line: not JSON, not written by stepbench, of a later major version, or with an
// unusable field.
class LineError : public Error {
 public:
  using Error::Error;
};

// A field is missing or unusable. Its place also names the objects and elements around it:
// "findings/0/places/1/step".
class FieldError : public LineError {
 public:
  FieldError(std::string_view place, std::string_view problem)
      : LineError("field '" + std::string(place) + "' " + std::string(problem)),
        place_(place),
        problem_(problem) {}
  [[nodiscard]] const std::string& place() const { return place_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  std::string place_;
  std::string problem_;
};

// "field 'x' must be a string, is null"
[[noreturn]] void wrong_type(std::string_view field, std::string_view wanted,
                             const JsonView& value);

// A field holds a name unknown to this version.
class UnknownName : public FieldError {
 public:
  UnknownName(std::string_view field, std::string_view name, const std::string& known,
              const std::string& hint = {})
      : FieldError(field, "is '" + std::string(name) + "'; known: " + known + hint),
        name_(name),
        known_(known) {}
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& known() const { return known_; }  // "timing, native"

 private:
  std::string name_;
  std::string known_;
};

struct NumberArrays {
  std::vector<std::vector<std::int64_t>> values;
  std::string_view tail;  // text after the outer closing bracket
};

// Reads `[[1,2],[3,4]]`, strict JSON integers within 64 bits. The text must be followed by a byte
// that JSON does not allow there ('\n' or NUL). Throws LineError naming array and element.
[[nodiscard]] NumberArrays parse_number_arrays(std::string_view text);

}  // namespace stepbench::json
