// SPDX-License-Identifier: Apache-2.0
// Files of data sets.
#include <vector>

#include "harness/base/error.h"
#include "tests/fuzz/targets.h"
#include "workloads/data/internal/formats/cifar_bin.h"
#include "workloads/data/internal/formats/mnist_idx.h"
#include "workloads/data/internal/formats/tensor_files.h"
#include "workloads/data/internal/formats/token_bin.h"
#include "workloads/data/internal/formats/web_dataset.h"
#include "workloads/data/internal/jpeg/jpeg_sample.h"

namespace stepbench::fuzz {
namespace {

void cifar_bin(Input input) {
  const MemoryFile file(input);
  for (const bool hundred : {false, true}) {
    read_samples([&] { return data::open_cifar_bin({file.path()}, hundred, {}); });
  }
}

void jpeg(Input input) {
  std::vector<float> image(3 * 16 * 16);
  for (const bool fast : {false, true}) {
    data::JpegSample sample({.image_size = 16, .augment = fast, .fast_decode = fast});
    try {
      sample.decode({}, std::as_bytes(input), image.data());
    } catch (const Error&) {
    }
  }
}

void mnist_idx(Input input) {
  const TwoFiles files = split(input);
  const MemoryFile images(files.first);
  const MemoryFile labels(files.second);
  read_samples([&] { return data::open_mnist_idx({images.path(), labels.path()}, {}); });
}

void raw_tensor(Input input) {
  if (input.empty()) return;
  // The first byte chooses the shape.
  const std::vector<std::int64_t> shape = {1 + input[0] % 16, 1 + input[0] / 16};
  const MemoryFile file(input.subspan(1));
  for (const DType stored : {DType::kUInt8, DType::kInt32, DType::kInt64, DType::kFloat32}) {
    read_samples([&] {
      return data::open_raw_tensor(
          {.common = {.path = file.path(), .as_float = true}, .shape = shape, .stored = stored});
    });
  }
}

void safetensors(Input input) {
  const MemoryFile file(input);
  read_samples([&] { return data::open_safetensors({.common = {.path = file.path()}}); });
  read_samples([&] {
    return data::open_safetensors(
        {.common = {.path = file.path(), .as_float = true}, .input = "label", .target = ""});
  });
}

void token_bin(Input input) {
  const MemoryFile file(input);
  for (const bool random : {false, true}) {
    read_samples([&] {
      return std::make_unique<data::TokenBin>(data::TokenBinOptions{.path = file.path(),
                                                                    .wide = random,
                                                                    .sequence_length = 8,
                                                                    .vocabulary = 90,
                                                                    .random = random});
    });
  }
}

void webdataset(Input input) {
  const MemoryFile file(input);
  for (const std::int64_t buffer : {0, 3}) {
    read_samples([&] {
      return std::make_unique<data::WebDataset>(data::WebDatasetOptions{.path = file.path(),
                                                                        .image = {.image_size = 8},
                                                                        .classes = 10,
                                                                        .shuffle_buffer = buffer});
    });
  }
}

}  // namespace

const std::vector<Target>& data_targets() {
  static const std::vector<Target> all = {{"cifar_bin", cifar_bin},     {"jpeg", jpeg},
                                          {"mnist_idx", mnist_idx},     {"raw_tensor", raw_tensor},
                                          {"safetensors", safetensors}, {"token_bin", token_bin},
                                          {"webdataset", webdataset}};
  return all;
}

}  // namespace stepbench::fuzz
