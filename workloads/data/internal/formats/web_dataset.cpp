// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/formats/web_dataset.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <system_error>
#include <utility>

#include "harness/base/format.h"
#include "harness/os/files.h"
#include "workloads/data/dataset.h"
#include "workloads/data/internal/formats/web_samples.h"
#include "workloads/data/internal/unreadable_files.h"
#include "workloads/data/random.h"

namespace stepbench::data {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kShardDraws = 8;   // Philox sequence, above those of other data sets
constexpr std::uint32_t kBufferDraws = 9;  // first of one sequence per reader

std::vector<std::string> list_shards(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return {path.string()};
  if (!fs::is_directory(path, error)) {
    throw ConfigError(
        path.string(),
        os::why_absent(
            path, formatted("no such folder; `stepbench data make webdataset --out {}` makes a set",
                            path.string())));
  }
  std::vector<std::string> shards;
  fs::directory_iterator entry(path, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string extension = entry->path().extension().string();
    if (extension == ".tar") shards.push_back(entry->path().string());
  }
  if (error) throw ConfigError(path.string(), "cannot be listed: " + error.message());
  if (shards.empty()) throw ConfigError(path.string(), "holds no .tar shard");
  std::ranges::sort(shards);
  return shards;
}

class WebStream final : public SampleStream {
 public:
  WebStream(const WebDataset& data, const StreamShare& share)
      : data_(data),
        share_(share),
        shards_(data.shards_of(share)),
        random_(
            share.seed, static_cast<std::uint64_t>(share.epoch),
            kBufferDraws + static_cast<std::uint32_t>(share.rank * share.workers + share.worker)),
        work_(data.options().image),
        buffer_(
            static_cast<std::size_t>(std::max<std::int64_t>(1, data.options().shuffle_buffer))) {}

  bool next(SampleSlots out, ReadCost& cost) override {
    for (std::int64_t failed = 0;;) {
      try {
        return next_good(out, cost);
      } catch (const Error& error) {
        if (!data_.options().skip_errors) throw;
        ++cost.skipped;
        if (++failed < kMaxSkipsInARow) continue;
        throw Error(
            formatted("data.on_error: skip found {} unreadable samples in a row; the last: {}",
                      failed, error.what()));
      }
    }
  }

 private:
  struct BufferedSample {
    WebSample sample;
    std::int64_t shard = 0;
  };

  bool next_good(SampleSlots out, ReadCost& cost) {
    const auto now = [&] { return cost.clock != nullptr ? cost.clock->now_ns() : 0; };
    const std::int64_t began = now();
    std::int64_t fetched = began;
    const auto account = [&] {
      cost.fetch_ns += fetched - began;
      cost.decode_ns += now() - fetched;
    };
    try {
      while (held_ < buffer_.size() && fetch(buffer_[held_])) ++held_;
      fetched = now();
      if (held_ == 0) return false;
      // The freed slot is the last one, which the next call refills.
      const auto drawn = buffer_.size() > 1 ? static_cast<std::size_t>(random_.below(held_)) : 0;
      std::swap(buffer_[drawn], buffer_[--held_]);
      decode(buffer_[held_], out);
    } catch (...) {
      account();
      throw;
    }
    account();
    return true;
  }

  // Reads the next sample of this share; false at its end.
  bool fetch(BufferedSample& held) {
    for (;;) {
      if (!samples_) {
        if (opened_ == shards_.size()) return false;
        const std::int64_t shard = shards_[opened_++];
        held.shard = shard_ = shard;
        samples_.emplace(data_.shards()[static_cast<std::size_t>(shard)]);
      }
      held.shard = shard_;
      try {
        if (samples_->next(held.sample)) return true;
      } catch (...) {
        if (samples_->broken()) samples_.reset();
        throw;
      }
      samples_.reset();
    }
  }

  void decode(const BufferedSample& held, SampleSlots out) {
    const WebSample& sample = held.sample;
    const std::string& path = data_.shards()[static_cast<std::size_t>(held.shard)];
    if (sample.label >= data_.classes()) {
      throw file_error(path, sample.offset,
                       formatted("{}: class {} is not below data.classes {}", sample.key,
                                 sample.label, data_.classes()));
    }
    const SampleKey key{
        .index = (held.shard << 32) + sample.number, .seed = share_.seed, .epoch = share_.epoch};
    try {
      if (const std::string_view kind = file_kind(sample.image); !kind.empty() && kind != "JPEG") {
        throw Error(formatted("is a {} file, not a JPEG", kind));
      }
      work_.decode(key, sample.image, reinterpret_cast<float*>(out[0]));
    } catch (const Error& error) {
      throw file_error(path, sample.offset, sample.key + ".jpg: " + error.what());
    }
    std::memcpy(out[1], &sample.label, sizeof sample.label);
  }

