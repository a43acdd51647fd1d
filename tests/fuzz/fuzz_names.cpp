// SPDX-License-Identifier: Apache-2.0
// Names that others chose, in all that is written for people and programs: each is read back as a
// reader of the format does.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "harness/json/json_text.h"
#include "harness/json/line_object.h"
#include "harness/text/csv.h"
#include "harness/text/html.h"
#include "harness/text/printable.h"
#include "harness/text/utf8.h"
#include "harness/text/xml.h"
#include "tests/fuzz/memory_file.h"

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

namespace {

bool has_none_of(const std::string& text, std::string_view characters) {
  return text.find_first_of(characters) == std::string::npos;
}

bool has_no_control(const std::string& text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n') || byte == 0x7F;
  });
}

// RFC 4180.
bool is_one_cell(const std::string& cell) {
  if (!cell.starts_with('"')) return has_none_of(cell, ",\"\r\n");
  if (cell.size() < 2 || !cell.ends_with('"')) return false;
  const std::string inside = cell.substr(1, cell.size() - 2);
  for (std::size_t at = 0; (at = inside.find('"', at)) != std::string::npos; at += 2) {
    if (at + 1 == inside.size() || inside[at + 1] != '"') return false;
  }
  return true;
}

bool has_bare_pipe(const std::string& cell) {
  for (std::size_t at = cell.find('|'); at != std::string::npos; at = cell.find('|', at + 1)) {
    std::size_t slashes = 0;
    while (slashes < at && cell[at - 1 - slashes] == '\\') ++slashes;
    if (slashes % 2 == 0) return true;
  }
  return false;
}

// Of HTML and XML.
std::string without_references(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, char>, 6> kReferences = {
      {{"&amp;", '&'},
       {"&lt;", '<'},
       {"&gt;", '>'},
       {"&quot;", '"'},
       {"&#39;", '\''},
       {"&#10;", '\n'}}};
  std::string plain;
  for (std::size_t at = 0; (at = text.find('&')) != std::string_view::npos;) {
    plain += text.substr(0, at);
    text.remove_prefix(at);
    const auto* const found = std::ranges::find_if(
        kReferences, [&](const auto& each) { return text.starts_with(each.first); });
    fuzz::require(found != kReferences.end(), "each & begins a reference");
    plain += found->second;
    text.remove_prefix(found->first.size());
  }
  return plain += text;
}

std::string without_backslashes(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    plain += text[at];
  }
  return plain;
}

std::string without_quotes(const std::string& cell) {
  if (!cell.starts_with('"')) return cell;
  std::string plain;
  for (std::size_t at = 1; at + 1 < cell.size(); ++at) {
    plain += cell[at];
    if (cell[at] == '"') ++at;
  }
  return plain;
}

// What XML forbids though it is visible.
std::string as_xml_allows(std::string text) {
  for (const std::string_view forbidden : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (std::size_t at = 0; (at = text.find(forbidden, at)) != std::string::npos;) {
      text.replace(at, forbidden.size(), text::kReplacementCharacter);
    }
  }
  return text;
}

void read_back(const std::string& name, const std::string& plain) {
  const std::string lines = text::printable(name, text::LineEnds::kKeep);
  fuzz::require(without_references(text::html_text(name)) == plain, "HTML is read back");
  fuzz::require(without_references(text::xml_text(name)) == as_xml_allows(lines),
                "XML is read back");
  fuzz::require(without_references(without_backslashes(text::markdown_cell(name))) == plain,
                "Markdown is read back");
  const std::string cell = without_quotes(text::csv_cell(name));
  fuzz::require(cell == lines || cell == "'" + lines, "CSV is read back");
  std::string line = json::JsonText().open_object().text("name", name).close_object().take();
  fuzz::require(text::printable(line) == line, "JSON shows its control characters");
  const std::string in_page = text::script_json(line);
  fuzz::require(has_none_of(in_page, "<\n"), "JSON of a page ends nothing");
  json::LineParser parser;
  for (const std::string& each : {line, in_page}) {
    const auto read = parser.parse(each, json::LineParser::Padding::kNone);
    fuzz::require(read.object.text("name") == text::to_valid_utf8(name), "JSON is read back");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string name(fuzz::text_of(data, size));
  const std::string plain = text::printable(name);
  fuzz::require(has_no_control(plain) && has_none_of(plain, "\n"), "a line stays a line");
  fuzz::require(text::printable(plain) == plain, "what is printable stays as it is");
  fuzz::require(has_none_of(text::html_text(name), "<>\""), "a name is no HTML");
  fuzz::require(has_none_of(text::xml_text(name), "<>\""), "a name is no XML");
  const std::string markdown = text::markdown_cell(name);
  fuzz::require(has_none_of(markdown, "\n<") && !has_bare_pipe(markdown), "a cell stays a cell");
  fuzz::require(is_one_cell(text::csv_cell(name)), "a cell of CSV stays one");
  read_back(name, plain);
  return 0;
}
