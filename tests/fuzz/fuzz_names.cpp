// SPDX-License-Identifier: Apache-2.0
// Names that others chose, in all that is written for people and programs.
#include <algorithm>
#include <string>

#include "harness/text/csv.h"
#include "harness/text/html.h"
#include "harness/text/printable.h"
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
  return 0;
}
