// SPDX-License-Identifier: Apache-2.0
#include "harness/report/pages.h"

#include <cctype>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/document/render.h"
#include "harness/os/files.h"
#include "harness/os/text_file.h"
#include "harness/record/input.h"
#include "harness/record/result_file.h"
#include "harness/report/internal/base64.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

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

std::string own_script(const Page& page) {
  std::string script(page.draws() ? chart_script() : "");
  script += page_script();
  return script;
}

// Images are allowed for Plotly's "save as picture".
std::string policy(const Page& page) {
  std::string sources = source_of(own_script(page));
  if (!page.plotly_file.empty()) {
    sources += " 'self' file:";  // pages opened from disk have no origin
  } else if (!page.plotly.script.empty()) {
    sources += source_of(page.plotly.script);
  }
  return "default-src 'none'; script-src" + sources +
         "; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'";
}

void append_contents(std::string& html, const Page& page) {
  html += "<nav aria-label=\"Contents\"><ul>\n";
  if (!page.back.link.empty()) {
    html += "<li><a href=\"" + text::html_text(page.back.link) + "\">" +
            text::html_text(page.back.text) + "</a></li>\n";
  }
  for (const document::Chapter& section : page.sections) {
    html += "<li><a href=\"#" + text::html_text(section.id) + "\">" +
            text::html_text(section.title) + "</a></li>\n";
  }
  html += "</ul></nav>\n";
}

// Adds JSON in a data element; compressed, for speed rather than size, if `pack` and it is long.
void append_data(std::string& html, const std::string& id, std::string_view json, bool pack) {
  html += "<script type=\"application/json\" id=\"" + id + '"';
  if (pack && json.size() > kPackedFrom) {
    html += " data-encoding=\"gzip+base64\">";
    html += base64(record::gzip_text(json, kQuickLevel));
  } else {
    html += '>';
    html += text::script_json(json);
  }
  html += "</script>\n";
}

void append_scripts(std::string& html, const Page& page) {
  if (!page.plotly_file.empty()) {
    html += "<script src=\"" + text::html_text(page.plotly_file) + "\"></script>\n";
  } else if (!page.plotly.script.empty()) {
    if (page.compact) {
      html += "<script type=\"text/plain\" id=\"plotly-packed\" data-encoding=\"gzip+base64\">";
      html += base64(record::gzip_text(page.plotly.script));
      html += "</script>\n";
    } else {
      html += "<script>";
      html += page.plotly.script;
      html += "</script>\n";
    }
  }
  html += "<script>";
  html += own_script(page);
  html += "</script>\n";
}

}  // namespace

std::string html_page(const Page& page) {
  const bool draws = page.draws();
  std::string html(kBegin);
  html += kGenerator;
  html += kViewport;
  html.reserve(page.plotly.script.size() + page.data.size() + 1'000'000);
  html += "<meta http-equiv=\"Content-Security-Policy\" content=\"" + policy(page) + "\">\n";
  html += "<title>" + text::html_text(page.title) + "</title>\n<style>";
  html += page_style();
  html += "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the report</a>\n";
  html += "<header>\n<h1>" + text::html_text(page.title) + "</h1>\n";
  append_contents(html, page);
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
      append_data(to, id, json, page.compact);
    };
  }
  document::HtmlChapters chapters(html, append_figure);
  chapters.add(page.answer);
  for (const document::Chapter& section : page.sections) chapters.add(section);
  html += "</main>\n<footer><p>Written by stepbench. Nothing on this page comes from a server";
  if (!page.plotly.version.empty()) {
    html += "; its charts are drawn by plotly.js " + text::html_text(page.plotly.version);
  }
  html += ".</p></footer>\n";
  append_data(html, "stepbench-data", page.data, page.compact || page.data.size() > kPlainData);
  append_scripts(html, page);
  html += "</body>\n</html>\n";
  return html;
}

namespace {

namespace fs = std::filesystem;

constexpr const char* kFlag = "--plotly";
constexpr std::string_view kMajor = "4.";
constexpr const char* kTables = "; --plotly none writes the tables alone";
// Smallest size of the full library: bundles with a subset of chart types are a third of it.
constexpr std::size_t kMinBytes = 3'000'000;

// "4.1.1" from "* plotly.js v4.1.1" in the first lines; nullopt if there is no such line.
std::optional<std::string> version_of(std::string_view script) {
  constexpr std::string_view kBanner = "plotly.js v";
  const std::size_t at = script.substr(0, 1000).find(kBanner);
  if (at == std::string_view::npos) return std::nullopt;
  std::string version;
  for (const char c : script.substr(at + kBanner.size(), 20)) {
    if (c != '.' && std::isdigit(static_cast<unsigned char>(c)) == 0) break;
    version += c;
  }
  return version;
}

// True if the script is complete: its last statement exports the library.
bool is_whole(std::string_view script) {
  const std::string_view end =
      script.substr(script.size() - std::min<std::size_t>(script.size(), 200));
  return script.size() >= kMinBytes && end.find("return Plotly") != std::string_view::npos &&
         os::trim(end).ends_with(";");
}

// Escapes everything that would end the script element.
std::string for_an_element(std::string script) {
  constexpr std::string_view kEnd = "</script";
  for (std::size_t at = script.find("</"); at != std::string::npos;
       at = script.find("</", at + 2)) {
    bool same = at + kEnd.size() <= script.size();
    for (std::size_t i = 0; same && i < kEnd.size(); ++i) {
      same = std::tolower(static_cast<unsigned char>(script[at + i])) == kEnd[i];
    }
    if (same) script.insert(at + 1, 1, '\\');
  }
  return script;
}

std::vector<fs::path> places(const fs::path& program_dir) {
  const fs::path share =
      (program_dir.parent_path() / "share" / "stepbench" / kPlotlyFile).lexically_normal();
  return {program_dir / kPlotlyFile, share, share.string() + ".gz"};
}

fs::path find_plotly(const std::string& given, const fs::path& program_dir) {
  std::error_code error;
  if (!given.empty()) {
    if (fs::is_regular_file(given, error)) return given;
    throw ConfigError(
        kFlag,
        given + ' ' +
            (fs::exists(given, error) ? "is not a file" : os::why_absent(given, "does not exist")) +
            ": expected the script of plotly.js, " + kPlotlyFile + kTables);
  }
  const std::vector<fs::path> looked = places(program_dir);
  for (const fs::path& place : looked) {
    if (fs::is_regular_file(place, error)) return place;
  }
  throw ConfigError(
      kFlag, std::string("the script that draws the charts was not found; looked for ") +
                 text::join(looked, " and ", [](const fs::path& place) { return place.string(); }) +
                 ". Run tools/setup and build again, or give --plotly FILE" + kTables);
}

}  // namespace

Plotly read_plotly(const std::string& given, const fs::path& program_dir) {
  const fs::path file = find_plotly(given, program_dir);
  std::string script(record::Input::read(file).text());
  const std::optional<std::string> version = version_of(script);
  if (!version) {
    throw ConfigError(kFlag, file.string() +
                                 " is not the script of plotly.js: its first lines do " +
                                 "not say \"plotly.js v4\"" + kTables);
  }
  if (!version->starts_with(kMajor)) {
    throw ConfigError(kFlag, file.string() + " is plotly.js " + *version +
                                 "; the charts are made for version 4" + kTables);
  }
  if (!is_whole(script)) {
    throw ConfigError(kFlag, file.string() + " is cut short (" + std::to_string(script.size()) +
                                 " bytes): copy it again, or run tools/setup" + kTables);
  }
  return {for_an_element(std::move(script)), *version};
}

}  // namespace stepbench::report
