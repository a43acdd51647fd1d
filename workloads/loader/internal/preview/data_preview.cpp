// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/preview/data_preview.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <unordered_set>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "workloads/data/data_kinds.h"
#include "workloads/loader/batches.h"
#include "workloads/loader/loader_section.h"

namespace stepbench::loader {
namespace {

constexpr std::size_t kIndicesShown = 16;
constexpr std::size_t kTokensShown = 16;
// Fewer labels may be sorted by chance.
constexpr std::int64_t kSamplesToJudgeOrder = 16;
// Counting the labels of a larger set would take longer than the preview itself.
constexpr std::int64_t kMaxLabelsCounted = 20'000'000;

bool is_label(const FieldSpec& spec) { return spec.shape.empty() && spec.dtype == DType::kInt64; }

bool is_tokens(const FieldSpec& spec) {
  return spec.name == "tokens" && spec.shape.size() == 1 && spec.dtype == DType::kInt64;
}

std::int64_t integer_at(const std::byte* memory, std::size_t place) {
  std::int64_t value = 0;
  std::memcpy(&value, memory + place * sizeof value, sizeof value);
  return value;
}

std::string order_in_words(const data::Dataset& data, const LoaderOptions& options) {
  if (data.size() < 0) return "as the stream yields them";
  std::string words = "sequential";
  const std::string seed = std::to_string(options.seed);
  if (!options.weights.empty()) {
    words = formatted("drawn by the weights `{}`, seed {}", options.weights, seed);
  } else if (options.with_replacement) {
    words = "drawn with replacement, seed " + seed;
  } else if (options.shuffle) {
    words = "shuffled, seed " + seed;
  }
  return words;
}

class Preview {
 public:
  Preview(const ResolvedCase& resolved, const PreviewRequest& request,
          const std::vector<Engine>& table, const OrderMaker& order, data::PythonParts* python)
      : request_(request), resolved_(resolved), options_(loader_options(resolved)) {
    // Pinning does not change the content.
    resolved_.options["loader.pin_memory"] = Value{false};
    context_.python = python;
    data_ = data::make_dataset(resolved_, python);
    facts_ = data_->facts();
    EpochOrder epochs = order(*data_, options_);
    if (epochs) {
      options_.lengths = data_->lengths();
      if (options_.batch_size > 0) {
        BatchOrder batches(data_->size(), options_, epochs);
        batches.begin(0);
        indices_.assign(batches.rest().begin(), batches.rest().end());
      } else {
        indices_ = epochs(0);
      }
    }
    loader_ = make_loader(*data_, resolved_, std::move(epochs), context_, table);
  }

  [[nodiscard]] DataPreview run() {
    loader_->begin_epoch(0);  // an iterable's fields are those of its first batch
    describe();
    while (out_.batches_read < request_.batches || out_.samples_read < request_.samples) {
      const std::optional<Batch> batch = loader_->next();
      if (!batch) break;
      ++out_.batches_read;
      if (const auto own = loader_->own_order()) {
        out_.order = own->words;
        indices_ = own->indices;
      }
      if (out_.batches_read == 1) out_.full_batch = std::max(out_.batch_size, batch->size);
      take(*batch);
    }
    if (const LoaderMetrics& read = loader_->metrics(); read.elements > 0) {
      const double share = static_cast<double>(read.padding) / static_cast<double>(read.elements);
      out_.notes.push_back(
          formatted("samples have different lengths: {} of the tokens that were read are padding",
                    text::percent_text(share)));
    }
    if (out_.samples_read == 0) throw Error("an epoch of this loader has no batch");
    finish();
    return std::move(out_);
  }

