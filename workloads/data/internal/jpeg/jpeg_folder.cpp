// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/jpeg/jpeg_folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/os/files.h"
#include "harness/text/words.h"
#include "workloads/data/data_files.h"
#include "workloads/data/dataset.h"
#include "workloads/data/internal/unreadable_files.h"

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
      throw Error(formatted("is a {} file; data.kind jpeg_folder reads JPEG alone", kind));
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
  return formatted("jpeg_folder:{}:{}:{}", folder_.files.size(), bytes, folder_.classes.size());
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

namespace {

namespace fs = std::filesystem;

// torchvision.datasets.folder.IMG_EXTENSIONS. Files other than JPEG keep their index; reading one
// is an error.
constexpr std::array<std::string_view, 9> kExtensions = {".jpg", ".jpeg", ".png",  ".ppm", ".bmp",
                                                         ".pgm", ".tif",  ".tiff", ".webp"};

bool is_image_name(std::string name) {
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::ranges::any_of(kExtensions,
                             [&](std::string_view extension) { return name.ends_with(extension); });
}

struct Listing {
  std::vector<std::string> folders;
  std::vector<std::string> files;
  SkippedFiles skipped_files;
};

Listing list(const std::string& folder) {
  Listing listing;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code unresolved;  // set for a dangling link, which is neither file nor folder
    const fs::file_status status = entry->status(unresolved);
    const std::string name = entry->path().filename().string();
    if (fs::is_directory(status)) {
      listing.folders.push_back(name);
    } else if (fs::is_regular_file(status)) {
      listing.files.push_back(name);
    } else if (entry->is_symlink(unresolved) || is_image_name(name)) {
      listing.skipped_files.add(*entry);
    }
  }
  if (error) throw ConfigError(folder, "cannot be listed: " + error.message());
  std::ranges::sort(listing.folders);
  std::ranges::sort(listing.files);
  return listing;
}

using FolderId = std::pair<dev_t, ino_t>;

// Like os.walk(followlinks=True), whose folders torchvision sorts by their full path.
void walk(const std::string& folder, std::vector<FolderId>& above,
          std::vector<std::string>& folders) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) return;
  const FolderId id{status.st_dev, status.st_ino};
  if (std::ranges::find(above, id) != above.end()) return;
  folders.push_back(folder);
  above.push_back(id);
  for (const std::string& name : list(folder).folders) walk(folder + "/" + name, above, folders);
  above.pop_back();
}

}  // namespace

std::vector<std::string> notes_of(const ImageFolder& folder) {
  std::vector<std::string> notes;
  const auto files = static_cast<std::int64_t>(folder.files.size());
  if (auto skipped_files = skipped_files_note(folder.skipped_files, files))
    notes.push_back(std::move(*skipped_files));
  if (folder.hidden_files > 0) {
    notes.push_back(
        formatted("{} of {} are hidden (names that begin with \"._\"): AppleDouble files of a Mac "
                  "are not images; `find -name '._*' -delete` removes them",
                  folder.hidden_files, text::counted(files, "file")));
  }
  for (const std::string& name : folder.classes) {
    if (!name.starts_with('.')) continue;
    notes.push_back(formatted(
        "the class '{}' is a hidden folder, which torchvision also takes for a class", name));
  }
  return notes;
}

ImageFolder scan_image_folder(const fs::path& root) {
  std::error_code error;
  const std::string top = root.string();
  if (!fs::exists(root, error)) {
    throw ConfigError(
        top,
        os::why_absent(
            root, formatted("no such folder; `stepbench data make jpeg_folder --out {}` makes one",
                            top)));
  }
  if (!fs::is_directory(root, error)) throw ConfigError(top, "is not a folder");
  ImageFolder found;
  Listing above_classes = list(top);
  found.classes = std::move(above_classes.folders);
  found.skipped_files = above_classes.skipped_files;
  if (found.classes.empty()) {
    throw ConfigError(top, "has no sub-folder; one per class was expected, with the images inside");
  }
  for (std::size_t label = 0; label < found.classes.size(); ++label) {
    const std::size_t before = found.files.size();
    std::vector<FolderId> above;
    std::vector<std::string> folders;
    walk(top + "/" + found.classes[label], above, folders);
    std::ranges::sort(folders);
    for (const std::string& folder : folders) {
      const Listing listing = list(folder);
      found.skipped_files += listing.skipped_files;
      for (const std::string& name : listing.files) {
        if (is_image_name(name)) {
          found.hidden_files += name.starts_with("._") ? 1 : 0;
          found.files.push_back(
              {.path = folder + "/" + name, .label = static_cast<std::int32_t>(label)});
        }
      }
    }
    if (found.files.size() == before) {
      const auto skipped_files =
          skipped_files_note(found.skipped_files, static_cast<std::int64_t>(before));
      throw ConfigError(top + "/" + found.classes[label],
                        "the class has no image; expected files ending in .jpg or .jpeg" +
                            (skipped_files ? ". " + *skipped_files : std::string()));
    }
  }
  return found;
}

}  // namespace stepbench::data
