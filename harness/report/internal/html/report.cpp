// SPDX-License-Identifier: Apache-2.0
#include "harness/report/pages.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/json/json_text.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

void keep_sections(std::vector<document::Chapter>& sections, const std::vector<std::string>& only) {
  if (only.empty()) return;
  std::vector<std::string> ids;
  for (const document::Chapter& section : sections) ids.push_back(section.id);
  for (const std::string& name : only) {
    if (std::ranges::find(ids, name) != ids.end()) continue;
    throw ConfigError("--section", formatted("unknown section '{}'{}; sections: {}", name,
                                             text::did_you_mean(name, ids), text::join(ids)));
  }
  std::erase_if(sections, [&](const document::Chapter& section) {
    return std::ranges::find(only, section.id) == only.end();
  });
}

std::string data_of(const ReportContent& content, const ReportOptions& options) {
  json::JsonText json;
  json.open_object().text("schema", kReportSchema).text("version", kReportVersion);
  json.text("title", content.title);
  json.open_object("generated_from").text("kind", content.kind);
  json.texts("files", options.sources).close_object();
  json.open_array("sections");
  for (const document::Chapter& section : content.sections) {
    json.open_object().text("id", section.id).text("title", section.title).close_object();
  }
  json.close_array().json("content", content.data);
  if (options.draws() && !content.charts.empty()) json.json("charts", content.charts);
  json.close_object();
  return json.take();
}

std::string drawn_text(const std::vector<document::Chapter>& sections) {
  std::int64_t most = 0;
  for (const document::Chapter& section : sections) most = std::max(most, section.steps_drawn);
  return most == 0 ? "" : " (" + text::with_separators(most) + " drawn)";
}

}  // namespace

ReportContent error_content(const std::string& command, const std::string& message,
                            int exit_status) {
  json::JsonText json;
  json.open_object().text("error", message).integer("exit_code", exit_status).close_object();
  document::Chapter section{.id = "overview", .title = "Overview", .blocks = {}};
  section.blocks.push_back(document::Paragraph{
      .text = formatted("{} (exit code {})", message, exit_status), .tone = document::Tone::kBad});
  return {.kind = "error",
          .title = command + " failed",
          .sections = {std::move(section)},
          .data = json.take(),
          .measured = false};
}

void move_first_figure(document::Chapter& from, document::Chapter& to, std::ptrdiff_t at) {
  const auto found = std::ranges::find_if(from.blocks, [](const document::Block& block) {
    return std::holds_alternative<document::Figure>(block);
  });
  if (found == from.blocks.end()) return;
  std::get<document::Figure>(*found).folded = false;
  to.blocks.insert(to.blocks.begin() + at, std::move(*found));
  from.blocks.erase(found);
}

Report report_of(ReportContent content, const ReportOptions& options) {
  if (!options.title.empty()) content.title = options.title;
  keep_sections(content.sections, options.sections);
  return {.html = html_page(content, data_of(content, options), options),
          .summary = content.summary + drawn_text(content.sections),
          .measured = content.measured};
}

}  // namespace stepbench::report
