// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/os/files.h"
#include "harness/os/text_file.h"
#include "harness/record/input.h"
#include "harness/report/pages.h"
#include "harness/text/words.h"

namespace stepbench::report {
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
    throw ConfigError(kFlag,
                      formatted("{} {}: expected the script of plotly.js, {}{}", given,
                                fs::exists(given, error) ? "is not a file"
                                                         : os::why_absent(given, "does not exist"),
                                kPlotlyFile, kTables));
  }
  const std::vector<fs::path> looked = places(program_dir);
  for (const fs::path& place : looked) {
    if (fs::is_regular_file(place, error)) return place;
  }
  throw ConfigError(
      kFlag,
      formatted("the script that draws the charts was not found; looked for {}. Run tools/setup "
                "and build again, or give --plotly FILE{}",
                text::join(looked, " and ", [](const fs::path& place) { return place.string(); }),
                kTables));
}

}  // namespace

Plotly read_plotly(const std::string& given, const fs::path& program_dir) {
  const fs::path file = find_plotly(given, program_dir);
  std::string script(record::Input::read(file).text());
  const std::optional<std::string> version = version_of(script);
  if (!version) {
    throw ConfigError(
        kFlag,
        formatted(
            "{} is not the script of plotly.js: its first lines do not say \"plotly.js v4\"{}",
            file.string(), kTables));
  }
  if (!version->starts_with(kMajor)) {
    throw ConfigError(kFlag, formatted("{} is plotly.js {}; the charts are made for version 4{}",
                                       file.string(), *version, kTables));
  }
  if (!is_whole(script)) {
    throw ConfigError(kFlag,
                      formatted("{} is cut short ({} bytes): copy it again, or run tools/setup{}",
                                file.string(), script.size(), kTables));
  }
  return {for_an_element(std::move(script)), *version};
}

}  // namespace stepbench::report
