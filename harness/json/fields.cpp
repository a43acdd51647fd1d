// SPDX-License-Identifier: Apache-2.0
#include "harness/json/fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "harness/base/format.h"
#include "harness/json/line_object.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::json {
namespace {

std::string_view spelling(double number) {
  if (std::isnan(number)) return "nan";
  return number > 0 ? "inf" : "-inf";
}

double non_finite_of(std::string_view spelling) {
  if (spelling == "inf") return std::numeric_limits<double>::infinity();
  if (spelling == "-inf") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

// Restores non-finite numbers of the member `object`, which JSON stores as null.
template <typename Values>
void restore(const LineObject& in, std::string_view object, Values& values) {
  const auto is_missing = [](const auto& each) { return stepbench::is_null(each.second); };
  if (std::none_of(values.begin(), values.end(), is_missing)) return;
  const auto all = in.object("non_finite");
  if (!all) return;
  const std::string prefix = std::string(object) + '.';
  for (const auto& [path, spelling] : all->members()) {
    if (!path.starts_with(prefix)) continue;
    const std::string name(path.substr(prefix.size()));
    const auto found = values.find(name);
    if (found == values.end() || !stepbench::is_null(found->second)) continue;
    values.insert_or_assign(name, Value(non_finite_of(spelling.text().value_or(""))));
  }
}

// The numbers of "MAJOR.MINOR.PATCH"; negative where there is none.
std::array<int, 2> major_and_minor(std::string_view text) {
  std::array<int, 2> numbers = {-1, -1};
  for (int& number : numbers) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) break;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.starts_with('.')) text.remove_prefix(1);
  }
  return numbers;
}

[[noreturn]] void out_of_range(std::string_view field, std::int64_t number) {
  throw FieldError(field, formatted("is out of range: {}", number));
}

// `length` is the columns' length as the field `name` says; negative: workers may omit it.
void check_shape(const Series& series, std::string_view name, std::int64_t length) {
  if (series.names.size() != series.columns.size()) {
    throw LineError(formatted("samples name {} columns and hold {} arrays", series.names.size(),
                              series.columns.size()));
  }
  for (std::size_t i = 0; i < series.names.size(); ++i) {
    const std::string& column = series.names[i];
    if (series.columns[i].size() != series.columns[0].size()) {
      throw LineError(formatted("column '{}' holds {} steps, column '{}' {}", column,
                                series.columns[i].size(), series.names[0],
                                series.columns[0].size()));
    }
    const auto here = series.names.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(series.names.begin(), here, column) != here) {
      throw LineError(formatted("duplicate column '{}'", column));
    }
  }
  const auto steps = static_cast<std::int64_t>(series.steps());
  if (length >= 0 && length != steps) {
    throw FieldError(name, formatted("says {}, the columns hold {}", length, steps));
  }
}

}  // namespace

FieldWriter& FieldWriter::series(std::string_view length, const Series& series) {
  json_.integer(length, static_cast<std::int64_t>(series.steps()));
  json_.texts("columns", series.names).open_array("values");
  for (const auto& column : series.columns) json_.integers({}, column);
  json_.close_array();
  return *this;
}

FieldWriter& FieldWriter::non_finite() {
  json_.open_object("non_finite");
  for (const auto& [path, spelling] : facts_) json_.text(path, spelling);
  for (const auto& [path, spelling] : metrics_) json_.text(path, spelling);
  json_.close_object();
  return *this;
}

void FieldWriter::note(std::string_view object, const std::string& name, const Value& value) {
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr || std::isfinite(*number)) return;
  facts_.emplace_back(std::string(object) + '.' + name, spelling(*number));
}

void FieldWriter::note(std::string_view object, const std::string& name,
                       const std::optional<double>& value) {
  if (value && std::isfinite(*value)) return;
  metrics_.emplace_back(std::string(object) + '.' + name, value ? spelling(*value) : "not finite");
}

FieldReader& FieldReader::series(std::string_view length, Series& series) {
  std::int64_t steps = -1;
  (*this)("columns", series.names)(length, steps);
  const auto values = in_.find("values");
  if (!values) throw FieldError("values", "is missing");
  if (how_.numbers != nullptr && *how_.numbers) {
    if (!values->is_null()) throw LineError("duplicate field 'values'");
    series.columns = std::move(**how_.numbers);
  } else {  // another member order, or blanks
    series.columns = parse_number_arrays(values->json()).values;
  }
  series.columns.shrink_to_fit();  // results hold many short ones
  check_shape(series, length, steps);
  return *this;
}

std::optional<JsonView> FieldReader::find(std::string_view field, const FieldRule& rule) const {
  auto view = in_.find(field);
  if (!view && !rule.also.empty()) view = in_.find(rule.also);
  if (rule.filled && (!view || view->text() == "")) throw FieldError(field, "is missing or empty");
  if (rule.needed && !view) throw FieldError(field, "is missing");
  return view;
}

void FieldReader::take_values(std::string_view field, Fields& values) const {
  values = in_.fields(field, how_.nested);
  restore(in_, field, values);
}

void FieldReader::take_values(std::string_view field, OptionValues& values) const {
  values = how_.alike != nullptr ? how_.alike->read(in_, field)
                                 : OptionValues(in_.fields(field, how_.nested));
  restore(in_, field, values);
}

