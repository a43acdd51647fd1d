// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/preview/show_data.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "harness/base/error.h"
#include "harness/json/fields.h"
#include "workloads/loader/preview/preview_text.h"

namespace stepbench::loader {
namespace {

// "FOLDER/CASE-007.png": sorted by name, files are in the order of the samples.
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
  throw ConfigError(file.string(), "already exists; nothing is overwritten");
}

}  // namespace

template <typename V>
void fields(V& v, json::Of<ShowDataRequest> auto& request) {
  v.constant("kind", "data")("samples", request.samples)("batches", request.batches);
  v("png", request.png)("json", request.json)("title", request.title);
  v("columns", request.columns);
}

std::string encode(const ShowDataRequest& request) { return json::object_text(request); }

ShowDataRequest decode_show_data(std::string_view line) {
  return json::read_text<ShowDataRequest>(std::string(line));
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
