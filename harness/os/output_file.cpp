// SPDX-License-Identifier: Apache-2.0
#include "harness/os/output_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/os/text_file.h"

namespace stepbench::os {
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

OutputFile::OutputFile(std::string flag, fs::path output)
    : flag_(std::move(flag)), output_(std::move(output)) {
  std::error_code error;
  target_ = fs::weakly_canonical(fs::absolute(output_, error), error);
}

OutputFile::~OutputFile() {
  std::error_code ignored;
  if (!written_.empty() && written_ != target_) fs::remove(written_, ignored);
}

void OutputFile::write(std::string_view text) {
  errno = 0;
  if (written_.empty()) {
    std::error_code error;
    const bool as_a_whole = (!fs::exists(target_, error) || fs::is_regular_file(target_, error)) &&
                            ::access(target_.parent_path().c_str(), W_OK) == 0;
    written_ = target_;
    if (as_a_whole) written_ += ".part" + std::to_string(::getpid());
    errno = 0;
    file_.open(written_, std::ios::binary | std::ios::trunc);
  }
  file_.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file_) cannot_write(std::generic_category().message(errno));
}

void OutputFile::close() {
  write({});
  file_.close();
  if (!file_) cannot_write(std::generic_category().message(errno));
  if (written_ == target_) return;
  std::error_code error;
  if (fs::exists(target_, error)) {
    fs::permissions(written_, fs::status(target_, error).permissions(), error);
  }
  fs::rename(written_, target_, error);
  if (error) cannot_write(error.message());
  written_ = target_;
}

void OutputFile::cannot_write(const std::string& why) const {
  refuse(flag_, output_, "cannot be written: " + why);
}

void write_output_file(const std::string& flag, const fs::path& output, std::string_view text) {
  if (output.empty()) return;
  OutputFile file(flag, output);
  file.write(text);
  file.close();
}

}  // namespace stepbench::os