void FieldReader::take(std::string_view field, const JsonView& view, bool& flag, const FieldRule&) {
  const auto truth = view.flag();
  if (!truth) wrong_type(field, "a boolean", view);
  flag = *truth;
}

void FieldReader::take(std::string_view field, const JsonView& view, int& number,
                       const FieldRule& rule) {
  std::int64_t whole = 0;
  take(field, view, whole, rule);
  const std::int64_t least = rule.below_zero ? std::numeric_limits<int>::min() : 0;
  if (whole < least || whole > std::numeric_limits<int>::max()) out_of_range(field, whole);
  number = static_cast<int>(whole);
}

void FieldReader::take(std::string_view field, const JsonView& view, std::int64_t& number,
                       const FieldRule&) {
  const auto whole = view.integer();
  if (!whole) wrong_type(field, "an integer", view);
  number = *whole;
}

void FieldReader::take(std::string_view field, const JsonView& view, std::size_t& number,
                       const FieldRule& rule) {
  std::int64_t whole = 0;
  take(field, view, whole, rule);
  if (whole < 0) out_of_range(field, whole);
  number = static_cast<std::size_t>(whole);
}

void FieldReader::take(std::string_view field, const JsonView& view, double& number,
                       const FieldRule&) {
  if (view.is_null()) return;
  const auto real = view.number();
  if (!real) wrong_type(field, "a number", view);
  number = *real;
}

void FieldReader::take(std::string_view field, const JsonView& view, std::string& text,
                       const FieldRule& rule) {
  const auto whole_text = view.text();
  if (!whole_text) wrong_type(field, "a string", view);
  if (whole_text->size() > rule.most_bytes) {
    throw FieldError(field,
                     formatted("is a name of {} bytes; names have {} at most",
                               text::with_separators(std::ssize(*whole_text)),
                               text::with_separators(static_cast<std::int64_t>(rule.most_bytes))));
  }
  text = *whole_text;
}

void FieldReader::take(std::string_view field, const JsonView& view,
                       std::vector<std::string>& texts, const FieldRule&) {
  const auto elements = view.elements();
  if (!elements) wrong_type(field, "an array of strings", view);
  texts.clear();
  texts.reserve(elements->size());
  for (const JsonView& each : *elements) {
    const auto text = each.text();
    if (!text) wrong_type(field, "an array of strings", each);
    texts.emplace_back(*text);
  }
}

void FieldReader::take(std::string_view field, const JsonView& view, Value& value,
                       const FieldRule&) {
  if (view.object() || view.elements()) {
    wrong_type(field, "null, true, false, a number or a string", view);
  }
  value = view.plain();
}

void FieldReader::take(std::string_view field, const JsonView& view,
                       NamedValues<std::optional<double>>& numbers, const FieldRule&) {
  const auto object = view.object();
  if (!object) wrong_type(field, "an object", view);
  NamedValues<std::optional<double>>::Map all;
  for (const auto& [name, each] : object->members()) {
    const std::optional<double> number = each.number();
    if (!number && !each.is_null()) {
      wrong_type(std::string(field).append("/").append(name), "a number or null", each);
    }
    all.emplace_hint(all.end(), name, number);
  }
  numbers = NamedValues(std::move(all));
}

void FieldReader::unknown(std::string_view field, std::string_view name,
                          std::span<const std::string_view> known) {
  std::vector<std::string> names(known.begin(), known.end());
  std::erase(names, "");
  throw UnknownName(field, name, text::join(names), text::did_you_mean(name, names));
}

OptionValues AlikeOptions::read(const LineObject& source, std::string_view field) {
  constexpr std::size_t kMaxKnownBatchSizes = 8;
  for (auto known = known_.begin(); known != known_.end(); ++known) {
    if (auto options = source.options_like(*known, field)) {
      std::rotate(known_.begin(), known, known + 1);
      return std::move(*options);
    }
  }
  OptionValues options(source.fields(field));
  if (options.empty()) return options;
  options.share();
  if (known_.size() == kMaxKnownBatchSizes) known_.pop_back();
  known_.insert(known_.begin(), options);
  return options;
}

int minor_version(const LineObject& in, std::string_view schema, std::string_view known,
                  std::string_view member) {
  const std::string own = in.text("schema");
  if (own != schema) throw LineError(formatted("schema '{}' is not '{}'", own, schema));
  const std::string version = in.text(member);
  const auto [major, minor] = major_and_minor(version);
  if (major < 0 || minor < 0) {
    throw LineError(formatted("schema version '{}' is not MAJOR.MINOR.PATCH", version));
  }
  const int expected = major_and_minor(known)[0];
  if (major == expected) return minor;
  throw LineError(
      formatted("written in schema {} {}; this program reads {}.x: use the stepbench that wrote "
                "it, or a newer one",
                own, version, expected));
}

std::string newer_version_text(int minor, std::string_view known) {
  const auto [own_major, own_minor] = major_and_minor(known);
  if (minor <= own_minor) return {};
  const std::string major = formatted("{}.", own_major);
  return formatted(
      "was written in the newer schema {}{}; what this program ({}{}) does not know was ignored",
      major, minor, major, own_minor);
}

}  // namespace stepbench::json
