// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/makers.h"

#include <algorithm>
#include <utility>

#include "harness/base/error.h"
#include "workloads/data/make_formats.h"
#include "workloads/data/make_jpeg_folder.h"

namespace stepbench {
namespace {

constexpr std::int64_t kMany = 1'000'000'000;

MakerOption seed() {
  return {"seed", "The same options give the same files, byte for byte", 0, 0, INT64_MAX};
}
MakerOption samples(std::int64_t otherwise) {
  return {"samples", "Number of samples", otherwise, 1, kMany};
}
MakerOption classes(std::int64_t otherwise, std::int64_t max) {
  return {"classes", "Number of classes; sample i has label i modulo classes", otherwise, 1, max};
}
MakerOption size() { return {"size", "Height and width of an image in pixels", 32, 1, 4096}; }
MakerOption channels() { return {"channels", "Planes of an image", 3, 1, 1024}; }
std::vector<MakerOption> photographs() {
  return {{"images", "Number of images", 512, 1, 100'000'000},
          {"classes", "Number of classes", 10, 1, 100'000},
          seed(),
          {"width", "Width of most images in pixels; some are turned or cut", 500, 1, 16'384},
          {"height", "Height of most images in pixels", 375, 1, 16'384},
          {"quality", "JPEG quality, 1 to 100", 96, 1, 100}};
}

std::vector<MakerOption> sharded(std::vector<MakerOption> options) {
  options.push_back({"shards", "Number of tar files; each worker reads whole ones", 8, 1, 100'000});
  return options;
}

MadeFolder jpeg_folder(const MakerValues& values, const MakeProgress& progress) {
  return make_jpeg_folder(photograph_plan(values), progress);
}

std::vector<Maker> table() {
  std::vector<Maker> rows = {
      {.kind = "jpeg_folder",
       .doc = "Photograph-like JPEG files in one sub-folder per class",
       .examples =
           "  A small set with the sizes of ImageNet's files (about 500 x 375, 109 kB each):\n"
           "    stepbench data make jpeg_folder --images 512 --classes 10 --out data/imagefolder\n"
           "  Large photographs, to see what data.decode: fast gains:\n"
           "    stepbench data make jpeg_folder --images 64 --classes 4 --width 3000 --height 2000 "
           "--out data/large\n"
           "Then measure:\n"
           "    STEPBENCH_DATA=data/imagefolder stepbench run configs/dataloader_sweep.yaml",
       .options = photographs(),
       .counted = "images",
       .make = jpeg_folder},
      {.kind = "mnist_idx",
       .doc = "The two files of MNIST's training set: train-images-idx3-ubyte and "
              "train-labels-idx1-ubyte",
       .examples = "    stepbench data make mnist_idx --out data/mnist\n"
                   "  and in the configuration: data: {kind: mnist_idx, path: data/mnist}",
       .options = {samples(60'000), classes(10, 256), seed(), size()},
       .counted = "samples",
       .make = make_mnist_idx},
      {.kind = "cifar_bin",
       .doc = "CIFAR's binary version: five batch files, or train.bin with --labels cifar100",
       .examples = "    stepbench data make cifar_bin --samples 50000 --out data/cifar10\n"
                   "  and in the configuration: data: {kind: cifar_bin, path: data/cifar10}",
       .options = {samples(50'000),
                   seed(),
                   {"labels", "Which of the two formats", 0, 0, 1, {"cifar10", "cifar100"}}},
       .counted = "samples",
       .make = make_cifar_bin},
      {.kind = "token_bin",
       .doc = "Files of token ids as nanoGPT or llm.c write them",
       .examples = "  As nanoGPT's train.bin, 20 MB:\n"
                   "    stepbench data make token_bin --tokens 10000000 --out data/tokens\n"
                   "  As llm.c's shards:\n"
                   "    stepbench data make token_bin --header llm.c --shards 4 --out data/llmc\n"
                   "  and in the configuration: data: {kind: token_bin, path: data/tokens}",
       .options = {{"tokens", "Number of tokens in all", 1'000'000, 2, 1'000'000'000'000},
                   {"vocabulary", "Tokens are drawn from 0 to vocabulary - 1", 50257, 1, 1 << 30},
                   {"shards", "Number of files", 1, 1, 10'000},
                   seed(),
                   {"header", "What stands before the tokens", 0, 0, 1, {"none", "llm.c"}},
                   {"token-type", "Type of a token", 0, 0, 1, {"uint16", "uint32"}}},
       .counted = "tokens",
       .make = make_token_bin},
      {.kind = "safetensors",
       .doc = "data.safetensors with the tensors image (uint8) and label (int64), the content of "
              "cifar_bin and raw_tensor with the same seed and size 32",
       .examples = "    stepbench data make safetensors --out data/tensors\n"
                   "  and in the configuration: data: {kind: safetensors, path: data/tensors}",
       .options = {samples(50'000), classes(10, 1'000'000), seed(), size(), channels()},
       .counted = "samples",
       .make = make_safetensors},
      {.kind = "raw_tensor",
       .doc = "input.bin (uint8 records) and target.bin (int64), without headers",
       .examples = "    stepbench data make raw_tensor --out data/raw\n"
                   "  and in the configuration: data: {kind: raw_tensor, path: data/raw, shape: "
                   "3x32x32}",
       .options = {samples(50'000), classes(10, 1'000'000), seed(), size(), channels()},
       .counted = "samples",
       .make = make_raw_tensor},
      {.kind = "webdataset",
       .doc = "Tar shards of the images of jpeg_folder, with .jpg, .cls and .json for each",
       .examples =
           "    stepbench data make webdataset --images 512 --shards 8 --out data/shards\n"
           "  and in the configuration: data: {kind: webdataset, path: data/shards, classes: "
           "10}",
       .options = sharded(photographs()),
       .counted = "images",
       .make = make_webdataset},
  };
  return rows;
}

}  // namespace

JpegFolderPlan photograph_plan(const MakerValues& values) {
  return {.out = values.out,
          .images = values.at("images"),
          .classes = values.at("classes"),
          .seed = static_cast<std::uint64_t>(values.at("seed")),
          .width = static_cast<int>(values.at("width")),
          .height = static_cast<int>(values.at("height")),
          .quality = static_cast<int>(values.at("quality"))};
}

const std::vector<Maker>& makers() {
  static const std::vector<Maker> all = table();
  return all;
}

MakerValues maker_values(const Maker& maker, std::filesystem::path out) {
  MakerValues values{.out = std::move(out)};
  for (const MakerOption& option : maker.options) {
    values.options[option.name] = option.default_value;
  }
  return values;
}

std::string maker_manifest(const std::string& kind, const MakerValues& values) {
  const Maker& maker = *std::ranges::find(makers(), kind, &Maker::kind);
  std::string text = "Made by stepbench data make " + maker.kind + "; version 1\n";
  for (const MakerOption& option : maker.options) {
    const std::int64_t value = values.at(option.name);
    text += option.name + " " +
            (option.choices.empty() ? std::to_string(value)
                                    : option.choices.at(static_cast<std::size_t>(value))) +
            "\n";
  }
  return text;
}

MadeFolder make_data(const Maker& maker, const MakerValues& values, const MakeProgress& progress) {
  for (const MakerOption& option : maker.options) {
    const std::int64_t value = values.at(option.name);
    if (value >= option.min && value <= option.max) continue;
    throw ConfigError("--" + option.name, std::to_string(value) + " is outside " +
                                              std::to_string(option.min) + " to " +
                                              std::to_string(option.max));
  }
  return maker.make(values, progress);
}

}  // namespace stepbench
