// SPDX-License-Identifier: Apache-2.0
#include "harness/os/files.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/base/format.h"
#include "harness/os/text_file.h"
#include "harness/text/words.h"

namespace stepbench::os {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinks = 40;

fs::path follow(const fs::path& path, int links) {
  std::error_code error;
  if (fs::path real = fs::canonical(path, error); !error) return real;
  if (!path.has_relative_path() || links == 0) return path;
  const fs::path parent = follow(path.parent_path(), links - 1);
  if (path.filename().empty() || path.filename() == ".") return parent;
  if (path.filename() == "..") return parent.parent_path();
  const fs::path here = parent / path.filename();
  const fs::path target = fs::read_symlink(here, error);
  return error ? here : follow(parent / target, links - 1);
}

// `rest`: the missing part of the path below the nearest existing ancestor.
struct Identity {
  dev_t device = 0;
  ino_t inode = 0;
  fs::path rest = {};
  bool operator==(const Identity&) const = default;
};

Identity identity_of(const fs::path& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0) return {facts.st_dev, facts.st_ino, {}};
  fs::path there = resolved_path(path);
  fs::path rest;
  while (::stat(there.c_str(), &facts) != 0 && there.has_relative_path()) {
    rest = rest.empty() ? there.filename() : there.filename() / rest;
    there = there.parent_path();
  }
  return {facts.st_dev, facts.st_ino, rest};
}

bool has_result_name(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.ends_with(".jsonl") || name.ends_with(".jsonl.gz");
}

// Checks the first bytes; for a compressed file only the name.
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

// Prefix of a file written by this program, and a text that follows soon after.
struct OwnFormat {
  std::string_view begin;
  std::string_view holds = {};
};
constexpr OwnFormat kPage = {"<!DOCTYPE html>", "content=\"stepbench\""};
constexpr std::array<OwnFormat, 14> kOwnFormats = {{kPage,
                                                    {"<?xml ", "<testsuites name=\"stepbench"},
                                                    {"# TYPE stepbench_"},
                                                    {"# Found by `stepbench tune`"},
                                                    {"<!-- stepbench"},
                                                    {"case_id,"},
                                                    {"case,engine,"},
                                                    {"\x93NUMPY", "step_ns"},
                                                    {"series_id,"},
                                                    {"base,candidate,case_id,"},
                                                    {R"({"schema":"stepbench.)"},
                                                    {R"({"cases":[{"case)"},
                                                    {R"({"columns":[{"name":)", R"("unit":)"},
                                                    {R"({"context":{"date":)", "stepbench"}}};

bool matches_format(const fs::path& file, const OwnFormat& format) {
  constexpr std::size_t kHeadBytes = 4096;
  const std::string text = first_bytes(file, kHeadBytes);
  return text.starts_with(format.begin) && text.find(format.holds) != std::string::npos;
}

bool is_own(const fs::path& file) {
  return std::ranges::any_of(kOwnFormats,
                             [&](const OwnFormat& format) { return matches_format(file, format); });
}

// If `input` is a folder, also checks its files.
bool is_read(const Identity& output, const fs::path& input) {
  std::error_code error;
  if (!fs::is_directory(input, error)) return output == identity_of(input);
  if (!output.rest.empty()) return false;
  for (const fs::path& folder : {input, input / "traces"}) {
    fs::directory_iterator entry{folder, error};
    for (; !error && entry != fs::directory_iterator{}; entry.increment(error)) {
      std::error_code none;
      if (entry->is_regular_file(none) && output == identity_of(entry->path()) &&
          !matches_format(entry->path(), kPage)) {  // reports are never read as input
        return true;
      }
    }
  }
  return false;
}

bool is_database(const fs::path& file) {
  return first_bytes(file, 16) == std::string_view("SQLite format 3\0", 16);
}

