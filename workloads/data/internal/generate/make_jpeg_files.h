// SPDX-License-Identifier: Apache-2.0
// Makes photograph-like JPEG files, for measuring without a real data set: a folder of them, or tar
// shards with the same images.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "workloads/data/internal/generate/maker.h"

namespace stepbench::data {

struct JpegFolderPlan {
  std::filesystem::path out;
  std::int64_t images = 512;
  std::int64_t classes = 10;
  std::uint64_t seed = 0;
  int width = 500;  // of most images; others are rotated or cropped, as in ImageNet
  int height = 375;
  int quality = 96;
};

// The content is a function of the plan. Existing files are kept, so an interrupted call can be
// repeated. Throws ConfigError for an invalid number (named as its command-line option), a folder
// with other content, or a full disk.
MadeFolder make_jpeg_folder(const JpegFolderPlan& plan, const MakeProgress& progress);

// Returns one encoded image of such a set.
[[nodiscard]] std::vector<std::byte> make_photograph(const JpegFolderPlan& plan,
                                                     std::int64_t index);

// Options of `stepbench data make`, shared by this maker and others of the same images.
[[nodiscard]] std::vector<MakerOption> photograph_options();
[[nodiscard]] JpegFolderPlan photograph_plan(const MakerValues& values);
[[nodiscard]] const Maker& jpeg_folder_maker();

// Maker of tar shards with the same images.

[[nodiscard]] const Maker& webdataset_maker();

}  // namespace stepbench::data
