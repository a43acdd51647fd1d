// SPDX-License-Identifier: Apache-2.0
// Results of each JSON reader for foreign JSON: one table, data/odd_json.txt.
#include <cstdlib>
#include <variant>

#include "harness/base/error.h"
#include "harness/catalogue/json.h"
#include "harness/protocol/messages.h"
#include "harness/record/input.h"
#include "harness/record/internal/line_codec.h"
#include "harness/report/exports.h"
#include "tests/testing.h"

namespace stepbench::json {
namespace {

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

struct Odd {
  std::string name;
  std::string value;        // in place of a value
  std::string before = {};  // before the whole text
  std::string behind = {};
};

std::vector<Odd> odd_values() {
  constexpr int kDeep = 100'000;
  return {{"2^53 + 1", "9007199254740993"},
          {"2^53 + 1 as a real", "9007199254740993.0"},
          {"2^63 - 1", "9223372036854775807"},
          {"2^63", "9223372036854775808"},
          {"2^64", "18446744073709551616"},
          {"-2^63 - 1", "-9223372036854775809"},
          {"1e400", "1e400"},
          {"1.0", "1.0"},
          {"1e2", "1e2"},
          {"-0", "-0"},
          {"-0.0", "-0.0"},
          {"01", "01"},
          {"NaN", "NaN"},
          {"Infinity", "Infinity"},
          {"an escaped NUL", R"("a\u0000b")"},
          {"a pair of surrogates", R"("\ud83d\ude00")"},
          {"a high surrogate alone", R"("\ud800")"},
          {"a low surrogate alone", R"("\udc00")"},
          {"a byte that is no UTF-8", "\"a\xFF\""},
          {"a surrogate in UTF-8", "\"\xED\xA0\x80\""},
          {"a raw tab", "\"a\tb\""},
          {"an unknown escape", R"("\x")"},
          {"a list", "[1, 2]"},
          {"an object", R"({"a": 1})"},
          {"a key twice", R"(1,"KEY":2)"},
          {"no value", ""},
          {"a trailing comma", "1,"},
          {"a comment", "1/* one */"},
          {"depth 1000", repeated("[", 1000) + repeated("]", 1000)},
          {"depth 100000", repeated("[", kDeep) + repeated("]", kDeep)},
          {"depth 100000, not closed", repeated("[", kDeep)},
          {"a byte order mark", "1", "\xEF\xBB\xBF"},
          {"blanks around", "1", " \t", " \t"},
          {"text behind", "1", "", " x"},
          {"a second object behind", "1", "", "{}"}};
}

std::string typed(const Value& value) {
  constexpr std::string_view kTypes[] = {"null", "flag ", "integer ", "real ", "text "};
  return std::string(kTypes[value.index()]) + (is_null(value) ? "" : to_text(value));
}

std::string padded(std::string text) {
  text.append(record::Input::kPadding, '\0');
  return text;
}

record::Row row_of(const std::string& line) {
  const std::string bytes = padded(line);
  return record::LineDecoder().decode(std::string_view(bytes).substr(0, line.size()));
}

// The value as the member `key` of the surrounding text.
std::string text_of(const Odd& odd, const std::string& around, const std::string& key,
                    const std::string& end) {
  std::string value = odd.value;
  if (const std::size_t again = value.find("KEY"); again != std::string::npos) {
    value.replace(again, 3, key);
  }
  return odd.before + around + '"' + key + "\":" + value + end + odd.behind;
}

std::string fact_in_result(const Odd& odd) {
  const record::Row row =
      row_of(text_of(odd, R"({"kind":"worker","worker_id":"w","environment":{)", "v", "}}"));
  return typed(std::get<record::WorkerRow>(row).environment.at("v"));
}

std::string integer_in_result(const Odd& odd) {
  const record::Row row = row_of(text_of(odd, R"({"kind":"end",)", "measured", "}"));
  return typed(std::get<record::EndRow>(row).measured);
}

std::string metric_in_result(const Odd& odd) {
  const record::Row row = row_of(text_of(
      odd, R"({"kind":"launch","case_id":"c","outcome":"measured","metrics":{)", "v", "}}"));
  const auto& value = std::get<record::LaunchRow>(row).report.metrics.at("v");
  return value ? typed(*value) : "null";
}

std::string software_of_worker(const Odd& odd) {
  const auto message = protocol::decode_worker(text_of(
      odd, R"({"kind":"hello","protocol":[1,1],"build_id":"b","pid":1,"software":{)", "v", "}}"));
  return typed(std::get<protocol::Hello>(message).software.at("v"));
}

std::string default_in_catalogue(const Odd& odd) {
  const std::string type = odd.value.starts_with('"') ? "string" : "number";
  const Catalogue catalogue = catalogue::catalogue_from_json(
      text_of(odd,
              R"({"stepbench_catalogue":1,"sections":[{"name":"s","options":[{"name":"o",)"
              R"("doc":"d","type":")" +
                  type + "\",",
              "default", "}]}]}"),
      "worker");
  return typed(catalogue.find_option("s.o")->default_value);
}

std::string without_text(const Odd& odd) {
  std::string text = report::json_without_text(text_of(odd, "{", "id", "}"), Catalogue{});
  text.pop_back();
  return text;
}

// Escapes non-ASCII text and shortens it.
std::string shown(const std::string& answer) {
  constexpr std::size_t kShown = 90;
  std::string text;
  for (const char c : answer.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F) {
      text += c;
    } else {
      constexpr std::string_view kHex = "0123456789ABCDEF";
      text += std::string("\\x") + kHex[byte >> 4U] + kHex[byte & 15U];
    }
  }
  return text + (answer.size() > kShown ? "..." : "");
}

std::string table() {
  const std::vector<std::pair<std::string, std::string (*)(const Odd&)>> readers = {
      {"a fact in a result file", fact_in_result},
      {"an integer in a result file", integer_in_result},
      {"a metric in a result file", metric_in_result},
      {"a fact in a worker's message", software_of_worker},
      {"a default in a catalogue", default_in_catalogue},
      {"JSON without its texts", without_text}};
  std::string text;
  for (const auto& [name, read] : readers) {
    text += name + "\n";
    for (const Odd& odd : odd_values()) {
      std::string answer;
      try {
        answer = read(odd);
      } catch (const Error& error) {
        answer = std::string("refused: ") + error.what();
      }
      text += "  " + odd.name + ": " + shown(answer) + "\n";
    }
  }
  return text;
}

TEST(OddJson, RecordedTexts_AreReadAsBefore) {
  const std::string file = STEPBENCH_SOURCE_DIR "/tests/unit/json/data/odd_json.txt";
  const std::string answers = table();
  if (std::getenv("STEPBENCH_APPROVE") != nullptr) std::ofstream(file) << answers;
  std::ostringstream recorded;
  recorded << std::ifstream(file).rdbuf();
  EXPECT_EQ(answers, recorded.str());
}

}  // namespace
}  // namespace stepbench::json
