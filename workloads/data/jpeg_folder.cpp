// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/jpeg_folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "harness/error.h"
#include "workloads/data/file_bytes.h"
#include "workloads/data/jpeg_decoder.h"

namespace stepbench {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 28;
constexpr std::int64_t kMaxSkipsInARow = 100;
// torchvision's recipe for evaluation: resize to 256, crop 224.
constexpr std::int64_t kEvalResize = 256;
constexpr std::int64_t kEvalCrop = 224;

// Largest of 1, 2, 4, 8 at which the part that becomes the tensor still has `size` pixels in both
// directions.
int shrink_divisor(double width, double height, std::int64_t size) {
  int divisor = 8;
  while (divisor > 1 && std::min(width, height) < static_cast<double>(size * divisor)) divisor /= 2;
  return divisor;
}

std::string format_of(std::span<const std::byte> bytes) {
  using namespace std::string_view_literals;
  constexpr std::array kFormats = {std::pair{"\x89PNG"sv, "PNG"}, std::pair{"GIF8"sv, "GIF"},
                                   std::pair{"BM"sv, "BMP"},      std::pair{"RIFF"sv, "WebP"},
                                   std::pair{"II*\0"sv, "TIFF"},  std::pair{"MM\0*"sv, "TIFF"},
                                   std::pair{"P5"sv, "PGM"},      std::pair{"P6"sv, "PPM"}};
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const auto& [start, name] : kFormats) {
    if (text.starts_with(start)) return name;
  }
  return {};
}

}  // namespace

// What one reading thread keeps from sample to sample.
struct JpegFolder::Work final : Dataset::Scratch {
  JpegDecoder decoder;
  std::vector<std::byte> file;
  ResampleAxis x, y;
  std::vector<std::uint8_t> ring;  // the decoded rows that the next output rows need
  std::vector<const std::uint8_t*> ring_rows;
  std::vector<const std::uint8_t*> rows;
  std::vector<float> blended;
};

JpegFolder::JpegFolder(JpegFolderOptions options)
    : options_(std::move(options)), folder_(scan_image_folder(options_.path)) {
  fields_ = {{.name = "image",
              .shape = {3, options_.image_size, options_.image_size},
              .dtype = DType::kFloat32},
             {.name = "label", .shape = {}, .dtype = DType::kInt64}};
}

std::unique_ptr<Dataset::Scratch> JpegFolder::make_scratch() const {
  return std::make_unique<Work>();
}

Crop JpegFolder::crop_of(const SampleKey& key, std::int64_t width, std::int64_t height) {
  Philox random(key.seed, static_cast<std::uint64_t>(key.index),
                static_cast<std::uint32_t>(key.epoch));
  return random_resized_crop(width, height, random);
}

void JpegFolder::read(const SampleKey& key, SampleSlots out, Scratch& scratch,
                      ReadCost& cost) const {
  auto& work = static_cast<Work&>(scratch);
  if (!options_.skip_errors) return read_one(key, out, work, cost);
  const std::int64_t tries = std::min(size(), kMaxSkipsInARow);
  std::string first_error;
  for (std::int64_t i = 0; i < tries; ++i) {
    SampleKey next = key;
    next.index = (key.index + i) % size();
    try {
      return read_one(next, out, work, cost);
    } catch (const Error& error) {
      if (i == 0) {
        ++cost.skipped;
        first_error = error.what();
      }
    }
  }
  throw Error("data.on_error: skip found " + std::to_string(tries) +
              " unreadable files in a row; the first: " + first_error);
}