  const WebDataset& data_;
  StreamShare share_;
  std::vector<std::int64_t> shards_;
  std::size_t opened_ = 0;
  std::int64_t shard_ = 0;
  std::optional<WebSamples> samples_;
  Philox random_;
  JpegSample work_;
  std::vector<BufferedSample> buffer_;
  std::size_t held_ = 0;  // samples in buffer_, at its front
};

Variant webdataset_variant() {
  return {
      .name = "webdataset",
      .doc =
          "Tar shards of JPEG images as WebDataset reads them: consecutive entries with the same "
          "name are a sample, .jpg its image and .cls its class. An iterable data set: shards go "
          "round the ranks and those of a rank round its workers, each worker drops its own last "
          "batch, and loader.shuffle does not apply. Fields: image float32 (3, H, W), label int64.",
      .options = {
          path_option("Folder with .tar shards, or one of them. `stepbench data make webdataset` "
                      "makes one."),
          image_size_option(),
          augment_option(),
          decode_option(),
          jpeg_decoder_option(),
          classes_option(std::int64_t{1000},
                         "Classes lie in 0 to classes - 1; what a model's output is sized for."),
          {.name = "shuffle_buffer",
           .type = OptionType::kInteger,
           .doc = "Samples that each worker holds and draws from at random. The order of the "
                  "shards is drawn anew in each epoch then, too. 0: as they stand in the shards.",
           .unit = "samples",
           .default_value = std::int64_t{0},
           .min = 0,
           .max = 1 << 24,
           .identity_default = std::int64_t{0}},
          on_error_option()}};
}

}  // namespace

WebDataset::WebDataset(WebDatasetOptions options)
    : options_(std::move(options)), shards_(list_shards(options_.path)) {
  const std::int64_t size = options_.image.image_size;
  fields_ = {{.name = "image", .shape = {3, size, size}, .dtype = DType::kFloat32},
             {.name = "label", .shape = {}, .dtype = DType::kInt64}};
}

std::vector<std::int64_t> WebDataset::shards_of(const StreamShare& share) const {
  std::vector<std::int64_t> order(shards_.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  if (options_.shuffle_buffer > 0) {
    Philox random(share.seed, static_cast<std::uint64_t>(share.epoch), kShardDraws);
    for (std::size_t left = order.size(); left > 1; --left) {
      std::swap(order[left - 1], order[static_cast<std::size_t>(random.below(left))]);
    }
  }
  std::vector<std::int64_t> mine;
  const auto readers = static_cast<std::size_t>(share.world * share.workers);
  const auto first = static_cast<std::size_t>(share.worker * share.world + share.rank);
  for (std::size_t i = first; i < order.size(); i += readers) mine.push_back(order[i]);
  return mine;
}

std::unique_ptr<SampleStream> WebDataset::stream(const StreamShare& share) const {
  return std::make_unique<WebStream>(*this, share);
}

DatasetFacts WebDataset::facts() const {
  DatasetFacts facts{.pixels = JpegSample::pixels()};
  if (auto note = missing_files_note(shards_)) facts.notes.push_back(std::move(*note));
  return facts;
}

std::string WebDataset::digest() const {
  std::int64_t bytes = 0;
  for (const std::string& shard : shards_) {
    struct stat status {};
    if (::stat(shard.c_str(), &status) == 0) bytes += status.st_size;
  }
  return formatted("webdataset:{}:{}:{}", shards_.size(), bytes, options_.classes);
}

DataKind webdataset_kind() {
  return {.variant = webdataset_variant(),
          .input = [](const ResolvedCase&) { return InputKind::kImage; },
          .open = [](const ResolvedCase& resolved) -> std::unique_ptr<Dataset> {
            return std::make_unique<WebDataset>(
                WebDatasetOptions{.path = resolved.text("data.path"),
                                  .image = {.image_size = resolved.integer("data.image_size"),
                                            .augment = resolved.flag("data.augment"),
                                            .fast_decode = resolved.text("data.decode") == "fast",
                                            .own_huffman = has_own_jpeg_decoder(resolved)},
                                  .classes = resolved.integer("data.classes"),
                                  .shuffle_buffer = resolved.integer("data.shuffle_buffer"),
                                  .skip_errors = skips_errors(resolved)});
          },
          .iterable = true};
}

}  // namespace stepbench::data