 private:
  void describe() {
    out_.case_id = resolved_.case_id;
    out_.kind = resolved_.text("data.kind");
    out_.path = resolved_.text_or("data.path", "");
    out_.digest = data_->digest();
    if (data_->size() >= 0) out_.samples = data_->size();
    if (data_->iterable() != nullptr) out_.parts = data_->iterable()->parts();
    out_.classes = data_->classes();
    out_.engine = resolved_.text("loader.engine");
    if (options_.num_workers == 0 && !engine_of(resolved_).reads_alone) out_.engine = "inline";
    out_.num_workers = options_.num_workers;
    const auto own = loader_->own_order();
    out_.batch_size = own && own->makes_batches ? 0 : options_.batch_size;
    out_.joined = options_.joined;
    if (data_->size() >= 0) {
      out_.epoch_samples =
          indices_.empty() ? epoch_samples(data_->size(), options_) : std::ssize(indices_);
    }
    if (own) out_.epoch_samples = own->samples;
    if (out_.batch_size == 0) out_.epoch_samples.reset();
    if (const std::int64_t batches = loader_->batches_per_epoch(); batches >= 0) {
      out_.batches_per_epoch = batches;
    }
    if (out_.batches_per_epoch && out_.epoch_samples) {
      const std::int64_t rest = *out_.epoch_samples % options_.batch_size;
      out_.last_batch = rest == 0 || options_.drop_last ? options_.batch_size : rest;
      if (options_.drop_last) out_.dropped = rest;
    }
    out_.order = order_in_words(*data_, options_);
    out_.notes = facts_.notes;
    for (const FieldSpec& spec : data_->fields()) {
      FieldPreview& field = out_.fields.emplace_back();
      field.spec = spec;
      layouts_.push_back(picture_layout(spec));
      const auto& layout = layouts_.back();
      if (layout && layout->channels > 1) {
        field.channels.resize(static_cast<std::size_t>(layout->channels));
      }
    }
  }

  void take(const Batch& batch) {
    for (std::size_t f = 0; f < batch.fields.size(); ++f) {
      const BatchField& field = batch.fields[f];
      const std::size_t bytes = field.spec->bytes();
      for (std::int64_t i = 0; i < batch.size; ++i) {
        count(f, {field.data + static_cast<std::size_t>(i) * bytes, bytes});
      }
    }
    for (std::int64_t i = 0; i < batch.size; ++i) {
      const std::optional<std::int64_t> label = label_of(batch, i);
      if (label) {
        labels_sorted_ = labels_sorted_ && (labels_.empty() || *label >= labels_.rbegin()->first);
        ++labels_[*label];
      }
      if (std::ssize(out_.first_samples) < request_.samples) show(batch, i, label);
    }
    out_.samples_read += batch.size;
  }

  // Counts one sample's part of a field.
  void count(std::size_t f, std::span<const std::byte> numbers) {
    FieldPreview& field = out_.fields[f];
    const DType dtype = field.spec.dtype;
    FieldStatistics own;
    own.add(numbers, dtype);
    if (f == 0 && own.values() > 1 && own.min() == own.max()) ++constant_;
    field.all.add(numbers, dtype);
    if (!field.channels.empty()) count_channels(f, numbers);
    if (!is_tokens(field.spec)) return;
    for (std::size_t at = 0; at < numbers.size() / sizeof(std::int64_t); ++at) {
      tokens_.insert(integer_at(numbers.data(), at));
    }
  }

  void count_channels(std::size_t f, std::span<const std::byte> numbers) {
    const PictureLayout& layout = *layouts_[f];
    FieldPreview& field = out_.fields[f];
    const std::size_t size = size_of(field.spec.dtype);
    const auto pixels = static_cast<std::size_t>(layout.height * layout.width);
    for (std::size_t c = 0; c < field.channels.size(); ++c) {
      if (!layout.channels_last) {
        field.channels[c].add(numbers.subspan(c * pixels * size, pixels * size), field.spec.dtype);
        continue;
      }
      for (std::size_t i = 0; i < pixels; ++i) {
        const std::size_t place = i * field.channels.size() + c;
        field.channels[c].add(numbers.subspan(place * size, size), field.spec.dtype);
      }
    }
  }

  [[nodiscard]] static std::optional<std::int64_t> label_of(const Batch& batch, std::int64_t i) {
    const BatchField& last = batch.fields[batch.fields.size() - 1];
    if (!is_label(*last.spec)) return std::nullopt;
    return integer_at(last.data, static_cast<std::size_t>(i));
  }

  [[nodiscard]] std::string name_of(std::int64_t label) const {
    const bool known = label >= 0 && label < std::ssize(facts_.class_names);
    return known ? facts_.class_names[static_cast<std::size_t>(label)] : std::string();
  }

