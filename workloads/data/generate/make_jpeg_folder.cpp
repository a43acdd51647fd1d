// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/generate/make_jpeg_folder.h"

#include <algorithm>
#include <atomic>
#include <sstream>
#include <string>
#include <system_error>

#include "harness/base/error.h"
#include "workloads/data/in_parallel.h"

namespace stepbench::data {
namespace {

namespace fs = std::filesystem;

void check_range(const char* option, std::int64_t value, std::int64_t min, std::int64_t max) {
  if (value < min || value > max) {
    throw ConfigError(option, std::to_string(value) + " is outside " + std::to_string(min) +
                                  " to " + std::to_string(max));
  }
}

void check(const JpegFolderPlan& plan) {
  check_range("--images", plan.images, 1, 100'000'000);
  check_range("--classes", plan.classes, 1, 100'000);
  check_range("--width", plan.width, 1, 16'384);
  check_range("--height", plan.height, 1, 16'384);
  check_range("--quality", plan.quality, 1, 100);
  if (plan.images < plan.classes) {
    throw ConfigError("--images", std::to_string(plan.images) + " images cannot fill " +
                                      std::to_string(plan.classes) +
                                      " classes; every class needs one");
  }
}

std::string manifest(const JpegFolderPlan& plan) {
  std::ostringstream text;
  text << "Made by stepbench data make jpeg_folder; version 1\n"
       << "images " << plan.images << "\nclasses " << plan.classes << "\nseed " << plan.seed
       << "\nwidth " << plan.width << "\nheight " << plan.height << "\nquality " << plan.quality
       << "\n";
  return text.str();
}

// Relative to the set's folder.
fs::path path_of(const JpegFolderPlan& plan, std::int64_t index) {
  const auto padded = [](std::int64_t value, int digits) {
    std::string text = std::to_string(value);
    return std::string(
               static_cast<std::size_t>(std::max(0, digits - static_cast<int>(text.size()))), '0') +
           text;
  };
  return fs::path("class_" + padded(index % plan.classes, 5)) /
         ("image_" + padded(index, 8) + ".jpg");
}

}  // namespace

MadeFolder make_jpeg_folder(const JpegFolderPlan& plan, const MakeProgress& progress) {
  check(plan);
  MadeSet set(plan.out, manifest(plan));
  for (std::int64_t label = 0; label < plan.classes; ++label) {
    const fs::path folder = plan.out / path_of(plan, label).parent_path();
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw ConfigError(folder.string(), "cannot be created: " + error.message());
  }
  std::atomic<std::int64_t> made = 0;
  std::atomic<std::int64_t> bytes = 0;
  in_parallel(
      plan.images,
      [&](std::int64_t index) {
        const fs::path path = path_of(plan, index);
        if (const std::int64_t present = set.size_of(path); present >= 0) {
          bytes += present;
          return;
        }
        const std::vector<std::byte> image = make_photograph(plan, index);
        MadeSet::write(plan.out / path, image);
        bytes += static_cast<std::int64_t>(image.size());
        ++made;
      },
      progress);
  set.finish();
  return {.made = made, .bytes = bytes};
}

std::vector<MakerOption> photograph_options() {
  return {{"images", "Number of images", 512, 1, 100'000'000},
          {"classes", "Number of classes", 10, 1, 100'000},
          seed_option(),
          {"width", "Width of most images in pixels; some are turned or cut", 500, 1, 16'384},
          {"height", "Height of most images in pixels", 375, 1, 16'384},
          {"quality", "JPEG quality, 1 to 100", 96, 1, 100}};
}

JpegFolderPlan photograph_plan(const MakerValues& values) {
  return {.out = values.out,
          .images = values.at("images"),
          .classes = values.at("classes"),
          .seed = static_cast<std::uint64_t>(values.at("seed")),
          .width = static_cast<int>(values.at("width")),
          .height = static_cast<int>(values.at("height")),
          .quality = static_cast<int>(values.at("quality"))};
}

const Maker& jpeg_folder_maker() {
  static const Maker row = {
      .kind = "jpeg_folder",
      .doc = "Photograph-like JPEG files in one sub-folder per class",
      .examples =
          "  A small set with the sizes of ImageNet's files (about 500 x 375, 109 kB each):\n"
          "    stepbench data make jpeg_folder --images 512 --classes 10 --out data/imagefolder\n"
          "  Large photographs, to see what data.decode: fast gains:\n"
          "    stepbench data make jpeg_folder --images 64 --classes 4 --width 3000 --height 2000 "
          "--out data/large\n"
          "Then measure:\n"
          "    STEPBENCH_DATA=data/imagefolder stepbench run configs/dataloader_sweep.yaml",
      .options = photograph_options(),
      .counted = "images",
      .make = [](const MakerValues& values, const MakeProgress& progress) {
        return make_jpeg_folder(photograph_plan(values), progress);
      }};
  return row;
}

}  // namespace stepbench::data
