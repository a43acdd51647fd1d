// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/jpeg/image_folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/text/words.h"

namespace stepbench::data {
namespace {

namespace fs = std::filesystem;

// torchvision.datasets.folder.IMG_EXTENSIONS. Files other than JPEG keep their index; reading one
// is an error.
constexpr std::array<std::string_view, 9> kExtensions = {".jpg", ".jpeg", ".png",  ".ppm", ".bmp",
                                                         ".pgm", ".tif",  ".tiff", ".webp"};

bool is_image_name(std::string name) {
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::ranges::any_of(kExtensions,
                             [&](std::string_view extension) { return name.ends_with(extension); });
}

struct Listing {
  std::vector<std::string> folders;
  std::vector<std::string> files;
  SkippedFiles skipped_files;
};

Listing list(const std::string& folder) {
  Listing listing;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code unresolved;  // set for a dangling link, which is neither file nor folder
    const fs::file_status status = entry->status(unresolved);
    const std::string name = entry->path().filename().string();
    if (fs::is_directory(status)) {
      listing.folders.push_back(name);
    } else if (fs::is_regular_file(status)) {
      listing.files.push_back(name);
    } else if (entry->is_symlink(unresolved) || is_image_name(name)) {
      listing.skipped_files.add(*entry);
    }
  }
  if (error) throw ConfigError(folder, "cannot be listed: " + error.message());
  std::ranges::sort(listing.folders);
  std::ranges::sort(listing.files);
  return listing;
}

using FolderId = std::pair<dev_t, ino_t>;

// Like os.walk(followlinks=True), whose folders torchvision sorts by their full path.
void walk(const std::string& folder, std::vector<FolderId>& above,
          std::vector<std::string>& folders) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) return;
  const FolderId id{status.st_dev, status.st_ino};
  if (std::ranges::find(above, id) != above.end()) return;
  folders.push_back(folder);
  above.push_back(id);
  for (const std::string& name : list(folder).folders) walk(folder + "/" + name, above, folders);
  above.pop_back();
}

}  // namespace

std::vector<std::string> notes_of(const ImageFolder& folder) {
  std::vector<std::string> notes;
  const auto files = static_cast<std::int64_t>(folder.files.size());
  if (auto skipped_files = skipped_files_note(folder.skipped_files, files))
    notes.push_back(std::move(*skipped_files));
  if (folder.hidden_files > 0) {
    notes.push_back(std::to_string(folder.hidden_files) + " of " + text::counted(files, "file") +
                    " are hidden (names that begin with \"._\"): AppleDouble files of a Mac are "
                    "not images; `find -name '._*' -delete` removes them");
  }
  for (const std::string& name : folder.classes) {
    if (!name.starts_with('.')) continue;
    notes.push_back("the class '" + name +
                    "' is a hidden folder, which torchvision also takes for a class");
  }
  return notes;
}

ImageFolder scan_image_folder(const fs::path& root) {
  std::error_code error;
  const std::string top = root.string();
  if (!fs::exists(root, error)) {
    throw ConfigError(
        top, "no such folder; `stepbench data make jpeg_folder --out " + top + "` makes one");
  }
  if (!fs::is_directory(root, error)) throw ConfigError(top, "is not a folder");
  ImageFolder found;
  Listing above_classes = list(top);
  found.classes = std::move(above_classes.folders);
  found.skipped_files = above_classes.skipped_files;
  if (found.classes.empty()) {
    throw ConfigError(top, "has no sub-folder; one per class was expected, with the images inside");
  }
  for (std::size_t label = 0; label < found.classes.size(); ++label) {
    const std::size_t before = found.files.size();
    std::vector<FolderId> above;
    std::vector<std::string> folders;
    walk(top + "/" + found.classes[label], above, folders);
    std::ranges::sort(folders);
    for (const std::string& folder : folders) {
      const Listing listing = list(folder);
      found.skipped_files += listing.skipped_files;
      for (const std::string& name : listing.files) {
        if (is_image_name(name)) {
          found.hidden_files += name.starts_with("._") ? 1 : 0;
          found.files.push_back(
              {.path = folder + "/" + name, .label = static_cast<std::int32_t>(label)});
        }
      }
    }
    if (found.files.size() == before) {
      const auto skipped_files =
          skipped_files_note(found.skipped_files, static_cast<std::int64_t>(before));
      throw ConfigError(top + "/" + found.classes[label],
                        "the class has no image; expected files ending in .jpg or .jpeg" +
                            (skipped_files ? ". " + *skipped_files : std::string()));
    }
  }
  return found;
}

}  // namespace stepbench::data
