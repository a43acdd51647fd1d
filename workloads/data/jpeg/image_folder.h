// SPDX-License-Identifier: Apache-2.0
// The files of an image folder, in the order of torchvision's ImageFolder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "workloads/data/left_out.h"

namespace stepbench::data {

// The files of a folder with one sub-folder per class, in the order of torchvision's ImageFolder:
// classes are the sorted names of the direct sub-folders; below each, files with an image
// extension, folder by folder, sorted. Links are followed, but not in circles.
struct ImageFolder {
  struct File {
    std::string path;
    std::int32_t label = 0;
  };
  std::vector<std::string> classes;
  std::vector<File> files;
  // Links that lead nowhere, and what has an image's name but is no file.
  LeftOut left_out;
  std::int64_t hidden_files = 0;  // among `files`: "._cat.jpg", which a Mac keeps beside cat.jpg
};

// What is worth saying of the folder: what is left out, and what is hidden and taken all the same.
[[nodiscard]] std::vector<std::string> notes_of(const ImageFolder& folder);

// Throws ConfigError naming the folder: it is missing, has no class, or a class has no image.
[[nodiscard]] ImageFolder scan_image_folder(const std::filesystem::path& root);

}  // namespace stepbench::data
