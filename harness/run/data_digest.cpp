// SPDX-License-Identifier: Apache-2.0
#include "harness/run/data_digest.h"

#include <algorithm>
#include <set>
#include <vector>

#include "harness/base/digest.h"

namespace stepbench::run {

namespace fs = std::filesystem;

std::string path_digest(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return {};
  if (!fs::is_directory(path, error)) {
    const auto bytes = fs::file_size(path, error);
    return error ? std::string{} : digest(std::to_string(bytes));
  }
  std::vector<std::string> entries;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at{path, options, error}, end; !error && at != end;
       at.increment(error)) {
    std::error_code unreadable;
    if (at->is_directory(unreadable)) continue;
    const auto bytes = at->file_size(unreadable);
    entries.push_back(at->path().lexically_relative(path).string() + '\t' +
                      (unreadable ? std::string{"-"} : std::to_string(bytes)) + '\n');
  }
  std::sort(entries.begin(), entries.end());
  std::string text;
  for (const std::string& entry : entries) text += entry;
  return digest(text);
}

std::string data_digest(const plan::Plan& plan, const Catalogue& catalogue) {
  std::set<std::string> paths;
  for (const plan::PlannedCase& planned : plan.cases) {
    for (const auto& [name, value] : planned.resolved.options) {
      const auto* text = std::get_if<std::string>(&value);
      if (text == nullptr || text->empty() || paths.contains(*text)) continue;
      const Option* option = catalogue.find_option(name);
      if (option != nullptr && option->type == OptionType::kPath) paths.insert(*text);
    }
  }
  std::set<std::string> digests;
  for (const std::string& path : paths) {
    if (std::string one = path_digest(path); !one.empty()) digests.insert(std::move(one));
  }
  if (digests.empty()) return {};
  std::string text;
  for (const std::string& one : digests) text += one;
  return digest(text);
}

}  // namespace stepbench::run
