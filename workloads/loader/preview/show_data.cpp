// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/preview/show_data.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "harness/base/error.h"
#include "harness/json/json_text.h"
#include "harness/json/line_object.h"
#include "workloads/loader/preview/preview_text.h"

namespace stepbench::loader {
namespace {

// "FOLDER/CASE-007.png": by name they have the order of the samples.
std::filesystem::path picture_file(const std::string& folder, const std::string& case_id,
                                   std::size_t sample) {
  constexpr std::size_t kDigits = 3;
  const std::string number = std::to_string(sample);
  const std::string zeros(kDigits - std::min(kDigits, number.size()), '0');
  return std::filesystem::path(folder) / (case_id + "-" + zeros + number + ".png");
}

void expect_new(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(file, ignored))) return;
  throw ConfigError(file.string(), "is there already; nothing is overwritten");
}

}  // namespace

std::string encode(const ShowDataRequest& request) {
  json::JsonText json;
  json.open_object()
      .text("kind", "data")
      .integer("samples", request.samples)
      .integer("batches", request.batches)
      .text("png", request.png)
      .flag("json", request.json)
      .text("title", request.title)
      .integer("columns", request.columns)
      .close_object();
  return json.take();
}

ShowDataRequest decode_show_data(std::string_view line) {
  json::LineParser parser;
  const std::string own(line);
  const json::LineObject object = parser.parse(own, json::LineParser::Padding::kNone).object;
  const ShowDataRequest usual;
  return {.samples = object.integer("samples", usual.samples),
          .batches = object.integer("batches", usual.batches),
          .png = object.text("png"),
          .json = object.flag("json"),
          .title = object.text("title"),
          .columns = object.integer("columns", usual.columns)};
}

std::string show_data(const ResolvedCase& resolved, const ShowDataRequest& request,
                      const std::vector<Engine>& table, const OrderMaker& order,
                      data::PythonParts* python) {
  if (!request.png.empty()) expect_new(picture_file(request.png, resolved.case_id, 0));
  DataPreview preview = preview_data(
      resolved,
      {.samples = request.samples, .batches = request.batches, .pictures = !request.png.empty()},
      table, order, python);
  if (!preview.pictures.empty()) {
    std::error_code ignored;
    std::filesystem::create_directories(request.png, ignored);
    for (std::size_t i = 0; i < preview.pictures.size(); ++i) {
      write_png(preview.pictures[i], picture_file(request.png, resolved.case_id, i));
    }
    preview.png = request.png;
  }
  if (request.json) return preview_json(preview) + "\n";
  return preview_text(preview, request.title, static_cast<std::size_t>(request.columns));
}

}  // namespace stepbench::loader
