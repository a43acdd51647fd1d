// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/generate/maker.h"

#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"

namespace stepbench::data {

MakerOption seed_option() {
  return {"seed", "The same options give the same files, byte for byte", 0, 0, INT64_MAX};
}

MakerOption samples_option(std::int64_t default_value) {
  return {"samples", "Number of samples", default_value, 1, 1'000'000'000};
}

MakerOption label_classes_option(std::int64_t default_value, std::int64_t max) {
  return {"classes", "Number of classes; sample i has label i modulo classes", default_value, 1,
          max};
}

MakerOption size_option() {
  return {"size", "Height and width of an image in pixels", 32, 1, 4096};
}

MakerOption channels_option() { return {"channels", "Planes of an image", 3, 1, 1024}; }

MakerValues maker_values(const Maker& maker, std::filesystem::path out) {
  MakerValues values{.out = std::move(out)};
  for (const MakerOption& option : maker.options) {
    values.options[option.name] = option.default_value;
  }
  return values;
}

std::string maker_manifest(const Maker& maker, const MakerValues& values) {
  std::string text = formatted("Made by stepbench data make {}; version 1\n", maker.kind);
  for (const MakerOption& option : maker.options) {
    const std::int64_t value = values.at(option.name);
    text += formatted("{} {}\n", option.name,
                      option.choices.empty() ? std::to_string(value)
                                             : option.choices.at(static_cast<std::size_t>(value)));
  }
  return text;
}

MadeFolder make_data(const Maker& maker, const MakerValues& values, const MakeProgress& progress) {
  for (const MakerOption& option : maker.options) {
    const std::int64_t value = values.at(option.name);
    if (value >= option.min && value <= option.max) continue;
    throw ConfigError("--" + option.name,
                      formatted("{} is outside {} to {}", value, option.min, option.max));
  }
  return maker.make(values, progress);
}

namespace {

namespace fs = std::filesystem;

// The manifest's name; the second one while files are missing.
constexpr const char* kManifest = "stepbench-data.txt";
constexpr const char* kUnfinished = "stepbench-data.unfinished.txt";

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Returns true if the folder contains this set, complete or partial. Throws if it contains anything
// else.
bool holds(const fs::path& folder, const std::string& manifest) {
  std::error_code error;
  if (!fs::exists(folder, error)) return false;
  if (!fs::is_directory(folder, error))
    throw ConfigError(folder.string(), "exists and is not a folder");
  for (const char* name : {kManifest, kUnfinished}) {
    if (!fs::exists(folder / name, error)) continue;
    if (read_text(folder / name) == manifest) return true;
    throw ConfigError(
        folder.string(),
        formatted("holds another made set, see {} in it; name another folder or remove this one",
                  name));
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
  (void)made.commit();
}

void MadeSet::finish() {
  std::error_code error;
  if (!fs::exists(folder_ / kUnfinished, error)) return;
  fs::rename(folder_ / kUnfinished, folder_ / kManifest, error);
  if (error) throw ConfigError(folder_.string(), "cannot be completed: " + error.message());
}

void MadeFile::append(std::span<const std::byte> bytes) {
  constexpr std::size_t kWorthAWrite = std::size_t{256} << 10;
  bytes_ += std::ssize(bytes);
  pending_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (pending_.size() < kWorthAWrite) return;
  file_.write(pending_);
  pending_.clear();
}

std::int64_t MadeFile::commit() {
  file_.write(pending_);
  file_.close(false);
  return bytes_;
}

}  // namespace stepbench::data
