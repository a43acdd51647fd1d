// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/show_data.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/document/document.h"
#include "harness/document/render.h"
#include "harness/json/fields.h"
#include "harness/json/json_text.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "workloads/loader/loader_section.h"

namespace stepbench::loader {
namespace {

// "FOLDER/CASE-007.png": sorted by name, files are in the order of the samples.
std::filesystem::path picture_file(const std::string& folder, const std::string& case_id,
                                   std::size_t sample) {
  constexpr std::size_t kDigits = 3;
  const std::string number = std::to_string(sample);
  const std::string zeros(kDigits - std::min(kDigits, number.size()), '0');
  return std::filesystem::path(folder) / formatted("{}-{}{}.png", case_id, zeros, number);
}

void expect_new(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(file, ignored))) return;
  throw ConfigError(file.string(), "already exists; nothing is overwritten");
}

}  // namespace

template <typename V>
void fields(V& v, json::Of<ShowDataRequest> auto& request) {
  v.constant("kind", "data")("samples", request.samples)("batches", request.batches);
  v("png", request.png)("json", request.json)("title", request.title);
  v("columns", request.columns);
}

std::string encode(const ShowDataRequest& request) { return json::object_text(request); }

ShowDataRequest decode_show_data(std::string_view line) {
  return json::read_text<ShowDataRequest>(std::string(line));
}

std::string show_data(const ResolvedCase& resolved, const ShowDataRequest& request,
                      const std::vector<Engine>& table, const OrderMaker& order,
                      data::PythonParts* python) {
  if (!request.png.empty()) expect_new(picture_file(request.png, resolved.case_id, 0));
  DataPreview preview = preview_data(
      resolved,
      {.samples = request.samples, .batches = request.batches, .pictures = !request.png.empty()},
      table, order, python);
  if (!preview.pictures.empty()) {
    std::error_code ignored;
    std::filesystem::create_directories(request.png, ignored);
    for (std::size_t i = 0; i < preview.pictures.size(); ++i) {
      write_png(preview.pictures[i], picture_file(request.png, resolved.case_id, i));
    }
    preview.png = request.png;
  }
  if (request.json) return preview_json(preview) + "\n";
  return preview_text(preview, request.title, static_cast<std::size_t>(request.columns));
}

