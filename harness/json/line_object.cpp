// SPDX-License-Identifier: Apache-2.0
#include "harness/json/line_object.h"

#include <simdjson.h>

#include <bit>
#include <limits>
#include <new>
#include <string>

#include "harness/base/format.h"

namespace stepbench::json {
namespace {

namespace dom = simdjson::dom;

using ElementHandle = std::array<std::uintptr_t, 2>;
static_assert(sizeof(dom::element) == sizeof(ElementHandle) &&
              std::is_trivially_copyable_v<dom::element>);

dom::element element_of(const ElementHandle& handle) { return std::bit_cast<dom::element>(handle); }
ElementHandle handle_of(dom::element element) { return std::bit_cast<ElementHandle>(element); }

template <typename T>
std::optional<T> if_of_type(simdjson::simdjson_result<T> result) {
  T value{};
  if (std::move(result).get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

// Converts the value of `field`/`key`; the place is only built for an error.
Value plain_value(const JsonView& view, std::string_view field, std::string_view key,
                  Nested nested) {
  if (const auto string = view.text()) return std::string(*string);
  if (const auto whole = view.integer()) return *whole;
  if (view.is_null()) return {};
  if (const auto truth = view.flag()) return *truth;
  const auto refuse = [&](std::string_view wanted) {
    wrong_type(std::string(field).append("/").append(key), wanted, view);
  };
  const bool is_nested = view.type() == "an array" || view.type() == "an object";
  if (is_nested && nested == Nested::kAsText) return view.json();
  if (is_nested) refuse("null, true, false, a number or a string");
  if (view.type() != "a fraction") refuse("within 64 bits");
  return *view.number();
}

// True if plain_value() would return `value`; does not copy a text.
bool is_value(const JsonView& view, const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return view.text() == *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return view.integer() == *whole;
  if (const auto* truth = std::get_if<bool>(&value)) return view.flag() == *truth;
  const auto* real = std::get_if<double>(&value);
  if (real == nullptr) return view.is_null();
  const auto number = view.number();
  return !view.integer() && number &&
         std::bit_cast<std::uint64_t>(*number) == std::bit_cast<std::uint64_t>(*real);
}

}  // namespace

void wrong_type(std::string_view field, std::string_view wanted, const JsonView& value) {
  throw FieldError(field, formatted("must be {}, is {}", wanted, value.type()));
}

bool JsonView::is_null() const { return element_of(handle_).is_null(); }

std::optional<std::string_view> JsonView::text() const {
  return if_of_type(element_of(handle_).get_string());
}

std::optional<std::int64_t> JsonView::integer() const {
  return if_of_type(element_of(handle_).get_int64());
}

std::optional<double> JsonView::number() const {
  return if_of_type(element_of(handle_).get_double());
}

std::optional<std::uint64_t> JsonView::natural() const {
  return if_of_type(element_of(handle_).get_uint64());
}

Value JsonView::plain() const {
  if (const auto string = text()) return std::string(*string);
  if (const auto whole = integer()) return *whole;
  if (const auto truth = flag()) return *truth;
  if (const auto real = number()) return *real;
  return {};
}

std::optional<bool> JsonView::flag() const { return if_of_type(element_of(handle_).get_bool()); }

std::optional<std::vector<JsonView>> JsonView::elements() const {
  dom::array array;
  if (element_of(handle_).get_array().get(array) != simdjson::SUCCESS) return std::nullopt;
  std::vector<JsonView> all;
  for (const dom::element each : array) all.push_back(JsonView(handle_of(each)));
  return all;
}

std::optional<LineObject> JsonView::object() const {
  if (!element_of(handle_).is_object()) return std::nullopt;
  return LineObject(*this);
}

std::string_view JsonView::type() const {
  switch (element_of(handle_).type()) {
    case dom::element_type::ARRAY:
      return "an array";
    case dom::element_type::OBJECT:
      return "an object";
    case dom::element_type::INT64:
      return "an integer";
    case dom::element_type::UINT64:
      return "an integer beyond 64 bits with sign";
    case dom::element_type::DOUBLE:
      return "a fraction";
    case dom::element_type::STRING:
      return "a string";
    case dom::element_type::BOOL:
      return "a boolean";
    case dom::element_type::NULL_VALUE:
      return "null";
  }
  return "unknown";
}

std::string JsonView::json() const { return simdjson::minify(element_of(handle_)); }

std::optional<JsonView> LineObject::find(std::string_view field) const {
  dom::element value;
  if (element_of(view_.handle_)[field].get(value) != simdjson::SUCCESS) return std::nullopt;
  return JsonView(handle_of(value));
}

std::vector<std::pair<std::string_view, JsonView>> LineObject::members() const {
  std::vector<std::pair<std::string_view, JsonView>> all;
  dom::object object;
  if (element_of(view_.handle_).get_object().get(object) != simdjson::SUCCESS) return all;
  for (const auto& [key, value] : object) {
    all.emplace_back(key, JsonView(handle_of(value)));
  }
  return all;
}

std::string LineObject::text(std::string_view field) const {
  const auto value = find(field);
  if (!value) return {};
  const auto view = value->text();
  if (!view) wrong_type(field, "a string", *value);
  return std::string(*view);
}

std::optional<LineObject> LineObject::object(std::string_view field) const {
  const auto value = find(field);
  if (!value) return std::nullopt;
  auto inner = value->object();
  if (!inner) wrong_type(field, "an object", *value);
  return inner;
}

Fields LineObject::fields(std::string_view field, Nested nested) const {
  const auto inner = object(field);
  if (!inner) return {};
  Fields::Map all;
  for (const auto& [key, value] : inner->members()) {
    all.emplace_hint(all.end(), key, plain_value(value, field, key, nested));
  }
  return Fields(std::move(all));
}

std::optional<OptionValues> LineObject::options_like(const OptionValues& like,
                                                     std::string_view field) const {
  const auto inner = object(field);
  dom::object members;
  if (!inner || !like.is_shared()) return std::nullopt;
  if (element_of(inner->view_.handle_).get_object().get(members) != simdjson::SUCCESS ||
      members.size() != like.size()) {
    return std::nullopt;
  }
  OptionValues options = like;
  std::size_t slot = 0;
  auto known = like.begin();
  for (const auto& [key, member] : members) {
    const auto& [name, value] = *known;
    if (name != key) return std::nullopt;
    const JsonView view(handle_of(member));
    if (!is_value(view, value)) {
      options.change_slot(slot) = plain_value(view, field, key, Nested::kAsText);
    }
    ++known;
    ++slot;
  }
  options.shrink_to_fit();
  return options;
}

struct LineParser::Memory {
  dom::parser tree;
  std::string line;
};

LineParser::LineParser(std::size_t max_depth) : memory_(std::make_unique<Memory>()) {
  constexpr std::size_t kFirstCapacity = 4096;
  if (memory_->tree.allocate(kFirstCapacity, max_depth) != simdjson::SUCCESS) {
    throw std::bad_alloc();
  }
}

LineParser::~LineParser() = default;

bool LineParser::is_json(std::string_view line) {
  return memory_->tree.parse(line.data(), line.size(), false).error() == simdjson::SUCCESS;
}

std::optional<JsonView> LineParser::parse_value(std::string_view text) {
  dom::element root;
  if (memory_->tree.parse(text.data(), text.size(), true).get(root) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  return JsonView(handle_of(root));
}

LineParser::Line LineParser::parse(std::string_view line, Padding padding) {
  // Numbers are parsed separately; `null` replaces them in the rest of the line.
  constexpr std::string_view kSamples = R"({"kind":"samples",)";
  constexpr std::string_view kOps = R"({"kind":"ops",)";
  constexpr std::string_view kValues = R"(],"values":)";
  std::optional<NumberArrays> numbers;
  const std::size_t found = line.starts_with(kSamples) || line.starts_with(kOps)
                                ? line.find(kValues)
                                : std::string_view::npos;
  if (found != std::string_view::npos) {
    const std::size_t start = found + kValues.size();
    numbers = parse_number_arrays(line.substr(start));
    memory_->line.assign(line.substr(0, start)).append("null").append(numbers->tail);
    memory_->line.append(kPadding, '\0');
    line = std::string_view(memory_->line).substr(0, memory_->line.size() - kPadding);
    padding = Padding::kReadable;
  }
  dom::element root;
  const auto error =
      memory_->tree.parse(line.data(), line.size(), padding == Padding::kNone).get(root);
  if (error != simdjson::SUCCESS) {
    throw LineError(std::string("not valid JSON: ") + simdjson::error_message(error));
  }
  const JsonView view(handle_of(root));
  const auto object = view.object();
  if (!object) throw LineError("expected a JSON object, found " + std::string(view.type()));
  Line parsed{.object = *object};
  if (numbers) parsed.numbers = std::move(numbers->values);
  return parsed;
}

namespace {

class NumberParser {
 public:
  explicit NumberParser(std::string_view text)
      : at_(text.data()), end_(text.data() + text.size()) {}

  NumberArrays parse() {
    NumberArrays arrays;
    expect('[');
    if (!accept(']')) {
      do {
        std::vector<std::int64_t>& values = arrays.values.emplace_back();
        if (array_ > 0) values.reserve(arrays.values.front().size());
        parse_array(values);
        ++array_;
      } while (accept(','));
      expect(']');
    }
    arrays.tail = {at_, static_cast<std::size_t>(end_ - at_)};
    return arrays;
  }

 private:
  void parse_array(std::vector<std::int64_t>& values) {
    expect('[');
    if (accept(']')) return;
    do {
      element_ = values.size();
      values.push_back(parse_integer());
    } while (accept(','));
    expect(']');
  }

  std::int64_t parse_integer() {
    skip_blanks();
    const bool negative = *at_ == '-';
    if (negative) ++at_;
    const char* const first = at_;
    std::uint64_t number = 0;
    unsigned digit = 0;
    while ((digit = static_cast<unsigned>(static_cast<unsigned char>(*at_)) - '0') < 10) {
      number = number * 10 + digit;  // wraps only beyond 19 digits, which are rejected below
      ++at_;
    }
    const auto digits = at_ - first;
    const auto limit =
        static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) + (negative ? 1U : 0U);
    if (digits == 0 || (digits > 1 && *first == '0') || digits > 19 || number > limit ||
        *at_ == '.' || *at_ == 'e' || *at_ == 'E') {
      fail("expected a 64-bit integer");
    }
    return static_cast<std::int64_t>(negative ? 0 - number : number);
  }

  void skip_blanks() {
    while (*at_ == ' ' || *at_ == '\t' || *at_ == '\r') ++at_;
  }
  bool accept(char wanted) {
    if (*at_ != wanted) skip_blanks();
    if (*at_ != wanted || at_ >= end_) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail(formatted("not valid JSON: expected '{}'", wanted));
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw LineError(formatted("field 'values', array {}, value {}: {}", array_, element_, what));
  }

  const char* at_;
  const char* end_;
  std::size_t array_ = 0;
  std::size_t element_ = 0;
};

}  // namespace

NumberArrays parse_number_arrays(std::string_view text) { return NumberParser(text).parse(); }

}  // namespace stepbench::json
