// SPDX-License-Identifier: Apache-2.0
// Turns JPEG files into tensors in several ways, for decode_instructions.py to count. What read()
// does is counted; the first pass over the files, which allocates and builds tables, is not.
//
//   decode_instructions FOLDER make WIDTH HEIGHT IMAGES
//   decode_instructions FOLDER decode|bare|exact|fast     answers with the number of images counted
//
// decode: libjpeg alone, the whole image. bare: that, then the crop resized from the whole image,
// as Python's libraries do it. exact, fast: data.decode.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string_view>
#include <vector>

extern "C" {
#include <jpeglib.h>
}

#include "workloads/data/data_files.h"
#include "workloads/data/internal/generate/make_jpeg_files.h"
#include "workloads/data/internal/jpeg/jpeg_folder.h"
#include "workloads/data/internal/jpeg/jpeg_sample.h"

namespace stepbench {
namespace {

constexpr std::int64_t kSize = 224;
constexpr std::size_t kMaxFileBytes = std::size_t{1} << 28;
constexpr std::int64_t kEpochs = 2;

using Files = std::vector<std::vector<std::byte>>;
using Read = std::function<void(const data::SampleKey&, std::span<const std::byte>, float*)>;

Files files_of(const char* folder) {
  Files files;
  for (const data::ImageFolder::File& file : data::scan_image_folder(folder).files)
    data::read_file(file.path, kMaxFileBytes, files.emplace_back());
  return files;
}

class BareReader {
 public:
  explicit BareReader(bool resize) : resize_(resize) {
    info_.err = jpeg_std_error(&errors_);  // ends the program
    jpeg_create_decompress(&info_);
  }
  BareReader(const BareReader&) = delete;
  BareReader& operator=(const BareReader&) = delete;
  ~BareReader() { jpeg_destroy_decompress(&info_); }

  void read(const data::SampleKey& key, std::span<const std::byte> file, float* out) {
    decode(file);
    if (resize_)
      resize(data::JpegSample::crop_of(key, info_.output_width, info_.output_height), out);
  }

 private:
  void decode(std::span<const std::byte> file) {
    jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(file.data()), file.size());
    (void)jpeg_read_header(&info_, TRUE);
    info_.out_color_space = JCS_EXT_RGBX;
    (void)jpeg_start_decompress(&info_);
    stride_ = std::size_t{4} * info_.output_width;
    pixels_.resize(stride_ * info_.output_height);
    while (info_.output_scanline < info_.output_height) {
      JSAMPROW row = pixels_.data() + stride_ * info_.output_scanline;
      (void)jpeg_read_scanlines(&info_, &row, 1);
    }
    (void)jpeg_finish_decompress(&info_);
  }
  void resize(const data::Crop& crop, float* out) {
    const auto axis = [](std::int64_t begin, std::int64_t extent, std::int64_t limit,
                         data::ResampleAxis& to) {
      data::make_axis(static_cast<double>(begin), static_cast<double>(begin + extent), limit, kSize,
                      0, kSize, to);
    };
    axis(crop.left, crop.width, info_.output_width, x_);
    axis(crop.top, crop.height, info_.output_height, y_);
    const auto taps = static_cast<std::size_t>(y_.taps);
    rows_.resize(taps);
    for (std::size_t y = 0; y < y_.first.size(); ++y) {
      for (std::size_t t = 0; t < taps; ++t) {
        const auto row = static_cast<std::size_t>(y_.low + y_.first[y]) + t;
        rows_[t] = pixels_.data() + row * stride_ + 4 * static_cast<std::size_t>(x_.low);
      }
      float* red = out + y * kSize;
      data::resample_row(rows_, y_.weights.data() + y * taps, x_, crop.flip, normalization_,
                         {red, red + kSize * kSize, red + 2 * kSize * kSize}, blended_);
    }
  }

  bool resize_;
  jpeg_decompress_struct info_ = {};
  jpeg_error_mgr errors_ = {};
  std::size_t stride_ = 0;
  std::vector<std::uint8_t> pixels_;
  data::ResampleAxis x_, y_;
  std::vector<const std::uint8_t*> rows_;
  std::vector<float> blended_;
  data::Normalization normalization_ = data::imagenet_normalization();
};

Read reader_of(std::string_view arm) {
  if (arm == "decode" || arm == "bare") {
    const auto bare = std::make_shared<BareReader>(arm == "bare");
    return [bare](const auto& key, auto file, float* out) { bare->read(key, file, out); };
  }
  const auto ours = std::make_shared<data::JpegSample>(
      data::JpegSampleOptions{.image_size = kSize, .fast_decode = arm == "fast"});
  return [ours](const auto& key, auto file, float* out) { ours->decode(key, file, out); };
}

}  // namespace

// Callgrind selects this function by its name.
[[gnu::noinline]] void read_counted(const Files& files, const Read& read, std::int64_t epoch) {
  std::vector<float> image(3 * kSize * kSize);
  for (std::size_t i = 0; i < files.size(); ++i)
    read({.index = static_cast<std::int64_t>(i), .epoch = epoch}, files[i], image.data());
}

namespace {

void run(int argc, char** argv) {
  if (argc == 6) {
    data::JpegFolderPlan plan;
    plan.out = argv[1];
    plan.classes = 1;
    plan.width = std::atoi(argv[3]);
    plan.height = std::atoi(argv[4]);
    plan.images = std::atoi(argv[5]);
    (void)data::make_jpeg_folder(plan, {});
    return;
  }
  const Files files = files_of(argv[1]);
  const Read read = reader_of(argv[2]);
  std::vector<float> image(3 * kSize * kSize);
  for (const auto& file : files) read({}, file, image.data());
  for (std::int64_t epoch = 0; epoch < kEpochs; ++epoch) read_counted(files, read, epoch);
  std::printf("%zu\n", files.size() * static_cast<std::size_t>(kEpochs));
}

}  // namespace
}  // namespace stepbench

int main(int argc, char** argv) {
  if (argc != 3 && argc != 6) {
    std::fputs(
        "usage: decode_instructions FOLDER make WIDTH HEIGHT IMAGES\n"
        "       decode_instructions FOLDER decode|bare|exact|fast\n",
        stderr);
    return 2;
  }
  try {
    stepbench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "decode_instructions: %s\n", error.what());
    return 1;
  }
  return 0;
}
