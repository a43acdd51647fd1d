// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/unfinished_night.h"

#include <string_view>
#include <system_error>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/json/json_text.h"
#include "harness/json/line_error.h"
#include "harness/json/line_object.h"
#include "harness/os/output_file.h"
#include "harness/os/text_file.h"
#include "harness/record/launch_rows.h"
#include "harness/text/utc.h"

namespace stepbench::campaign {
namespace fs = std::filesystem;

UnfinishedNight::UnfinishedNight(const fs::path& results, const std::string& key,
                                 std::chrono::system_clock::time_point now)
    : file_(results / (std::string(record::kUnfinishedNight) + digest(key) + ".jsonl")),
      began_utc_(text::utc_text(now)) {
  read(text::utc_text(now - kNightLasts));
}

void UnfinishedNight::read(const std::string& oldest_utc) {
  const auto text = os::read_text(file_);
  if (!text) return;
  std::string began;
  std::map<std::string, std::string> folders;
  json::LineParser parser;
  std::string_view rest = *text;
  for (std::size_t end = 0; (end = rest.find('\n')) != std::string_view::npos;
       rest.remove_prefix(end + 1)) {
    const std::string line{rest.substr(0, end)};
    try {
      const json::LineObject object = parser.parse(line, json::LineParser::Padding::kNone).object;
      if (began.empty()) began = object.text("began_utc");
      if (const std::string name = object.text("experiment"); !name.empty()) {
        folders[name] = object.text("folder");
      }
    } catch (const json::LineError&) {
      continue;  // a damaged line: its experiment is measured again
    }
  }
  if (began < oldest_utc) return;
  resumes_ = true;
  began_utc_ = began;
  folders_ = std::move(folders);
}

fs::path UnfinishedNight::folder_of(const std::string& experiment) const {
  const auto found = folders_.find(experiment);
  std::error_code ignored;
  if (found == folders_.end() || !fs::is_directory(found->second, ignored)) return {};
  return found->second;
}

void UnfinishedNight::restart(std::chrono::system_clock::time_point now) {
  end();
  resumes_ = false;
  folders_.clear();
  began_utc_ = text::utc_text(now);
}

void UnfinishedNight::begun(const std::string& experiment, const fs::path& folder) {
  const std::string path = fs::absolute(folder).lexically_normal().string();
  if (folder_of(experiment) == path) return;
  folders_[experiment] = path;
  std::string text;
  for (const auto& [name, place] : folders_) {
    json::JsonText line;
    line.open_object().text("began_utc", began_utc_).text("experiment", name);
    text += line.text("folder", place).close_object().take() + '\n';
  }
  os::write_output_file({}, file_, text);
}

void UnfinishedNight::end() {
  std::error_code ignored;
  fs::remove(file_, ignored);
}

}  // namespace stepbench::campaign