// Why this file must never be replaced, by any command; nullopt: it may be.
std::optional<std::string> reason_to_protect(const fs::path& file) {
  const std::string begin = first_bytes(file, 4);
  if (begin ==
          "\x7F"
          "ELF" ||
      begin.starts_with("#!"))
    return "is a program";
  if (is_database(file)) return "is a database";
  for (const std::string_view ending : {"-wal", "-shm", "-journal", ".events.jsonl"}) {
    const std::string name = file.string();
    if (!name.ends_with(ending)) continue;
    const std::string database = name.substr(0, name.size() - ending.size());
    if (is_database(database)) return "belongs to the database " + database;
  }
  return std::nullopt;
}

bool is_null_device(const struct stat& facts) {
  return S_ISCHR(facts.st_mode) && facts.st_rdev == makedev(1, 3);
}

[[noreturn]] void refuse(const NamedFile& output, const std::string& why) {
  throw OutputRefused(output.option, output.path.string() + ' ' + why);
}

void refuse_kind(const NamedFile& output) {
  const bool ends_with_slash = !output.path.empty() && !output.path.has_filename();
  if (ends_with_slash) refuse(output, "is the name of a folder; name a file");
  struct stat facts {};
  if (::stat(output.path.c_str(), &facts) != 0) {
    if (errno == ELOOP) refuse(output, "is a link to itself; name a file");
    return;
  }
  if (is_null_device(facts)) return;
  if (S_ISDIR(facts.st_mode)) refuse(output, "is a folder; name a file");
  if (S_ISCHR(facts.st_mode) || S_ISBLK(facts.st_mode)) refuse(output, "is a device; name a file");
  if (S_ISSOCK(facts.st_mode)) refuse(output, "is a socket; name a file");
}

void refuse_unwritable(const NamedFile& output) {
  std::error_code error;
  if (fs::exists(output.path, error)) {
    if (::access(output.path.c_str(), W_OK) == 0) return;
  } else {
    const fs::path folder = resolved_path(output.path).parent_path();
    if (!fs::is_directory(folder, error)) {
      const fs::path named = output.path.parent_path();
      refuse(output,
             "cannot be written: there is no folder " +
                 (named.empty() || fs::is_directory(named, error) ? folder : named).string());
    }
    if (::access(folder.c_str(), W_OK) == 0) return;
  }
  refuse(output, "cannot be written: " + std::generic_category().message(errno));
}

void check_output(const NamedFile& output, const Identity& file,
                  std::span<const NamedFile> inputs) {
  if (is_standard_output(output.path)) return;
  refuse_kind(output);
  const fs::path target = resolved_path(output.path);
  if (has_result_name(target) && is_run_folder(target.parent_path())) {
    refuse(output,
           "would be among the results of a run, or replace them. Name another file or folder");
  }
  for (const NamedFile& input : inputs) {
    if (!is_read(file, input.path)) continue;
    refuse(output, "is what this command reads; it would be lost. Name another file");
  }
  std::error_code error;
  const bool is_file = fs::is_regular_file(target, error);
  if (const auto what = is_file ? reason_to_protect(target) : std::nullopt) {
    refuse(output, *what + "; it would be lost. Name another file");
  }
  if (leads_elsewhere(output.path)) {
    refuse(output,
           formatted("is a link to {}, in another folder. Name that file", target.string()));
  }
  if (is_file && !output.forced && fs::file_size(target, error) > 0 && !is_own(target)) {
    refuse(output,
           "exists and was not written by stepbench: it is not replaced. Name another file, or "
           "give --force");
  }
  refuse_unwritable(output);
}

bool lies_below(const fs::path& file, const fs::path& folder) {
  for (fs::path above = resolved_path(file); above.has_relative_path();) {
    above = above.parent_path();
    if (above == folder) return true;
  }
  return false;
}