void JpegFolder::read_one(const SampleKey& key, SampleSlots out, Work& work, ReadCost& cost) const {
  const ImageFolder::File& file = folder_.files.at(static_cast<std::size_t>(key.index));
  const auto now = [&] { return cost.clock != nullptr ? cost.clock->now_ns() : 0; };
  const std::int64_t began = now();
  std::int64_t fetched = began;
  try {
    read_file(file.path, kMaxFileBytes, work.file);
    fetched = now();
    if (const std::string format = format_of(work.file); !format.empty()) {
      throw Error("is a " + format + " file; data.kind jpeg_folder reads JPEG alone");
    }
    decode(key, reinterpret_cast<float*>(out[0]), work);
    work.decoder.close();
  } catch (const Error& error) {
    work.decoder.close();
    cost.fetch_ns += fetched - began;
    cost.decode_ns += now() - fetched;
    throw Error(file.path + ": " + error.what());
  }
  const std::int64_t label = file.label;
  std::memcpy(out[1], &label, sizeof label);
  cost.fetch_ns += fetched - began;
  cost.decode_ns += now() - fetched;
}

void JpegFolder::decode(const SampleKey& key, float* out, Work& work) const {
  const std::int64_t size = options_.image_size;
  JpegDecoder::Size image = work.decoder.open(work.file);
  const auto shrink_to = [&](double width, double height) {
    const int divisor = options_.fast_decode ? shrink_divisor(width, height, size) : 1;
    if (divisor > 1) image = work.decoder.shrink(divisor);
    return static_cast<double>(divisor);
  };
  bool flip = false;
  if (options_.augment) {
    const Crop crop = crop_of(key, image.width, image.height);
    flip = crop.flip;
    const double d = shrink_to(static_cast<double>(crop.width), static_cast<double>(crop.height));
    const auto axis = [&](std::int64_t begin, std::int64_t extent, std::int64_t limit,
                          ResampleAxis& to) {
      make_axis(static_cast<double>(begin) / d, static_cast<double>(begin + extent) / d, limit,
                size, 0, size, to);
    };
    axis(crop.left, crop.width, image.width, work.x);
    axis(crop.top, crop.height, image.height, work.y);
  } else {
    const CenterWindow window =
        center_window(image.width, image.height, size * kEvalResize / kEvalCrop, size);
    const auto width = static_cast<double>(image.width);
    const auto height = static_cast<double>(image.height);
    const double d =
        shrink_to(width * static_cast<double>(size) / static_cast<double>(window.resized_width),
                  height * static_cast<double>(size) / static_cast<double>(window.resized_height));
    make_axis(0, width / d, image.width, window.resized_width, window.left, size, work.x);
    make_axis(0, height / d, image.height, window.resized_height, window.top, size, work.y);
  }

  work.decoder.start({.left = work.x.low,
                      .top = work.y.low,
                      .width = work.x.high - work.x.low,
                      .height = work.y.high - work.y.low});
  const std::size_t row_bytes = work.decoder.row_bytes();
  const auto taps = static_cast<std::size_t>(work.y.taps);
  work.ring.resize(row_bytes * taps);
  work.ring_rows.resize(taps);
  work.rows.resize(taps);
  std::size_t decoded = 0;
  for (std::int64_t row = 0; row < size; ++row) {
    const auto first = static_cast<std::size_t>(work.y.first[static_cast<std::size_t>(row)]);
    for (; decoded < first + taps; ++decoded) {
      work.ring_rows[decoded % taps] =
          work.decoder.next_row(work.ring.data() + decoded % taps * row_bytes);
    }
    for (std::size_t t = 0; t < taps; ++t) work.rows[t] = work.ring_rows[(first + t) % taps];
    float* red = out + row * size;
    resample_row(work.rows, work.y.weights.data() + row * work.y.taps, work.x, flip, normalization_,
                 {red, red + size * size, red + 2 * size * size}, work.blended);
  }
}

std::string JpegFolder::digest() const {
  std::int64_t bytes = 0;
  for (const ImageFolder::File& file : folder_.files) {
    struct stat status {};
    if (::stat(file.path.c_str(), &status) == 0) bytes += status.st_size;
  }
  return "jpeg_folder:" + std::to_string(folder_.files.size()) + ":" + std::to_string(bytes) + ":" +
         std::to_string(folder_.classes.size());
}

}  // namespace stepbench
