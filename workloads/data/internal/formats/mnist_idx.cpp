// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/formats/mnist_idx.h"

#include <array>
#include <string>
#include <system_error>

#include "harness/base/format.h"
#include "harness/os/files.h"
#include "workloads/data/dataset.h"
#include "workloads/data/internal/formats/mapped_rows.h"
#include "workloads/data/internal/mapped_file.h"
#include "workloads/data/internal/unreadable_files.h"

namespace stepbench::data {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kUnsignedByte = 0x08;  // type code of the format

fs::path find(const fs::path& folder, const std::string& stem, const std::string& end) {
  std::error_code error;
  for (const char* joint : {"-", "."}) {
    const fs::path path = folder / (stem + joint + end);
    if (fs::exists(path, error)) return path;
    if (fs::exists(path.string() + ".gz", error)) {
      throw ConfigError(path.string() + ".gz", "is compressed; unpack it with gunzip, and the " +
                                                   std::string("bytes can be mapped"));
    }
  }
  const fs::path path = folder / (stem + "-" + end);
  throw ConfigError(
      path.string(),
      os::why_absent(path,
                     formatted("no such file; `stepbench data make mnist_idx --out {}` makes a set",
                               folder.string())));
}

struct Idx {
  std::shared_ptr<const MappedFile> file;
  std::array<std::uint32_t, 3> extents{};
  std::uint64_t begin = 0;       // offset of the first record
  std::uint64_t item_bytes = 1;  // of one record
};

// Big-endian header: two zero bytes, type, number of dimensions, one u32 per dimension.
Idx open(const fs::path& path, std::uint32_t dimensions) {
  Idx idx{.file = std::make_shared<MappedFile>(path.string())};
  const std::span<const std::byte> bytes = idx.file->bytes();
  const std::string& name = idx.file->path();
  idx.begin = 4 + 4 * std::uint64_t{dimensions};
  const std::uint32_t expected = kUnsignedByte << 8 | dimensions;
  if (bytes.size() < 4 || load_big32(bytes.data()) != expected) {
    const std::string found =
        bytes.size() < 4 ? "the file ends" : std::to_string(load_big32(bytes.data()));
    throw file_error(
        name, 0,
        formatted("expected the magic number {} ({}-dimensional unsigned bytes), found {}{}",
                  expected, dimensions, found, looks_like(bytes)));
  }
  if (bytes.size() < idx.begin) {
    throw file_error(name, bytes.size(),
                     formatted("the file ends within its header of {} bytes", idx.begin));
  }
  std::optional<std::uint64_t> item = 1;
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    idx.extents.at(i) = load_big32(bytes.data() + 4 + 4 * i);
    if (idx.extents.at(i) == 0) throw file_error(name, 4 + 4 * i, "a dimension is 0");
    if (i > 0 && item) item = product(*item, idx.extents.at(i));
  }
  const std::optional<std::uint64_t> all = item ? product(*item, idx.extents[0]) : std::nullopt;
  if (!all || *all != bytes.size() - idx.begin) {
    throw file_error(
        name, bytes.size(),
        formatted("the header announces {} records of {} bytes, but {} bytes follow it",
                  idx.extents[0], item ? std::to_string(*item) : "too many",
                  bytes.size() - idx.begin));
  }
  idx.item_bytes = *item;
  return idx;
}

MappedColumn column(const Idx& idx, FieldSpec spec, std::int64_t limit) {
  return {.spec = std::move(spec),
          .stored = DType::kUInt8,
          .limit = limit,
          .runs = {{.file = idx.file,
                    .begin = idx.begin,
                    .stride = idx.item_bytes,
                    .count = idx.extents[0]}}};
}

Variant mnist_idx_variant() {
  return {.name = "mnist_idx",
          .doc =
              "The two idx files of MNIST, Fashion-MNIST or EMNIST, mapped. Fields: image (1, H, "
              "W), label int64.",
          .options = {path_option("Folder with train-images-idx3-ubyte and "
                                  "train-labels-idx1-ubyte, unpacked. `stepbench data make "
                                  "mnist_idx` makes one."),
                      split_option(), dtype_option("float32"),
                      classes_option(std::int64_t{10}, "Labels lie in 0 to classes - 1."),
                      on_error_option()}};
}

}  // namespace

IdxFiles find_idx_files(const fs::path& folder, bool test) {
  const std::string split = test ? "t10k" : "train";
  return {.images = find(folder, split + "-images", "idx3-ubyte"),
          .labels = find(folder, split + "-labels", "idx1-ubyte")};
}

std::unique_ptr<Dataset> open_mnist_idx(const IdxFiles& files, const ByteImageOptions& options) {
  const Idx images = open(files.images, 3);
  const Idx labels = open(files.labels, 1);
  if (images.extents[0] != labels.extents[0]) {
    throw file_error(labels.file->path(), 4,
                     formatted("there are {} labels for the {} images of {}", labels.extents[0],
                               images.extents[0], images.file->path()));
  }
  const DType written = options.as_float ? DType::kFloat32 : DType::kUInt8;
  return std::make_unique<MappedRows>(
      std::vector<MappedColumn>{
          column(images,
                 {.name = "image",
                  .shape = {1, images.extents[1], images.extents[2]},
                  .dtype = written},
                 0),
          column(labels, {.name = "label", .shape = {}, .dtype = DType::kInt64}, options.classes)},
      MappedRowsOptions{
          .kind = "mnist_idx", .classes = options.classes, .skip_errors = options.skip_errors});
}

DataKind mnist_idx_kind() {
  return {.variant = mnist_idx_variant(),
          // kVector: images have one channel.
          .input = [](const ResolvedCase&) { return InputKind::kVector; },
          .open = [](const ResolvedCase& resolved) -> std::unique_ptr<Dataset> {
            return open_mnist_idx(
                find_idx_files(resolved.text("data.path"), resolved.text("data.split") == "test"),
                {.as_float = wants_floats(resolved),
                 .classes = resolved.integer("data.classes"),
                 .skip_errors = skips_errors(resolved)});
          }};
}

}  // namespace stepbench::data
