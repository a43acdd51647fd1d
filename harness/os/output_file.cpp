// SPDX-License-Identifier: Apache-2.0
#include "harness/os/output_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>

#include "harness/base/error.h"
#include "harness/os/text_file.h"

namespace stepbench {
namespace {

namespace fs = std::filesystem;

bool has_result_name(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.ends_with(".jsonl") || name.ends_with(".jsonl.gz");
}

// By its first bytes; of a compressed file the name must do.
bool holds_results(const fs::path& file) {
  if (!has_result_name(file)) return false;
  if (file.extension() == ".gz") return true;
  return first_bytes(file, 512).find("\"stepbench.result\"") != std::string::npos;
}

bool is_run_folder(const fs::path& folder) {
  std::error_code error;
  fs::directory_iterator entry{folder, error};
  for (; !error && entry != fs::directory_iterator{}; entry.increment(error)) {
    if (entry->is_regular_file(error) && holds_results(entry->path())) return true;
  }
  return false;
}

// Whether writing `output` would write `input`, or a file of the folder `input`, under whatever
// name.
bool is_same_file(const fs::path& output, const fs::path& input) {
  std::error_code error;
  if (input.empty()) return false;
  if (!fs::is_directory(input, error)) return fs::equivalent(output, input, error);
  fs::directory_iterator entry{input, error};
  for (; !error && entry != fs::directory_iterator{}; entry.increment(error)) {
    std::error_code none;
    if (entry->is_regular_file(none) && fs::equivalent(output, entry->path(), none)) return true;
  }
  return false;
}

[[noreturn]] void refuse(const std::string& flag, const fs::path& output, const std::string& why) {
  throw ConfigError(flag, output.string() + ' ' + why);
}

void refuse_unwritable(const std::string& flag, const fs::path& output, const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(output, error)) refuse(flag, output, "is a folder; name a file");
  if (fs::exists(output, error)) {
    if (::access(output.c_str(), W_OK) == 0) return;
  } else {
    if (!fs::is_directory(folder, error)) {
      refuse(flag, output, "cannot be written: there is no folder " + folder.string());
    }
    if (::access(folder.c_str(), W_OK) == 0) return;
  }
  refuse(flag, output, "cannot be written: " + std::generic_category().message(errno));
}

}  // namespace

void check_output_file(const std::string& flag, const fs::path& output,
                       std::span<const fs::path> inputs) {
  if (output.empty()) return;
  std::error_code error;
  const fs::path folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
  const fs::path target = fs::weakly_canonical(fs::absolute(output, error), error);
  if (has_result_name(target) && is_run_folder(target.parent_path())) {
    refuse(flag, output,
           "would be among the results of a run, or replace them. Name another file or folder");
  }
  const bool is_input = std::any_of(inputs.begin(), inputs.end(),
                                    [&](const auto& input) { return is_same_file(output, input); });
  if (is_input && !fs::is_directory(output, error)) {
    refuse(flag, output, "is what this command reads; it would be lost. Name another file");
  }
  refuse_unwritable(flag, output, folder);
}

void write_output_file(const std::string& flag, const fs::path& output, std::string_view text) {
  if (output.empty()) return;
  std::error_code error;
  // A link stays one, and what it leads to is replaced.
  const fs::path target = fs::weakly_canonical(fs::absolute(output, error), error);
  const bool exists = fs::exists(target, error);
  const bool as_a_whole = (!exists || fs::is_regular_file(target, error)) &&
                          ::access(target.parent_path().c_str(), W_OK) == 0;
  fs::path written = target;
  if (as_a_whole) written += ".part" + std::to_string(::getpid());
  errno = 0;
  std::ofstream file(written, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) {
    const std::string why = std::generic_category().message(errno);
    if (as_a_whole) fs::remove(written, error);
    refuse(flag, output, "cannot be written: " + why);
  }
  if (!as_a_whole) return;
  if (exists) fs::permissions(written, fs::status(target, error).permissions(), error);
  fs::rename(written, target, error);
  if (!error) return;
  const std::string why = error.message();
  fs::remove(written, error);
  refuse(flag, output, "cannot be written: " + why);
}

}  // namespace stepbench
