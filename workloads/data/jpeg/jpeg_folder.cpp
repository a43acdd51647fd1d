// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/jpeg/jpeg_folder.h"

#include <sys/stat.h>

#include <cstring>
#include <utility>

#include "harness/base/error.h"
#include "workloads/data/data_options.h"
#include "workloads/data/file_bytes.h"
#include "workloads/data/file_kind.h"
#include "workloads/data/read_skipping.h"

namespace stepbench::data {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 28;

Variant jpeg_folder_variant() {
  return {
      .name = "jpeg_folder",
      .doc =
          "JPEG files in one sub-folder per class, as torchvision's ImageFolder reads them: "
          "decoded as Pillow's convert(\"RGB\") does (EXIF rotation is not applied), cropped, "
          "resized, normalised with the ImageNet mean and deviation. Fields: image float32 (3, H, "
          "W), label int64.",
      .options =
          {
              {.name = "path",
               .type = OptionType::kPath,
               .doc = "Folder with one sub-folder per class. `stepbench data make jpeg_folder` "
                      "makes one.",
               .required = true,
               .identity = Identity::kContext,
               .must_exist = true},
              image_size_option(),
              augment_option(),
              decode_option(),
              jpeg_decoder_option(),
              on_error_option(),
          },
  };
}

}  // namespace

JpegFolder::JpegFolder(JpegFolderOptions options)
    : options_(std::move(options)), folder_(scan_image_folder(options_.path)) {
  fields_ = {{.name = "image",
              .shape = {3, options_.image_size, options_.image_size},
              .dtype = DType::kFloat32},
             {.name = "label", .shape = {}, .dtype = DType::kInt64}};
}

std::unique_ptr<Dataset::Scratch> JpegFolder::make_scratch() const {
  return std::make_unique<JpegSample>(JpegSampleOptions{.image_size = options_.image_size,
                                                        .augment = options_.augment,
                                                        .fast_decode = options_.fast_decode,
                                                        .own_huffman = options_.own_huffman});
}

void JpegFolder::read(const SampleKey& key, SampleSlots out, Scratch& scratch,
                      ReadCost& cost) const {
  auto& work = static_cast<JpegSample&>(scratch);
  if (!options_.skip_errors) return read_one(key, out, work, cost);
  read_skipping(key, size(), cost, [&](const SampleKey& next) { read_one(next, out, work, cost); });
}

void JpegFolder::read_one(const SampleKey& key, SampleSlots out, JpegSample& work,
                          ReadCost& cost) const {
  const ImageFolder::File& file = folder_.files.at(static_cast<std::size_t>(key.index));
  const auto now = [&] { return cost.clock != nullptr ? cost.clock->now_ns() : 0; };
  const std::int64_t began = now();
  std::int64_t fetched = began;
  try {
    read_file(file.path, kMaxFileBytes, work.file);
    fetched = now();
    if (const std::string_view kind = file_kind(work.file); !kind.empty() && kind != "JPEG") {
      throw Error("is a " + std::string(kind) + " file; data.kind jpeg_folder reads JPEG alone");
    }
    work.decode(key, work.file, reinterpret_cast<float*>(out[0]));
  } catch (const Error& error) {
    cost.fetch_ns += fetched - began;
    cost.decode_ns += now() - fetched;
    throw Error(file.path + ": " + error.what());
  }
  const std::int64_t label = file.label;
  std::memcpy(out[1], &label, sizeof label);
  cost.fetch_ns += fetched - began;
  cost.decode_ns += now() - fetched;
}

std::vector<std::int64_t> JpegFolder::labels(std::uint64_t) const {
  std::vector<std::int64_t> labels;
  labels.reserve(folder_.files.size());
  for (const ImageFolder::File& file : folder_.files) labels.push_back(file.label);
  return labels;
}

DatasetFacts JpegFolder::facts() const {
  return {
      .class_names = folder_.classes, .pixels = JpegSample::pixels(), .notes = notes_of(folder_)};
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

DataKind jpeg_folder_kind() {
  return {.variant = jpeg_folder_variant(),
          .input = [](const ResolvedCase&) { return InputKind::kImage; },
          .open = [](const ResolvedCase& resolved) -> std::unique_ptr<Dataset> {
            return std::make_unique<JpegFolder>(
                JpegFolderOptions{.path = resolved.text("data.path"),
                                  .image_size = resolved.integer("data.image_size"),
                                  .augment = resolved.flag("data.augment"),
                                  .fast_decode = resolved.text("data.decode") == "fast",
                                  .own_huffman = has_own_jpeg_decoder(resolved),
                                  .skip_errors = skips_errors(resolved)});
          }};
}

}  // namespace stepbench::data
