// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/generate/made_set.h"

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "harness/base/error.h"

namespace stepbench::data {
namespace {

namespace fs = std::filesystem;

// Describes the set in its folder. While files are missing it has the second name.
constexpr const char* kManifest = "stepbench-data.txt";
constexpr const char* kUnfinished = "stepbench-data.unfinished.txt";

[[noreturn]] void cannot(const fs::path& path, const std::string& what) {
  throw ConfigError(path.string(),
                    "cannot be " + what + ": " + std::generic_category().message(errno));
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// True: the folder holds this very set, whole or in part. Throws when it holds anything else.
bool holds(const fs::path& folder, const std::string& manifest) {
  std::error_code error;
  if (!fs::exists(folder, error)) return false;
  if (!fs::is_directory(folder, error))
    throw ConfigError(folder.string(), "exists and is not a folder");
  for (const char* name : {kManifest, kUnfinished}) {
    if (!fs::exists(folder / name, error)) continue;
    if (read_text(folder / name) == manifest) return true;
    throw ConfigError(folder.string(), "holds another made set, see " + std::string(name) +
                                           " in it; name another folder or remove this one");
  }
  const bool empty = fs::is_empty(folder, error);
  if (error) throw ConfigError(folder.string(), "cannot be listed: " + error.message());
  if (!empty) throw ConfigError(folder.string(), "is not empty; name a new or an empty folder");
  return false;
}

}  // namespace

MadeSet::MadeSet(fs::path folder, std::string manifest)
    : folder_(std::move(folder)), manifest_(std::move(manifest)) {
  if (holds(folder_, manifest_)) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw ConfigError(folder_.string(), "cannot be created: " + error.message());
  write(folder_ / kUnfinished, std::as_bytes(std::span(manifest_)));
}

std::int64_t MadeSet::size_of(const fs::path& file) const {
  std::error_code missing;
  const auto size = static_cast<std::int64_t>(fs::file_size(folder_ / file, missing));
  return missing || size == 0 ? -1 : size;
}

void MadeSet::write(const fs::path& file, std::span<const std::byte> bytes) {
  MadeFile made(file);
  made.append(bytes);
  made.commit();
}

void MadeSet::finish() {
  std::error_code error;
  if (!fs::exists(folder_ / kUnfinished, error)) return;
  fs::rename(folder_ / kUnfinished, folder_ / kManifest, error);
  if (error) throw ConfigError(folder_.string(), "cannot be completed: " + error.message());
}

MadeFile::MadeFile(fs::path path) : path_(std::move(path)), part_(path_.string() + ".part") {
  errno = 0;
  file_ = std::fopen(part_.c_str(), "wb");
  if (file_ == nullptr) cannot(part_, "created");
}

MadeFile::~MadeFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (!part_.empty()) std::remove(part_.c_str());
}

void MadeFile::append(std::span<const std::byte> bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) cannot(path_, "written");
}

void MadeFile::commit() {
  const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
  if (!closed || std::rename(part_.c_str(), path_.c_str()) != 0) cannot(path_, "written");
  part_.clear();
}

}  // namespace stepbench::data
