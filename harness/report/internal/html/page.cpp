// SPDX-License-Identifier: Apache-2.0
#include "harness/report/pages.h"

#include <string>
#include <string_view>

#include "harness/base/digest.h"
#include "harness/base/format.h"
#include "harness/document/render.h"
#include "harness/record/input.h"
#include "harness/report/internal/base64.h"
#include "harness/text/printable.h"

namespace stepbench::report {
namespace {

constexpr std::string_view kGenerator = "<meta name=\"generator\" content=\"stepbench\">\n";
constexpr std::string_view kBegin =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n";
constexpr std::string_view kViewport =
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n";  // keeps browsers from requesting an icon

// Data beyond this is always compressed: only programs read it.
constexpr std::size_t kPlainData = 1'000'000;
constexpr std::size_t kPackedFrom = 2000;
constexpr int kQuickLevel = 5;  // 10 % larger than by default, in a third of the time

std::string source_of(std::string_view script) {
  return " 'sha256-" + base64(sha256(script)) + '\'';
}

std::string own_script(const ReportOptions& options) {
  std::string script(options.draws() ? chart_script() : "");
  script += page_script();
  return script;
}

// Images are allowed for Plotly's "save as picture".
std::string policy(const ReportOptions& options) {
  std::string sources = source_of(own_script(options));
  if (!options.plotly_file.empty()) {
    sources += " 'self' file:";  // pages opened from disk have no origin
  } else if (!options.plotly.script.empty()) {
    sources += source_of(options.plotly.script);
  }
  return formatted(
      "default-src 'none'; script-src{}; style-src 'unsafe-inline'; img-src data: blob:; base-uri "
      "'none'; form-action 'none'",
      sources);
}

void append_contents(std::string& html, const ReportContent& content, const document::Line& back) {
  html += "<nav aria-label=\"Contents\"><ul>\n";
  if (!back.link.empty()) {
    html += formatted("<li><a href=\"{}\">{}</a></li>\n", text::html_text(back.link),
                      text::html_text(back.text));
  }
  for (const document::Chapter& section : content.sections) {
    html += formatted("<li><a href=\"#{}\">{}</a></li>\n", text::html_text(section.id),
                      text::html_text(section.title));
  }
  html += "</ul></nav>\n";
}

// Adds JSON in a data element; compressed, for speed rather than size, if `pack` and it is long.
void append_data(std::string& html, const std::string& id, std::string_view json, bool pack) {
  html += formatted("<script type=\"application/json\" id=\"{}\"", id);
  if (pack && json.size() > kPackedFrom) {
    html += " data-encoding=\"gzip+base64\">";
    html += base64(record::gzip_text(json, kQuickLevel));
  } else {
    html += '>';
    html += text::script_json(json);
  }
  html += "</script>\n";
}

void append_scripts(std::string& html, const ReportOptions& options) {
  if (!options.plotly_file.empty()) {
    html += formatted("<script src=\"{}\"></script>\n", text::html_text(options.plotly_file));
  } else if (!options.plotly.script.empty()) {
    if (options.compact) {
      html += "<script type=\"text/plain\" id=\"plotly-packed\" data-encoding=\"gzip+base64\">";
      html += base64(record::gzip_text(options.plotly.script));
      html += "</script>\n";
    } else {
      html += "<script>";
      html += options.plotly.script;
      html += "</script>\n";
    }
  }
  html += "<script>";
  html += own_script(options);
  html += "</script>\n";
}

}  // namespace

std::string html_page(const ReportContent& content, std::string_view data,
                      const ReportOptions& options) {
  const bool draws = options.draws();
  std::string html(kBegin);
  html += kGenerator;
  html += kViewport;
  html.reserve(options.plotly.script.size() + data.size() + 1'000'000);
  html +=
      formatted("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n", policy(options));
  html += formatted("<title>{}</title>\n<style>", text::html_text(content.title));
  html += page_style();
  html += "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the report</a>\n";
  html += formatted("<header>\n<h1>{}</h1>\n", text::html_text(content.title));
  append_contents(html, content, options.back);
  html += "<div class=\"tools\" id=\"tools\"></div>\n";
  if (!draws) {
    html += "<p class=\"note\">Made without charts: their words and the tables stand here.</p>\n";
  } else {
    html +=
        "<noscript><p class=\"note\">The charts, sorting and filters need JavaScript; the "
        "tables do not.</p></noscript>\n";
  }
  html += "</header>\n<main id=\"main\">\n";
  document::AppendData append_figure;
  if (draws) {
    append_figure = [&](std::string& to, const std::string& id, std::string_view json) {
      append_data(to, id, json, options.compact);
    };
  }
  document::HtmlChapters chapters(html, append_figure);
  chapters.add(content.answer);
  for (const document::Chapter& section : content.sections) chapters.add(section);
  html += "</main>\n<footer><p>Written by stepbench. Nothing on this page comes from a server";
  if (!options.plotly.version.empty()) {
    html += "; its charts are drawn by plotly.js " + text::html_text(options.plotly.version);
  }
  html += ".</p></footer>\n";
  append_data(html, "stepbench-data", data, options.compact || data.size() > kPlainData);
  append_scripts(html, options);
  html += "</body>\n</html>\n";
  return html;
}

}  // namespace stepbench::report
