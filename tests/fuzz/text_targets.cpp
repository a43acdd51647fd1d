// SPDX-License-Identifier: Apache-2.0
// Foreign text in output, and values computed from it.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "harness/json/json_text.h"
#include "harness/json/line_object.h"
#include "harness/ops/op_work.h"
#include "harness/report/internal/csv.h"
#include "harness/text/printable.h"
#include "harness/traces/internal/shapes_text.h"
#include "tests/fuzz/targets.h"

namespace stepbench::fuzz {
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

// Replaces the references of HTML and XML.
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
    require(found != kReferences.end(), "each & begins a reference");
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

// Characters that XML forbids although they are visible.
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
  require(without_references(text::html_text(name)) == plain, "HTML is read back");
  require(without_references(text::xml_text(name)) == as_xml_allows(lines), "XML is read back");
  require(without_references(without_backslashes(text::markdown_cell(name))) == plain,
          "Markdown is read back");
  const std::string cell = without_quotes(report::csv_cell(name));
  require(cell == lines || cell == "'" + lines, "CSV is read back");
  std::string line = json::JsonText().open_object().text("name", name).close_object().take();
  require(text::printable(line) == line, "JSON shows its control characters");
  const std::string in_page = text::script_json(line);
  require(has_none_of(in_page, "<\n"), "JSON of a page ends nothing");
  json::LineParser parser;
  for (const std::string& each : {line, in_page}) {
    const auto read = parser.parse(each, json::LineParser::Padding::kNone);
    require(read.object.text("name") == text::to_valid_utf8(name), "JSON is read back");
  }
}

// Foreign names in all output for people and programs: each is read back like a reader of the
// format does.
void names(Input input) {
  const std::string name(text_of(input));
  const std::string plain = text::printable(name);
  require(has_no_control(plain) && has_none_of(plain, "\n"), "a line stays a line");
  require(text::printable(plain) == plain, "what is printable stays as it is");
  require(has_none_of(text::html_text(name), "<>\""), "a name is no HTML");
  require(has_none_of(text::xml_text(name), "<>\""), "a name is no XML");
  const std::string markdown = text::markdown_cell(name);
  require(has_none_of(markdown, "\n<") && !has_bare_pipe(markdown), "a cell stays a cell");
  require(is_one_cell(report::csv_cell(name)), "a cell of CSV stays one");
  read_back(name, plain);
}

constexpr std::array<std::string_view, 20> kOps = {
    "aten::mm",
    "aten::addmm",
    "aten::bmm",
    "aten::baddbmm",
    "aten::_scaled_mm",
    "aten::add",
    "aten::mul",
    "aten::conv1d",
    "aten::conv2d",
    "aten::conv3d",
    "aten::convolution",
    "aten::_convolution",
    "aten::conv_transpose2d",
    "aten::convolution_backward",
    "aten::cudnn_convolution",
    "aten::_scaled_dot_product_flash_attention",
    "aten::_scaled_dot_product_flash_attention_for_cpu",
    "aten::_scaled_dot_product_flash_attention_for_cpu_backward",
    "aten::_scaled_dot_product_efficient_attention",
    "aten::_scaled_dot_product_efficient_attention_backward",
};

// Shapes and arguments of an operator, as in traces and from workers, and values computed from
// them. Input: a byte for the operator, the shapes, a line end, the arguments.
void shapes(Input input) {
  if (input.empty()) return;
  const std::string_view op = kOps.at(input[0] % kOps.size());
  const std::string_view text = text_of(input.subspan(1));
  const std::size_t line = text.find('\n');
  const std::string_view shapes = text.substr(0, line);
  const std::string_view arguments =
      line == std::string_view::npos ? std::string_view{} : text.substr(line + 1);
  if (const auto work = ops::work_of(op, shapes, arguments)) {
    require(work->flops >= 0 && work->elements >= 0 && work->masked_flops >= 0 &&
                work->masked_flops <= work->flops,
            "work is not negative");
  }
  (void)ops::flops(op, shapes, arguments);
  const std::string spaced = traces::spaced_array(shapes);
  require(traces::spaced_array(spaced) == spaced, "what is spaced stays as it is");
  if (traces::are_plain_shapes(shapes)) {
    require(traces::are_plain_shapes(traces::shapes_text(shapes)), "plain shapes stay plain");
  }
  if (traces::are_plain_arguments(arguments)) {
    require(traces::are_plain_arguments(traces::arguments_text(arguments)),
            "plain arguments stay plain");
  }
}

}  // namespace

const std::vector<Target>& text_targets() {
  static const std::vector<Target> all = {{"names", names}, {"shapes", shapes}};
  return all;
}

}  // namespace stepbench::fuzz