// Files of an output folder may be replaced, directly or through a link: it must not contain
// inputs.
void check_output_folder(const NamedFile& output, std::span<const NamedFile> inputs) {
  std::error_code error;
  const fs::path folder = resolved_path(output.path);
  if (!fs::exists(folder, error)) return;
  if (!fs::is_directory(folder, error)) refuse(output, "is not a folder");
  std::vector<Identity> there;
  fs::directory_iterator entry{folder, error};
  for (; !error && entry != fs::directory_iterator{}; entry.increment(error)) {
    there.push_back(identity_of(entry->path()));
  }
  for (const NamedFile& input : inputs) {
    if (input.path.empty() || !fs::exists(input.path, error)) continue;
    if (lies_below(input.path, folder) ||
        std::ranges::find(there, identity_of(input.path)) != there.end()) {
      refuse(output, formatted("holds what this command reads ({} {}). Name another folder",
                               input.option, input.path.string()));
    }
  }
}

}  // namespace

fs::path resolved_path(const fs::path& path) {
  std::error_code error;
  return follow(fs::absolute(path, error), kMaxLinks);
}

bool leads_elsewhere(const fs::path& file) {
  std::error_code error;
  if (!fs::is_symlink(file, error)) return false;
  const fs::path folder = resolved_path(fs::absolute(file, error).parent_path());
  return folder != "/dev" && !folder.string().starts_with("/proc/") &&
         resolved_path(file).parent_path() != folder;
}

bool is_standard_output(const fs::path& file) {
  if (file == "-") return true;
  const bool is_of_system =
      file.string().starts_with("/dev/") || file.string().starts_with("/proc/");
  struct stat named {};
  struct stat ours {};
  return is_of_system && ::stat(file.c_str(), &named) == 0 && ::fstat(STDOUT_FILENO, &ours) == 0 &&
         named.st_dev == ours.st_dev && named.st_ino == ours.st_ino;
}

void check_files(const CommandFiles& files) {
  std::vector<std::pair<Identity, const NamedFile*>> before;
  for (const NamedFile& output : files.outputs) {
    if (output.path.empty()) continue;
    const Identity file = identity_of(output.path);
    check_output(output, file, files.inputs);
    for (const auto& [other, named] : before) {
      if (file == other) refuse(output, "is the same file as " + named->option);
    }
    before.emplace_back(file, &output);
  }
  for (const NamedFile& output : files.output_folders) {
    if (!output.path.empty()) check_output_folder(output, files.inputs);
  }
}

namespace {

namespace fs = std::filesystem;

// The nearest name with the same extension, or the same stem with another extension: train.yml is
// train.yaml.
std::string similar_in(const fs::path& folder, const fs::path& name) {
  std::vector<std::string> stems;
  std::vector<std::string> kinds;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, ignored)) {
    const fs::path other = entry.path().filename();
    if (!entry.exists(ignored)) continue;  // a dangling link, possibly the file in question
    if (other.stem() == name.stem()) kinds.push_back(other.string());
    if (other.extension() == name.extension()) stems.push_back(other.stem().string());
  }
  std::sort(stems.begin(), stems.end());
  std::sort(kinds.begin(), kinds.end());
  const std::string kind = text::nearest(name.string(), kinds);
  if (!kind.empty()) return (folder / kind).string();
  const std::string similar = text::nearest(name.stem().string(), stems);
  return similar.empty() ? similar : (folder / (similar + name.extension().string())).string();
}

}  // namespace

std::string why_absent(const fs::path& path, std::string otherwise) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0) return otherwise;
  const int why = errno;
  if (why == ELOOP) return "cannot be opened: a symbolic link leads to itself";
  if (why != ENOENT && why != ENOTDIR)
    return "cannot be opened: " + std::generic_category().message(why);
  std::error_code error;
  const fs::path target = fs::read_symlink(path, error);
  return error ? otherwise : formatted("is a link to {}, which does not exist", target.string());
}

std::string similar_file_hint(const fs::path& path) {
  const fs::path name = path.filename();
  std::string similar = similar_in(path.parent_path(), name);
  if (similar.empty()) similar = similar_in(path.parent_path() / "configs", name);
  return text::did_you_mean(similar);
}

}  // namespace stepbench::os