  void show(const Batch& batch, std::int64_t i, std::optional<std::int64_t> label) {
    SamplePreview& sample = out_.first_samples.emplace_back();
    const std::int64_t place = out_.samples_read + i;
    if (place < std::ssize(indices_) && options_.batch_size > 0) {
      sample.index = indices_[static_cast<std::size_t>(place)];
      sample.file = data_->file_of(*sample.index);
    }
    sample.label = label;
    if (label) sample.name = name_of(*label);
    const BatchField& first = batch.fields[0];
    const std::byte* const numbers = first.data + static_cast<std::size_t>(i) * first.spec->bytes();
    if (is_tokens(*first.spec)) {
      const std::size_t length = first.spec->bytes() / sizeof(std::int64_t);
      for (std::size_t at = 0; at < std::min(length, kTokensShown); ++at) {
        sample.tokens.push_back(integer_at(numbers, at));
      }
    }
    if (!request_.pictures || !layouts_[0]) return;
    out_.pictures.push_back(to_picture(numbers, *first.spec, *layouts_[0], facts_.pixels));
  }

  void finish() {
    for (FieldPreview& field : out_.fields) {
      field.bytes = static_cast<std::int64_t>(field.spec.bytes()) * out_.full_batch;
    }
    const std::size_t shown = std::min(indices_.size(), kIndicesShown);
    out_.first_indices.assign(indices_.begin(),
                              indices_.begin() + static_cast<std::ptrdiff_t>(shown));
    out_.tokens_seen = static_cast<std::int64_t>(tokens_.size());
    std::map<std::int64_t, std::int64_t> all;
    if (out_.samples && *out_.samples <= kMaxLabelsCounted && !labels_.empty() &&
        options_.batch_size > 0) {
      for (const std::int64_t label : data_->labels(options_.seed)) ++all[label];
    }
    for (const auto& [label, read] : labels_) {
      LabelPreview& row = out_.labels.emplace_back();
      row.label = label;
      row.name = name_of(label);
      row.read = read;
      if (!all.empty()) row.all = all[label];
    }
    add_notes();
  }

  void add_notes() {
    const auto note = [&](std::string text) { out_.notes.push_back(std::move(text)); };
    const FieldPreview& first = out_.fields.front();
    const auto classes_read = static_cast<std::int64_t>(out_.labels.size());
    if (labels_sorted_ && classes_read > 0 && classes_read < out_.classes &&
        out_.samples_read >= kSamplesToJudgeOrder) {
      note(
          formatted("the labels come sorted, {} of {} among those read: a training wants them "
                    "mixed (loader.shuffle: true, or shuffled shards)",
                    classes_read, text::counted(out_.classes, "class")));
    }
    for (const FieldPreview& field : out_.fields) {
      if (field.all.nans() > 0) {
        note(formatted("field {} holds NaN: {}", field.spec.name,
                       text::counted(field.all.nans(), "value")));
      }
      if (field.all.infinities() > 0) {
        note(formatted("field {} holds infinity: {}", field.spec.name,
                       text::counted(field.all.infinities(), "value")));
      }
    }
    if (constant_ > 0) {
      note(formatted("{} of {}{} the same number everywhere in field {}",
                     text::counted(constant_, "sample"), out_.samples_read,
                     constant_ == 1 ? " has" : " have", first.spec.name));
    }
    if (const std::int64_t skipped = loader_->metrics().skipped_samples; skipped > 0) {
      note(text::counted(skipped, "sample") +
           " could not be read, and the next took its place (data.on_error: skip)");
    }
    if (request_.pictures && layouts_[0] && first.spec.dtype == DType::kFloat32 && !facts_.pixels) {
      note(
          formatted("the numbers of field {} were never bytes: each picture is stretched from its "
                    "smallest to its largest",
                    first.spec.name));
    }
    if (request_.pictures && !layouts_[0]) {
      note(formatted("field {} is not a picture: no file is written", first.spec.name));
    }
  }

