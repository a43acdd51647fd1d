// SPDX-License-Identifier: Apache-2.0
// One line of JSON, read. LineParser keeps its memory between lines: one for each file or
// connection, one thread. What it hands out are views that live until it reads its next line.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/option_values.h"
#include "harness/base/value.h"

namespace stepbench::json {

class LineObject;

// One value of a line. Getters give nullopt if the value is of another type.
class JsonView {
 public:
  [[nodiscard]] bool is_null() const;
  [[nodiscard]] std::optional<std::string_view> text() const;
  [[nodiscard]] std::optional<std::int64_t> integer() const;   // without fraction or exponent
  [[nodiscard]] std::optional<double> number() const;          // also an integer
  [[nodiscard]] std::optional<std::uint64_t> natural() const;  // up to 2^64 - 1
  [[nodiscard]] std::optional<bool> flag() const;
  [[nodiscard]] Value plain() const;  // null also of a list or an object
  [[nodiscard]] std::optional<std::vector<JsonView>> elements() const;
  [[nodiscard]] std::optional<LineObject> object() const;
  [[nodiscard]] std::string_view type() const;  // "an array", "a string", "null"
  [[nodiscard]] std::string json() const;       // as text without blanks

 private:
  friend class LineObject;
  friend class LineParser;
  using Handle = std::array<std::uintptr_t, 2>;  // of the parser's library
  explicit JsonView(Handle handle) : handle_(handle) {}
  Handle handle_;
};

// What a list or an object becomes where a plain value is expected.
enum class Nested : std::uint8_t { kAsText, kRefused };

// Fields of one object. An absent field has its default; a field of another type is a LineError
// that names it.
class LineObject {
 public:
  [[nodiscard]] std::optional<JsonView> find(std::string_view field) const;
  [[nodiscard]] std::vector<std::pair<std::string_view, JsonView>> members() const;

  [[nodiscard]] std::string text(std::string_view field) const;
  [[nodiscard]] std::string needed_text(std::string_view field) const;  // not empty
  [[nodiscard]] std::int64_t integer(std::string_view field, std::int64_t absent = 0) const;
  [[nodiscard]] int count(std::string_view field, int absent = 0) const;  // not negative
  [[nodiscard]] bool flag(std::string_view field) const;
  // Also of an integer; nothing where it is absent or null.
  [[nodiscard]] std::optional<double> number(std::string_view field) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view field) const;
  [[nodiscard]] std::optional<LineObject> object(std::string_view field) const;
  [[nodiscard]] std::optional<std::vector<JsonView>> array(std::string_view field) const;
  // The plain values of an object, by name.
  [[nodiscard]] Fields fields(std::string_view field, Nested nested = Nested::kAsText) const;
  // The same where its names are all those that `like` shares, in order; else nothing. It costs
  // only the values that differ.
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
  static constexpr std::size_t kPadding = 64;     // bytes that the parser may read behind a line
  static constexpr std::size_t kMaxDepth = 1024;  // of lists and objects in each other

  struct Line {
    LineObject object;
    // The integers of its field "values", where the line begins as ours with numbers do; null
    // stands in their place then.
    std::optional<std::vector<std::vector<std::int64_t>>> numbers = {};
  };
  enum class Padding : std::uint8_t { kReadable, kNone };

  explicit LineParser(std::size_t max_depth = kMaxDepth);
  LineParser(const LineParser&) = delete;
  LineParser& operator=(const LineParser&) = delete;
  ~LineParser();

  // Behind the line must stand '\n' or NUL; kReadable: and kPadding bytes that may be read. Throws
  // LineError when it is no JSON object.
  [[nodiscard]] Line parse(std::string_view line, Padding padding);
  [[nodiscard]] bool is_json(std::string_view line);  // whole, not cut; padded
  // Of a whole document, whatever it is; nullopt if it is not JSON. The views live as those of a
  // line.
  [[nodiscard]] std::optional<JsonView> parse_value(std::string_view text);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

// Throws LineError for a field that is not as wanted: "field 'x' must be a string, is null".
[[noreturn]] void wrong_type(std::string_view field, std::string_view wanted,
                             const JsonView& value);

}  // namespace stepbench::json
