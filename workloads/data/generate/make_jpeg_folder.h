// SPDX-License-Identifier: Apache-2.0
// Makes a folder of photograph-like JPEG files to measure with when no real ones are at hand.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "workloads/data/generate/made_set.h"
#include "workloads/data/generate/maker.h"

namespace stepbench::data {

struct JpegFolderPlan {
  std::filesystem::path out;
  std::int64_t images = 512;
  std::int64_t classes = 10;
  std::uint64_t seed = 0;
  int width = 500;  // of most images; others are turned or cut, as in ImageNet
  int height = 375;
  int quality = 96;
};

// The content is a function of the plan. What is there already is kept, so an interrupted call can
// be repeated. Throws ConfigError: a bad number (named as its command-line option), a folder with
// other things in it, a full disk.
MadeFolder make_jpeg_folder(const JpegFolderPlan& plan, const MakeProgress& progress);

// One image of such a set, encoded.
[[nodiscard]] std::vector<std::byte> make_photograph(const JpegFolderPlan& plan,
                                                     std::int64_t index);

// As `stepbench data make` describes such a set, for this maker and others of the same images.
[[nodiscard]] std::vector<MakerOption> photograph_options();
[[nodiscard]] JpegFolderPlan photograph_plan(const MakerValues& values);
[[nodiscard]] const Maker& jpeg_folder_maker();

}  // namespace stepbench::data
