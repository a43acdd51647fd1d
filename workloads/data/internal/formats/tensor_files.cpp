// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/formats/tensor_files.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "harness/base/format.h"
#include "workloads/data/data_files.h"
#include "workloads/data/dataset.h"
#include "workloads/data/internal/formats/mapped_rows.h"
#include "workloads/data/internal/mapped_file.h"
#include "workloads/data/internal/unreadable_files.h"

namespace stepbench::data {
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
  throw ConfigError(path.string(), formatted("holds {} .safetensors files; name one file, or make "
                                             "a set by `stepbench data make safetensors`",
                                             files.size()));
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
    throw ConfigError(file->path(), formatted("has no tensor '{}' (data.{}); it has: {}", name,
                                              option, known.empty() ? "none" : known));
  }
  if (!found->dtype) {
    throw file_error(file->path(), found->begin,
                     formatted("tensor '{}' has dtype {}; batches hold U8, BOOL, I32, I64 and F32",
                               name, found->type));
  }
  if (found->shape.empty() || found->bytes == 0) {
    throw file_error(file->path(), found->begin,
                     formatted("tensor '{}' has no rows to take as samples", name));
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
  column.spec.dtype = DType::kInt64;  // class type of losses
  if (column.spec.shape.empty()) column.limit = classes;
}

Variant safetensors_variant() {
  const auto name_option = [](std::string name, std::string doc, std::string otherwise) {
    return Option{.name = std::move(name),
                  .type = OptionType::kString,
                  .doc = std::move(doc),
                  .default_value = otherwise,
                  .identity_default = otherwise};
  };
  return {.name = "safetensors",
          .doc =
              "Two tensors of a safetensors file, mapped; sample i is row i of both. Fields: "
              "input, target.",
          .options = {path_option("A file, or a folder with one .safetensors file. `stepbench data "
                                  "make safetensors` makes one."),
                      name_option("input", "Name of the tensor that the model gets.", "image"),
                      name_option("target", "Name of the tensor of classes. Empty: none.", "label"),
                      dtype_option("stored"),
                      classes_option(Value{},
                                     "Targets lie in 0 to classes - 1; what a model's output is "
                                     "sized for."),
                      on_error_option()}};
}

Variant raw_tensor_variant() {
  return {
      .name = "raw_tensor",
      .doc =
          "Records of one shape, one after another without a header, mapped. Fields: input, and "
          "target int64 where there is a target.bin.",
      .options = {
          path_option("Folder with input.bin and, for training, target.bin (one int64 per record), "
                      "or a file. `stepbench data make raw_tensor` makes one."),
          {.name = "shape",
           .type = OptionType::kString,
           .doc = "Shape of one record, as 3x32x32.",
           .required = true,
           .pattern = "[1-9][0-9]{0,11}(x[1-9][0-9]{0,11}){0,7}",
           .pattern_words = "sizes such as 3x32x32"},
          {.name = "stored",
           .type = OptionType::kEnum,
           .doc = "Type of the numbers in the file, little-endian.",
           .default_value = std::string{"uint8"},
           .choices = {"uint8", "int32", "int64", "float32"},
           .identity_default = std::string{"uint8"}},
          dtype_option("stored"),
          classes_option(Value{},
                         "Targets lie in 0 to classes - 1; what a model's output is sized for."),
          on_error_option()}};
}

TensorFileOptions tensor_file_options(const ResolvedCase& resolved) {
  return {.path = resolved.text("data.path"),
          .as_float = wants_floats(resolved),
          .classes = resolved.integer_or("data.classes", 0),
          .skip_errors = skips_errors(resolved)};
}

DType stored_type(const std::string& name) {
  if (name == "uint8") return DType::kUInt8;
  if (name == "int32") return DType::kInt32;
  return name == "int64" ? DType::kInt64 : DType::kFloat32;
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
                       formatted("tensor '{}' has {} rows, '{}' has {}", options.target,
                                 columns[1].runs[0].count, options.input, rows));
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
      throw ConfigError("data.shape", formatted("'{}' is not a shape; 3x32x32 is one", text));
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
                       formatted("expected records of {} bytes ({}), the last has {}{}", record,
                                 what, bytes.size() % record, looks_like(bytes)));
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
                       formatted("there are {} targets for {} records of {}", target.count,
                                 input.count, input.file->path()));
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

DataKind safetensors_kind() {
  return {.variant = safetensors_variant(),
          // Known only once the files are open.
          .input = [](const ResolvedCase&) { return InputKind::kAny; },
          .open =
              [](const ResolvedCase& resolved) {
                return open_safetensors({.common = tensor_file_options(resolved),
                                         .input = resolved.text("data.input"),
                                         .target = resolved.text_or("data.target", "")});
              }};
}

DataKind raw_tensor_kind() {
  return {.variant = raw_tensor_variant(),
          .input = [](const ResolvedCase&) { return InputKind::kAny; },
          .open =
              [](const ResolvedCase& resolved) {
                return open_raw_tensor({.common = tensor_file_options(resolved),
                                        .shape = parse_shape(resolved.text("data.shape")),
                                        .stored = stored_type(resolved.text("data.stored"))});
              }};
}

}  // namespace stepbench::data