  PreviewRequest request_;
  ResolvedCase resolved_;
  LoaderOptions options_;
  HostClock clock_;
  WorkerContext context_{.clock = clock_,
                         .run_dir = {},
                         .shared_memory_prefix = formatted("/stepbench-{}-", ::getpid())};
  std::unique_ptr<data::Dataset> data_;
  data::DatasetFacts facts_;
  std::vector<std::int64_t> indices_;  // of the first epoch, in its order
  std::unique_ptr<Loader> loader_;
  DataPreview out_;
  std::vector<std::optional<PictureLayout>> layouts_;  // by field
  std::map<std::int64_t, std::int64_t> labels_;
  std::unordered_set<std::int64_t> tokens_;
  bool labels_sorted_ = true;
  std::int64_t constant_ = 0;  // samples whose values are all equal
};

}  // namespace

DataPreview preview_data(const ResolvedCase& resolved, const PreviewRequest& request,
                         const std::vector<Engine>& table, const OrderMaker& order,
                         data::PythonParts* python) {
  return Preview(resolved, request, table, order, python).run();
}

bool previews_without_torch(const ResolvedCase& resolved) {
  if (data::data_kind(resolved).open == nullptr) return false;
  const LoaderOptions options = loader_options(resolved);
  const Engine* engine = find_engine(engines(), resolved.text("loader.engine"));
  const bool made_here = options.num_workers == 0 || (engine != nullptr && engine->make != nullptr);
  return made_here && options.weights.empty() && !options.with_replacement;
}

EpochOrder order_without_torch(const data::Dataset& dataset, const LoaderOptions& options) {
  if (dataset.iterable() != nullptr || !options.shuffle) return make_order(dataset, options);
  return python_shuffle(dataset.size(), options.seed, options.joined || options.persistent_workers);
}

namespace {

// IEEE 754 binary16.
double half_value(std::uint16_t bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  const int exponent = (bits >> 10U) & 31;
  const int fraction = bits & 1023;
  if (exponent == 31) {
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  const int significand = exponent == 0 ? fraction : fraction + 1024;
  return sign * std::ldexp(significand, std::max(exponent, 1) - 25);
}

// bfloat16: the upper half of a float.
double bfloat_value(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(std::uint32_t{bits} << 16U));
}

template <typename Number>
double as_double(Number number) {
  return static_cast<double>(number);
}

template <typename Number>
void add_all(std::span<const std::byte> numbers, FieldStatistics& to,
             double (*value_of)(Number) = as_double<Number>) {
  for (std::size_t at = 0; at + sizeof(Number) <= numbers.size(); at += sizeof(Number)) {
    Number number{};
    std::memcpy(&number, numbers.data() + at, sizeof number);
    to.add(value_of(number));
  }
}

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void FieldStatistics::add(double value) {
  ++values_;
  if (std::isnan(value)) {
    ++nans_;
    return;
  }
  if (std::isinf(value)) {
    ++infinities_;
    return;
  }
  if (value == 0) ++zeros_;
  const bool first = finite() == 1;
  min_ = first ? value : std::min(min_, value);
  max_ = first ? value : std::max(max_, value);
  const double distance = value - mean_;
  mean_ += distance / static_cast<double>(finite());
  squares_ += distance * (value - mean_);
}

void FieldStatistics::add(std::span<const std::byte> numbers, DType dtype) {
  switch (dtype) {
    case DType::kUInt8:
      return add_all<std::uint8_t>(numbers, *this);
    case DType::kInt32:
      return add_all<std::int32_t>(numbers, *this);
    case DType::kInt64:
      return add_all<std::int64_t>(numbers, *this);
    case DType::kFloat32:
      return add_all<float>(numbers, *this);
    case DType::kBool:
      return add_all<std::uint8_t>(numbers, *this);
    case DType::kInt16:
      return add_all<std::int16_t>(numbers, *this);
    case DType::kFloat16:
      return add_all<std::uint16_t>(numbers, *this, half_value);
    case DType::kBFloat16:
      return add_all<std::uint16_t>(numbers, *this, bfloat_value);
    case DType::kFloat64:
      return add_all<double>(numbers, *this);
  }
}

double FieldStatistics::min() const { return finite() > 0 ? min_ : kNone; }
double FieldStatistics::max() const { return finite() > 0 ? max_ : kNone; }
double FieldStatistics::mean() const { return finite() > 0 ? mean_ : kNone; }
double FieldStatistics::deviation() const {
  return finite() > 0 ? std::sqrt(squares_ / static_cast<double>(finite())) : kNone;
}

}  // namespace stepbench::loader
