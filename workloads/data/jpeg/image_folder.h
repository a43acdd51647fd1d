// SPDX-License-Identifier: Apache-2.0
// Lists the files of an image folder, in the order of torchvision's ImageFolder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "workloads/data/left_out.h"

namespace stepbench::data {

// The files of a folder with one sub-folder per class, in the order of torchvision's ImageFolder:
// classes are the sorted names of the direct sub-folders; below each, files with an image
// extension, folder by folder, sorted. Links are followed, except in cycles.
struct ImageFolder {
  struct File {
    std::string path;
    std::int32_t label = 0;
  };
  std::vector<std::string> classes;
  std::vector<File> files;
  // Dangling links, and entries with an image's name that are not files.
  SkippedFiles skipped_files;
  std::int64_t hidden_files = 0;  // among `files`: "._cat.jpg", which macOS adds to cat.jpg
};

// Notes about the folder: skipped entries, and hidden files that are included.
[[nodiscard]] std::vector<std::string> notes_of(const ImageFolder& folder);

// Throws ConfigError naming the folder if it is missing, has no class, or a class has no image.
[[nodiscard]] ImageFolder scan_image_folder(const std::filesystem::path& root);

}  // namespace stepbench::data
