// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/formats/cifar_bin.h"

#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "harness/base/format.h"
#include "harness/os/files.h"
#include "workloads/data/dataset.h"
#include "workloads/data/internal/formats/mapped_rows.h"
#include "workloads/data/internal/unreadable_files.h"

namespace stepbench::data {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSide = 32;
constexpr std::uint64_t kPixels = 3 * kSide * kSide;

// Bytes before the image; the last one is the label in use.
constexpr std::uint64_t label_bytes(bool hundred) { return hundred ? 2 : 1; }

std::int64_t records(const MappedFile& file, bool hundred) {
  const std::uint64_t record = label_bytes(hundred) + kPixels;
  const std::uint64_t other = label_bytes(!hundred) + kPixels;
  const std::size_t size = file.bytes().size();
  if (size % record == 0) return static_cast<std::int64_t>(size / record);
  const std::string hint = size % other == 0 ? std::string("; its size fits data.labels: ") +
                                                   (hundred ? "cifar10" : "cifar100")
                                             : looks_like(file.bytes());
  throw file_error(
      file.path(), size / record * record,
      formatted("expected records of {} bytes, the last has {}{}", record, size % record, hint));
}

Variant cifar_bin_variant() {
  return {.name = "cifar_bin",
          .doc =
              "The binary version of CIFAR-10 or CIFAR-100, mapped. Fields: image (3, 32, 32), "
              "label int64.",
          .options = {path_option("Folder with data_batch_1.bin to data_batch_5.bin or train.bin, "
                                  "or one such file. `stepbench data make cifar_bin` makes one."),
                      {.name = "labels",
                       .type = OptionType::kEnum,
                       .doc = "cifar10: one label byte per record. cifar100: a coarse and a fine "
                              "one, of which the fine one is used.",
                       .default_value = std::string{"cifar10"},
                       .choices = {"cifar10", "cifar100"},
                       .identity_default = std::string{"cifar10"}},
                      split_option(),
                      dtype_option("float32"),
                      on_error_option()}};
}

// Class names from the file in the published sets, one per line; empty without it.
std::vector<std::string> published_names(const fs::path& folder, bool hundred) {
  const fs::path path = folder / (hundred ? "fine_label_names.txt" : "batches.meta.txt");
  std::error_code error;
  std::vector<std::string> names;
  if (!fs::is_regular_file(path, error)) return names;
  std::ifstream file(path);
  const std::size_t classes = hundred ? 100 : 10;
  for (std::string line; names.size() < classes && std::getline(file, line);) {
    if (!line.empty()) names.push_back(line);
  }
  return names;
}

}  // namespace

std::vector<fs::path> find_cifar_files(const fs::path& path, bool hundred, bool test) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  std::vector<fs::path> files;
  std::vector<fs::path> missing;
  const auto add = [&](const std::string& name) {
    (fs::exists(path / name, error) ? files : missing).push_back(path / name);
  };
  if (hundred) {
    add(test ? "test.bin" : "train.bin");
  } else if (test) {
    add("test_batch.bin");
  } else {
    for (const char* number : {"1", "2", "3", "4", "5"}) {
      add(formatted("data_batch_{}.bin", number));
    }
  }
  if (missing.empty()) return files;
  if (files.empty() && fs::exists(missing.front().parent_path() / missing.front().stem(), error)) {
    throw ConfigError(
        missing.front().string(),
        formatted("no such file, but {} of the version for Python; the binary version is needed",
                  missing.front().stem().string()));
  }
  if (files.empty()) {
    throw ConfigError(
        missing.front().string(),
        os::why_absent(
            missing.front(),
            formatted("no such file; `stepbench data make cifar_bin --out {}` makes a set",
                      path.string())));
  }
  throw ConfigError(
      missing.front().string(),
      os::why_absent(missing.front(),
                     formatted("no such file, but {} is there: a set has data_batch_1.bin to "
                               "data_batch_5.bin. To read one file alone, name it in data.path",
                               files.front().filename().string())));
}

std::unique_ptr<Dataset> open_cifar_bin(const std::vector<fs::path>& files, bool hundred,
                                        const ByteImageOptions& options) {
  const DType written = options.as_float ? DType::kFloat32 : DType::kUInt8;
  MappedColumn image{.spec = {.name = "image", .shape = {3, kSide, kSide}, .dtype = written},
                     .stored = DType::kUInt8,
                     .runs = {}};
  MappedColumn label{.spec = {.name = "label", .shape = {}, .dtype = DType::kInt64},
                     .stored = DType::kUInt8,
                     .limit = hundred ? 100 : 10,
                     .runs = {}};
  const std::uint64_t before = label_bytes(hundred);
  for (const fs::path& path : files) {
    RowRun run{.file = std::make_shared<MappedFile>(path.string()), .stride = before + kPixels};
    run.count = records(*run.file, hundred);
    run.begin = before;
    image.runs.push_back(run);
    run.begin = before - 1;
    label.runs.push_back(run);
  }
  const std::int64_t classes = label.limit;
  return std::make_unique<MappedRows>(
      std::vector<MappedColumn>{std::move(image), std::move(label)},
      MappedRowsOptions{.kind = "cifar_bin",
                        .classes = classes,
                        .skip_errors = options.skip_errors,
                        .class_names = published_names(files.front().parent_path(), hundred)});
}

DataKind cifar_bin_kind() {
  return {.variant = cifar_bin_variant(),
          .input = [](const ResolvedCase&) { return InputKind::kImage; },
          .open = [](const ResolvedCase& resolved) -> std::unique_ptr<Dataset> {
            const bool hundred = resolved.text("data.labels") == "cifar100";
            return open_cifar_bin(
                find_cifar_files(resolved.text("data.path"), hundred,
                                 resolved.text("data.split") == "test"),
                hundred,
                {.as_float = wants_floats(resolved), .skip_errors = skips_errors(resolved)});
          }};
}

}  // namespace stepbench::data
