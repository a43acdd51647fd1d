// SPDX-License-Identifier: Apache-2.0
#include "harness/json/json_text.h"
#include "workloads/loader/dtype_name.h"
#include "workloads/loader/preview/preview_text.h"

namespace stepbench::loader {
namespace {

void put(json::JsonText& json, std::string_view key, std::optional<std::int64_t> value) {
  value ? json.integer(key, *value) : json.null(key);
}

void add_statistics(json::JsonText& json, const FieldStatistics& statistics) {
  json.number("min", statistics.min())
      .number("mean", statistics.mean())
      .number("max", statistics.max())
      .number("std", statistics.deviation())
      .integer("values", statistics.values())
      .integer("zeros", statistics.zeros())
      .integer("nan", statistics.nans())
      .integer("inf", statistics.infinities());
}

void add_field(json::JsonText& json, const DataPreview& preview, const FieldPreview& field) {
  std::vector<std::int64_t> shape = {preview.full_batch};
  shape.insert(shape.end(), field.spec.shape.begin(), field.spec.shape.end());
  json.open_object()
      .text("name", field.spec.name)
      .text("dtype", dtype_name(field.spec.dtype))
      .integers("shape", shape)
      .integer("bytes", field.bytes);
  add_statistics(json, field.all);
  json.open_array("channels");
  for (const FieldStatistics& channel : field.channels) {
    json.open_object();
    add_statistics(json, channel);
    json.close_object();
  }
  json.close_array().close_object();
}

void add_label(json::JsonText& json, const LabelPreview& label) {
  json.open_object().integer("label", label.label).text("class", label.name);
  json.integer("read", label.read);
  put(json, "in_data_set", label.all);
  json.close_object();
}

void add_sample(json::JsonText& json, const SamplePreview& sample) {
  json.open_object();
  put(json, "index", sample.index);
  put(json, "label", sample.label);
  json.text("class", sample.name).text("file", sample.file);
  json.integers("tokens", sample.tokens).close_object();
}

}  // namespace

std::string preview_json(const DataPreview& preview) {
  json::JsonText json;
  json.open_object()
      .text("case_id", preview.case_id)
      .text("kind", preview.kind)
      .text("path", preview.path)
      .text("digest", preview.digest);
  put(json, "samples", preview.samples);
  json.integer("classes", preview.classes).text("engine", preview.engine);
  json.integer("num_workers", preview.num_workers);
  put(json, "batch_size",
      preview.batch_size > 0 ? std::optional(preview.batch_size) : std::nullopt);
  put(json, "epoch_samples", preview.epoch_samples);
  json.flag("epochs_joined", preview.joined);
  put(json, "batches_per_epoch", preview.batches_per_epoch);
  json.integer("last_batch", preview.last_batch).integer("dropped_samples", preview.dropped);
  json.text("order", preview.order).integers("first_indices", preview.first_indices);
  json.integer("batches_read", preview.batches_read);
  json.integer("samples_read", preview.samples_read);
  json.integer("different_tokens", preview.tokens_seen);
  json.open_array("fields");
  for (const FieldPreview& field : preview.fields) add_field(json, preview, field);
  json.close_array().open_array("labels");
  for (const LabelPreview& label : preview.labels) add_label(json, label);
  json.close_array().open_array("first_samples");
  for (const SamplePreview& sample : preview.first_samples) add_sample(json, sample);
  json.close_array().texts("notes", preview.notes).text("png", preview.png).close_object();
  return json.take();
}

}  // namespace stepbench::loader
