// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <ostream>
#include <string>

#include "tools/stepbench/command.h"
#include "workloads/data/make_jpeg_folder.h"

namespace stepbench::cli {
namespace {

std::string with_unit(double bytes) {
  const char* unit = "B";
  for (const char* larger : {"kB", "MB", "GB"}) {
    if (bytes < 1000) break;
    bytes /= 1000;
    unit = larger;
  }
  char text[32];
  (void)std::snprintf(text, sizeof text, "%.3g %s", bytes, unit);
  return text;
}

void make_and_tell(const JpegFolderPlan& plan, const Environment& environment) {
  MakeProgress progress;
  if (environment.err_is_terminal) {
    progress = [&](std::int64_t done) {
      environment.err << "\r" << done << " of " << plan.images << " images" << std::flush;
    };
  }
  const MadeFolder made = make_jpeg_folder(plan, progress);
  if (environment.err_is_terminal) environment.err << "\r\033[K" << std::flush;
  environment.out << plan.out.string() << ": " << plan.images << " JPEG files in " << plan.classes
                  << " classes, " << with_unit(static_cast<double>(made.bytes)) << ", "
                  << with_unit(static_cast<double>(made.bytes) / static_cast<double>(plan.images))
                  << " each on average";
  if (made.made == 0) environment.out << " (already there)";
  environment.out << "\n";
}

}  // namespace

void add_data(CLI::App& app, const Environment& environment, int& exit_code) {
  CLI::App* data = app.add_subcommand("data", "Make data sets to measure with");
  data->require_subcommand(1);
  CLI::App* make = data->add_subcommand("make", "Make a data set of a given kind");
  make->require_subcommand(1);
  make->footer(
      "Example:\n  stepbench data make jpeg_folder --images 512 --classes 10 --out "
      "data/imagefolder");

  const auto plan = std::make_shared<JpegFolderPlan>();
  CLI::App* jpeg =
      make->add_subcommand("jpeg_folder", "Photograph-like JPEG files in one sub-folder per class");
  jpeg->add_option("--out", plan->out,
                   "Folder to make; it must be new, empty, or hold the same set")
      ->required();
  jpeg->add_option("--images", plan->images, "Number of files")->capture_default_str();
  jpeg->add_option("--classes", plan->classes, "Number of sub-folders")->capture_default_str();
  jpeg->add_option("--seed", plan->seed, "The same options give the same files, byte for byte")
      ->capture_default_str();
  jpeg->add_option("--width", plan->width, "Width of most images in pixels; some are turned or cut")
      ->capture_default_str();
  jpeg->add_option("--height", plan->height, "Height of most images in pixels")
      ->capture_default_str();
  jpeg->add_option("--quality", plan->quality, "JPEG quality, 1 to 100")->capture_default_str();
  jpeg->footer(
      "Examples:\n"
      "  A small set with the sizes of ImageNet's files (about 500 x 375, 109 kB each):\n"
      "    stepbench data make jpeg_folder --images 512 --classes 10 --out data/imagefolder\n"
      "  Large photographs, to see what data.decode: fast gains:\n"
      "    stepbench data make jpeg_folder --images 64 --classes 4 --width 3000 --height 2000 "
      "--out data/large\n"
      "Then measure:\n"
      "    STEPBENCH_DATA=data/imagefolder stepbench run configs/dataloader_sweep.yaml");
  jpeg->callback([plan, &environment, &exit_code] {
    make_and_tell(*plan, environment);
    exit_code = kOk;
  });
}

}  // namespace stepbench::cli