namespace {

constexpr std::size_t kLabelRows = 12;
constexpr std::size_t kNameCells = 24;
constexpr std::size_t kBarCells = 16;

std::string number(double value, DType dtype) {
  if (std::isnan(value)) return "-";
  if (dtype != DType::kFloat32) return std::to_string(static_cast<std::int64_t>(value));
  return value == 0 ? "0" : text::significant(value);
}

std::string decimal(double value) {
  if (std::isnan(value)) return "-";
  return value == 0 ? "0" : text::significant(value);
}

std::string share(std::int64_t part, std::int64_t all) {
  if (part == 0) return "0 %";
  return text::percent_text(static_cast<double>(part) / static_cast<double>(all));
}

std::string shape_text(const DataPreview& preview, const FieldSpec& spec) {
  std::string text = formatted("[{}", preview.full_batch);
  for (const std::int64_t extent : spec.shape) text += formatted(", {}", extent);
  return text + "]";
}

document::TableRow statistics_row(const FieldStatistics& statistics, DType dtype,
                                  std::vector<document::Cell> cells) {
  for (document::Cell& cell :
       std::vector<document::Cell>{number(statistics.min(), dtype), decimal(statistics.mean()),
                                   number(statistics.max(), dtype), decimal(statistics.deviation()),
                                   share(statistics.zeros(), statistics.values()),
                                   share(statistics.nans(), statistics.values())}) {
    cells.push_back(std::move(cell));
  }
  return {.cells = std::move(cells)};
}

document::Table field_grid(const DataPreview& preview) {
  document::Table grid;
  grid.columns = {document::words("field"),
                  document::words("dtype"),
                  document::words("shape of a batch"),
                  {.head = "size"},
                  {.head = "min"},
                  {.head = "mean"},
                  {.head = "max"},
                  {.head = "std"},
                  {.head = "zeros", .drop_at = 2},
                  {.head = "NaN", .drop_at = 1}};
  for (const FieldPreview& field : preview.fields) {
    const DType dtype = field.spec.dtype;
    grid.rows.push_back(statistics_row(
        field.all, dtype,
        {field.spec.name, std::string(name_of(dtype)), shape_text(preview, field.spec),
         text::byte_text(static_cast<double>(field.bytes))}));
    for (std::size_t c = 0; c < field.channels.size(); ++c) {
      grid.rows.push_back(
          statistics_row(field.channels[c], dtype, {formatted("  channel {}", c), "", "", ""}));
    }
  }
  return grid;
}

document::Table label_grid(const DataPreview& preview) {
  document::Table grid;
  const auto has = [&](const auto& test) { return std::ranges::any_of(preview.labels, test); };
  const bool names = has([](const LabelPreview& label) { return !label.name.empty(); });
  const bool all = has([](const LabelPreview& label) { return label.all.has_value(); });
  grid.columns = {{.head = "label"}};
  if (names) grid.columns.push_back(document::words("class"));
  grid.columns.push_back({.head = "read"});
  grid.columns.push_back({.head = "", .left = true, .drop_at = 1});
  if (all) grid.columns.push_back({.head = "in the data set"});
  std::int64_t most = 1;
  for (const LabelPreview& label : preview.labels) most = std::max(most, label.read);
  for (std::size_t i = 0; i < std::min(preview.labels.size(), kLabelRows); ++i) {
    const LabelPreview& label = preview.labels[i];
    document::TableRow row{.cells = {std::to_string(label.label)}};
    if (names) row.cells.push_back(text::printable(label.name));
    row.cells.push_back(text::with_separators(label.read));
    row.cells.push_back(
        document::bar(static_cast<double>(label.read) / static_cast<double>(most), kBarCells));
    if (all) row.cells.push_back(label.all ? text::with_separators(*label.all) : "");
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

document::Table sample_grid(const DataPreview& preview) {
  const auto has = [&](const auto& test) {
    return std::ranges::any_of(preview.first_samples, test);
  };
  const bool index = has([](const SamplePreview& sample) { return sample.index.has_value(); });
  const bool label = has([](const SamplePreview& sample) { return sample.label.has_value(); });
  const bool tokens = has([](const SamplePreview& sample) { return !sample.tokens.empty(); });
  const bool file = has([](const SamplePreview& sample) { return !sample.file.empty(); });
  document::Table grid;
  grid.columns = {{.head = "sample"}};
  if (index) grid.columns.push_back({.head = "index"});
  if (label) grid.columns.push_back(document::words("label"));
  if (tokens) grid.columns.push_back({.head = "first tokens", .left = true, .shrink_at = 1});
  if (file) grid.columns.push_back({.head = "file", .left = true, .shrink_at = 2});
  for (std::size_t i = 0; i < preview.first_samples.size(); ++i) {
    const SamplePreview& sample = preview.first_samples[i];
    document::TableRow row{.cells = {std::to_string(i)}};
    if (index) row.cells.push_back(sample.index ? std::to_string(*sample.index) : "");
    if (label) {
      const std::string name = text::shortened(text::printable(sample.name), kNameCells);
      row.cells.push_back((sample.label ? std::to_string(*sample.label) : "") +
                          (name.empty() ? "" : " " + name));
    }
    const auto text_of = [](std::int64_t token) { return std::to_string(token); };
    if (tokens) row.cells.push_back(text::join(sample.tokens, " ", text_of) + " ...");
    if (file) row.cells.push_back(text::printable(sample.file));
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

std::string data_set(const DataPreview& preview) {
  std::string text = preview.kind;
  if (!preview.path.empty()) text += ", " + text::printable(preview.path);
  if (preview.samples) {
    text += ": " + text::counted(*preview.samples, "sample");
  } else if (preview.parts > 0) {
    text += ": a stream of " + text::counted(preview.parts, "shard");
  } else {
    text += ": a stream";
  }
  const bool tokens = preview.tokens_seen > 0;
  if (preview.classes > 0 && tokens)
    text += ", vocabulary " + text::with_separators(preview.classes);
  if (preview.classes > 0 && !tokens) {
    text += preview.samples ? " in " : ", ";
    text += text::counted(preview.classes, "class");
  }
  return text;
}

std::string epoch(const DataPreview& preview) {
  if (preview.batch_size == 0) {
    return preview.batches_per_epoch
               ? text::counted(*preview.batches_per_epoch, "batch") + ", as the file makes them"
               : "batches as the file makes them, their number is not known";
  }
  const std::string size = std::to_string(preview.batch_size);
  if (preview.joined && preview.epoch_samples) {
    const double batches =
        static_cast<double>(*preview.epoch_samples) / static_cast<double>(preview.batch_size);
    return formatted(
        "{} batches of {}; epochs are joined: a batch may hold the end of one and the beginning of "
        "the next",
        text::short_number(batches), size);
  }
  if (!preview.batches_per_epoch)
    return formatted("batches of {}, their number is not known", size);
  std::string text = text::counted(*preview.batches_per_epoch, "batch") + " of " + size;
  if (!preview.epoch_samples) return text;
  if (preview.dropped > 0) {
    return formatted("{}; the last {} dropped (drop_last)", text,
                     text::counted(preview.dropped, "sample"));
  }
  if (preview.last_batch == preview.batch_size) return text + ", all full";
  return formatted("{}, the last has only {}", text, preview.last_batch);
}

std::string order(const DataPreview& preview) {
  if (preview.first_indices.empty()) return preview.order;
  const auto text_of = [](std::int64_t index) { return std::to_string(index); };
  return formatted("{}: {}, ...", preview.order, text::join(preview.first_indices, ", ", text_of));
}

std::string loader(const DataPreview& preview) {
  std::string text = "engine " + preview.engine;
  if (preview.num_workers > 0) text += ", " + text::counted(preview.num_workers, "worker");
  return text;
}

void add_grid(std::string& text, const document::Table& grid, std::size_t columns) {
  text += "\n" + document::draw(grid, columns, false).text;
}

}  // namespace

std::string preview_text(const DataPreview& preview, const std::string& title,
                         std::size_t columns) {
  std::string text = formatted("case {}{}\n\n", preview.case_id, title.empty() ? "" : ", " + title);
  const auto line = [&](const std::string& name, const std::string& value) {
    constexpr std::size_t kNameWidth = 10;
    const std::string wrapped = text::wrap(value, columns, kNameWidth);
    text += name + std::string(kNameWidth - name.size(), ' ') +
            wrapped.substr(std::min(kNameWidth, wrapped.size()));
  };
  line("data set", data_set(preview));
  line("epoch", epoch(preview));
  line("order", order(preview));
  line("loader", loader(preview));
  line("read", formatted("the first {}, {}", text::counted(preview.batches_read, "batch"),
                         text::counted(preview.samples_read, "sample")));
  if (preview.tokens_seen > 0) {
    line("tokens", text::with_separators(preview.tokens_seen) + " different ones among those read");
  }
  add_grid(text, field_grid(preview), columns);
  if (!preview.labels.empty()) {
    add_grid(text, label_grid(preview), columns);
    if (preview.labels.size() > kLabelRows) {
      text += formatted("and {} among those read\n",
                        text::counted(static_cast<std::int64_t>(preview.labels.size() - kLabelRows),
                                      "more class"));
    }
  }
  if (!preview.first_samples.empty()) add_grid(text, sample_grid(preview), columns);
  if (!preview.notes.empty()) text += "\n";
  for (const std::string& note : preview.notes) {
    text += text::wrap_hanging("note: " + text::printable(note), columns) + "\n";
  }
  if (!preview.png.empty()) {
    text += formatted("\n{}: {}, in the order of the samples above\n", text::printable(preview.png),
                      text::counted(static_cast<std::int64_t>(preview.pictures.size()), "picture"));
  }
  return text;
}

template <typename V>
void fields(V& v, json::Of<FieldStatistics> auto& statistics) {
  v("min", statistics.min())("mean", statistics.mean())("max", statistics.max());
  v("std", statistics.deviation())("values", statistics.values())("zeros", statistics.zeros());
  v("nan", statistics.nans())("inf", statistics.infinities());
}

template <typename V>
void fields(V& v, json::Of<LabelPreview> auto& label) {
  v("label", label.label)("class", label.name)("read", label.read)("in_data_set", label.all);
}

template <typename V>
void fields(V& v, json::Of<SamplePreview> auto& sample) {
  v("index", sample.index)("label", sample.label)("class", sample.name)("file", sample.file);
  v("tokens", sample.tokens);
}

std::string preview_json(const DataPreview& preview) {
  json::JsonText json;
  json::FieldWriter v(json);
  json.open_object();
  v("case_id", preview.case_id)("kind", preview.kind)("path", preview.path);
  v("digest", preview.digest)("samples", preview.samples)("classes", preview.classes);
  v("engine", preview.engine)("num_workers", preview.num_workers);
  v("batch_size", preview.batch_size > 0 ? std::optional(preview.batch_size) : std::nullopt);
  v("epoch_samples", preview.epoch_samples)("epochs_joined", preview.joined);
  v("batches_per_epoch", preview.batches_per_epoch)("last_batch", preview.last_batch);
  v("dropped_samples", preview.dropped)("order", preview.order);
  v("first_indices", preview.first_indices)("batches_read", preview.batches_read);
  v("samples_read", preview.samples_read)("different_tokens", preview.tokens_seen);
  json.open_array("fields");
  for (const FieldPreview& field : preview.fields) {
    std::vector<std::int64_t> shape = {preview.full_batch};
    shape.insert(shape.end(), field.spec.shape.begin(), field.spec.shape.end());
    json.open_object();
    v("name", field.spec.name)("dtype", field.spec.dtype)("shape", shape)("bytes", field.bytes);
    fields(v, field.all);
    v("channels", field.channels);
    json.close_object();
  }
  json.close_array();
  v("labels", preview.labels)("first_samples", preview.first_samples)("notes", preview.notes);
  v("png", preview.png);
  return json.close_object().take();
}

namespace {

// Options that decide which samples a batch contains and how they are transformed.
bool decides_samples(std::string_view name) {
  if (name.starts_with("data.")) return name != "data.page_cache";
  static const Section kLoader = loader_section();
  const auto decides = [&](const std::vector<Option>& options) {
    return std::ranges::any_of(options, [&](const Option& option) {
      return option.decides_samples && name == "loader." + option.name;
    });
  };
  return name == "seed" || decides(kLoader.options) ||
         std::ranges::any_of(kLoader.variants, decides, &Variant::options);
}

}  // namespace

bool same_samples(const ResolvedCase& a, const ResolvedCase& b) {
  return std::all_of(a.options.begin(), a.options.end(), [&](const auto& option) {
    const Value* other = b.options.get(option.first);
    return !decides_samples(option.first) || (other != nullptr && *other == option.second);
  });
}

}  // namespace stepbench::loader
