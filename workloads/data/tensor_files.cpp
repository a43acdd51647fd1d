// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/tensor_files.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "workloads/data/file_kind.h"
#include "workloads/data/mapped_rows.h"
#include "workloads/data/safetensors.h"
#include "workloads/data/stored_value.h"

namespace stepbench {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxSampleBytes = std::uint64_t{1} << 40;

fs::path only_safetensors(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return path;
  std::vector<fs::path> files;
  fs::directory_iterator entry(path, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == ".safetensors") files.push_back(entry->path());
  }
  if (error) throw ConfigError(path.string(), "cannot be listed: " + error.message());
  if (files.size() == 1) return files[0];
  throw ConfigError(path.string(), "holds " + std::to_string(files.size()) +
                                       " .safetensors files; name one file, or make a set by " +
                                       "`stepbench data make safetensors`");
}

DType written(DType stored, bool as_float) {
  return as_float && converts(stored, DType::kFloat32) ? DType::kFloat32 : stored;
}

MappedColumn column_of(const std::shared_ptr<const MappedFile>& file,
                       const std::vector<StoredTensor>& tensors, const std::string& name,
                       const std::string& option) {
  const auto found = std::ranges::find(tensors, name, &StoredTensor::name);
  if (found == tensors.end()) {
    std::string known;
    for (const StoredTensor& tensor : tensors) {
      if (known.size() < 400) known += (known.empty() ? "" : ", ") + tensor.name;
    }
    throw ConfigError(file->path(), "has no tensor '" + name + "' (data." + option +
                                        "); it has: " + (known.empty() ? "none" : known));
  }
  if (!found->dtype) {
    throw file_error(file->path(), found->begin,
                     "tensor '" + name + "' has dtype " + found->type +
                         "; batches hold U8, BOOL, I32, I64 and F32");
  }
  if (found->shape.empty() || found->bytes == 0) {
    throw file_error(file->path(), found->begin,
                     "tensor '" + name + "' has no rows to take as samples");
  }
  const std::int64_t rows = found->shape[0];
  return {.spec = {.name = option,
                   .shape = {found->shape.begin() + 1, found->shape.end()},
                   .dtype = *found->dtype},
          .stored = *found->dtype,
          .runs = {{.file = file,
                    .begin = found->begin,
                    .stride = found->bytes / static_cast<std::uint64_t>(rows),
                    .count = rows}}};
}

void as_target(MappedColumn& column, std::int64_t classes) {
  if (column.stored == DType::kFloat32) return;
  column.spec.dtype = DType::kInt64;  // what a loss takes as class
  if (column.spec.shape.empty()) column.limit = classes;
}

}  // namespace

std::unique_ptr<Dataset> open_safetensors(const SafetensorsOptions& options) {
  const auto file = std::make_shared<MappedFile>(only_safetensors(options.common.path).string());
  const std::vector<StoredTensor> tensors = read_safetensors(*file);
  std::vector<MappedColumn> columns = {column_of(file, tensors, options.input, "input")};
  columns[0].spec.dtype = written(columns[0].stored, options.common.as_float);
  if (!options.target.empty()) {
    columns.push_back(column_of(file, tensors, options.target, "target"));
    as_target(columns[1], options.common.classes);
    const std::int64_t rows = columns[0].runs[0].count;
    if (columns[1].runs[0].count != rows) {
      throw file_error(file->path(), columns[1].runs[0].begin,
                       "tensor '" + options.target + "' has " +
                           std::to_string(columns[1].runs[0].count) + " rows, '" + options.input +
                           "' has " + std::to_string(rows));
    }
  }
  return std::make_unique<MappedRows>(std::move(columns),
                                      MappedRowsOptions{.kind = "safetensors",
                                                        .classes = options.common.classes,
                                                        .skip_errors = options.common.skip_errors});
}

std::vector<std::int64_t> parse_shape(const std::string& text) {
  std::vector<std::int64_t> shape;
  std::uint64_t elements = 1;
  const char* at = text.data();
  const char* end = at + text.size();
  for (;;) {
    std::int64_t extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    const auto all = error == std::errc() && extent > 0
                         ? product(elements, static_cast<std::uint64_t>(extent))
                         : std::nullopt;
    if (!all || *all > kMaxSampleBytes) {
      throw ConfigError("data.shape", "'" + text + "' is not a shape; 3x32x32 is one");
    }
    elements = *all;
    shape.push_back(extent);
    if (next == end) return shape;
    at = *next == 'x' ? next + 1 : end;
  }
}

std::unique_ptr<Dataset> open_raw_tensor(const RawTensorOptions& options) {
  std::error_code error;
  const bool folder = fs::is_directory(options.common.path, error);
  const fs::path input_path = folder ? options.common.path / "input.bin" : options.common.path;
  FieldSpec spec{.name = "input", .shape = options.shape, .dtype = options.stored};
  const auto open = [&](const fs::path& path, std::uint64_t record, const std::string& what) {
    RowRun run{.file = std::make_shared<MappedFile>(path.string()), .stride = record};
    const std::span<const std::byte> bytes = run.file->bytes();
    if (bytes.size() % record != 0) {
      throw file_error(run.file->path(), bytes.size() / record * record,
                       "expected records of " + std::to_string(record) + " bytes (" + what +
                           "), the last has " + std::to_string(bytes.size() % record) +
                           looks_like(bytes));
    }
    run.count = static_cast<std::int64_t>(bytes.size() / record);
    return run;
  };
  const RowRun input = open(input_path, spec.bytes(), "data.shape and data.stored");
  spec.dtype = written(options.stored, options.common.as_float);
  std::vector<MappedColumn> columns = {
      {.spec = std::move(spec), .stored = options.stored, .runs = {input}}};
  const fs::path target_path = options.common.path / "target.bin";
  if (folder && fs::exists(target_path, error)) {
    const RowRun target = open(target_path, sizeof(std::int64_t), "int64 targets");
    if (target.count != input.count) {
      throw file_error(target.file->path(), target.file->bytes().size(),
                       "there are " + std::to_string(target.count) + " targets for " +
                           std::to_string(input.count) + " records of " + input.file->path());
    }
    columns.push_back({.spec = {.name = "target", .shape = {}, .dtype = DType::kInt64},
                       .stored = DType::kInt64,
                       .limit = options.common.classes,
                       .runs = {target}});
  }
  return std::make_unique<MappedRows>(std::move(columns),
                                      MappedRowsOptions{.kind = "raw_tensor",
                                                        .classes = options.common.classes,
                                                        .skip_errors = options.common.skip_errors});
}

}  // namespace stepbench
