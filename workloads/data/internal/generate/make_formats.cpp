// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/generate/make_formats.h"

#include <algorithm>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"

namespace stepbench::data {
namespace {

using Sink = FileMaker::Sink;

class Records {
 public:
  Records(const MakerValues& values, std::int64_t classes, std::int64_t bytes)
      : seed_(static_cast<std::uint64_t>(values.at("seed"))),
        classes_(classes),
        record_(static_cast<std::size_t>(bytes)) {}

  [[nodiscard]] std::int64_t label(std::int64_t index) const { return index % classes_; }
  void put(Sink& sink, std::int64_t index) {
    made_record(seed_, index, label(index), record_);
    sink.bytes(record_);
  }

 private:
  std::uint64_t seed_;
  std::int64_t classes_;
  std::vector<std::byte> record_;
};

std::int64_t image_bytes(const MakerValues& values) {
  return values.at("channels") * values.at("size") * values.at("size");
}

std::string numbered(const std::string& stem, std::int64_t number) {
  const std::string digits = std::to_string(number);
  return formatted("{}{}{}.bin", stem,
                   std::string(6 - std::min<std::size_t>(6, digits.size()), '0'), digits);
}

// Begin of part `index` of `parts` equal parts.
std::int64_t part_begin(std::int64_t count, std::int64_t parts, std::int64_t index) {
  return count / parts * index + std::min(index, count % parts);
}

MadeFolder make_mnist_idx(const MakerValues& values, const MakeProgress& progress) {
  FileMaker files(mnist_idx_maker(), values, progress);
  const std::int64_t count = values.at("samples");
  const std::int64_t size = values.at("size");
  Records records(values, values.at("classes"), size * size);
  files.file("train-images-idx3-ubyte", count, [&](Sink& sink) {
    for (const std::int64_t word : {std::int64_t{2051}, count, size, size}) {
      sink.big32(static_cast<std::uint32_t>(word));
    }
    for (std::int64_t i = 0; i < count; ++i) records.put(sink, i);
  });
  files.file("train-labels-idx1-ubyte", 0, [&](Sink& sink) {
    sink.big32(2049);
    sink.big32(static_cast<std::uint32_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
      sink.little(static_cast<std::uint8_t>(records.label(i)));
    }
  });
  return files.finish();
}

MadeFolder make_cifar_bin(const MakerValues& values, const MakeProgress& progress) {
  constexpr std::int64_t kBatches = 5;
  constexpr std::int64_t kFinePerCoarse = 5;
  const bool hundred = values.at("labels") == 1;
  const std::int64_t count = values.at("samples");
  if (!hundred && count < kBatches) {
    throw ConfigError("--samples", formatted("{} samples cannot fill CIFAR-10's 5 files", count));
  }
  FileMaker files(cifar_bin_maker(), values, progress);
  Records records(values, hundred ? 100 : 10, 3 * 32 * 32);
  const std::int64_t parts = hundred ? 1 : kBatches;
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int64_t begin = part_begin(count, parts, part);
    const std::int64_t end = part_begin(count, parts, part + 1);
    const std::string name = hundred ? "train.bin" : formatted("data_batch_{}.bin", part + 1);
    files.file(name, end - begin, [&](Sink& sink) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t label = records.label(i);
        if (hundred) sink.little(static_cast<std::uint8_t>(label / kFinePerCoarse));
        sink.little(static_cast<std::uint8_t>(label));
        records.put(sink, i);
      }
    });
  }
  return files.finish();
}

MadeFolder make_token_bin(const MakerValues& values, const MakeProgress& progress) {
  constexpr std::int64_t kNarrowVocabulary = 1 << 16;
  const bool wide = values.at("token-type") == 1;
  const std::int64_t vocabulary = values.at("vocabulary");
  if (!wide && vocabulary > kNarrowVocabulary) {
    throw ConfigError("--vocabulary", formatted("{} tokens need --token-type uint32", vocabulary));
  }
  const std::int64_t count = values.at("tokens");
  const std::int64_t shards = values.at("shards");
  if (count < shards) {
    throw ConfigError("--shards", formatted("{} files cannot share {} tokens", shards, count));
  }
  FileMaker files(token_bin_maker(), values, progress);
  const auto seed = static_cast<std::uint64_t>(values.at("seed"));
  for (std::int64_t shard = 0; shard < shards; ++shard) {
    const std::int64_t begin = part_begin(count, shards, shard);
    const std::int64_t end = part_begin(count, shards, shard + 1);
    const std::string name = shards == 1 ? "train.bin" : numbered("train_", shard);
    files.file(name, end - begin, [&](Sink& sink) {
      if (values.at("header") == 1) {
        std::vector<std::int32_t> header(256);
        header[0] = wide ? 20240801 : 20240520;
        header[1] = wide ? 7 : 1;
        header[2] = static_cast<std::int32_t>(end - begin);
        sink.bytes(std::as_bytes(std::span(header)));
      }
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t token = made_token(seed, i, vocabulary);
        wide ? sink.little(static_cast<std::uint32_t>(token))
             : sink.little(static_cast<std::uint16_t>(token));
      }
    });
  }
  return files.finish();
}

MadeFolder make_safetensors(const MakerValues& values, const MakeProgress& progress) {
  FileMaker files(safetensors_maker(), values, progress);
  const std::int64_t count = values.at("samples");
  const std::int64_t bytes = image_bytes(values);
  Records records(values, values.at("classes"), bytes);
  const std::string size = std::to_string(values.at("size"));
  const std::string n = std::to_string(count);
  const std::int64_t images = count * bytes;
  // Labels come first, so that both tensors are aligned.
  std::string header = R"({"label":{"dtype":"I64","shape":[)" + n + R"(],"data_offsets":[0,)" +
                       std::to_string(8 * count) + R"(]},"image":{"dtype":"U8","shape":[)" + n +
                       "," + std::to_string(values.at("channels")) + "," + size + "," + size +
                       R"(],"data_offsets":[)" + std::to_string(8 * count) + "," +
                       std::to_string(8 * count + images) + "]}}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  files.file("data.safetensors", count, [&](Sink& sink) {
    sink.little(static_cast<std::uint64_t>(header.size()));
    sink.text(header);
    for (std::int64_t i = 0; i < count; ++i) sink.little(records.label(i));
    for (std::int64_t i = 0; i < count; ++i) records.put(sink, i);
  });
  return files.finish();
}

MadeFolder make_raw_tensor(const MakerValues& values, const MakeProgress& progress) {
  FileMaker files(raw_tensor_maker(), values, progress);
  const std::int64_t count = values.at("samples");
  Records records(values, values.at("classes"), image_bytes(values));
  files.file("input.bin", count, [&](Sink& sink) {
    for (std::int64_t i = 0; i < count; ++i) records.put(sink, i);
  });
  files.file("target.bin", 0, [&](Sink& sink) {
    for (std::int64_t i = 0; i < count; ++i) sink.little(records.label(i));
  });
  return files.finish();
}

}  // namespace

const Maker& mnist_idx_maker() {
  static const Maker row = {
      .kind = "mnist_idx",
      .doc =
          "The two files of MNIST's training set: train-images-idx3-ubyte and "
          "train-labels-idx1-ubyte",
      .examples =
          "    stepbench data make mnist_idx --out data/mnist\n"
          "  and in the configuration: data: {kind: mnist_idx, path: data/mnist}",
      .options = {samples_option(60'000), label_classes_option(10, 256), seed_option(),
                  size_option()},
      .counted = "samples",
      .make = make_mnist_idx};
  return row;
}

const Maker& cifar_bin_maker() {
  static const Maker row = {
      .kind = "cifar_bin",
      .doc = "CIFAR's binary version: five batch files, or train.bin with --labels cifar100",
      .examples =
          "    stepbench data make cifar_bin --samples 50000 --out data/cifar10\n"
          "  and in the configuration: data: {kind: cifar_bin, path: data/cifar10}",
      .options = {samples_option(50'000),
                  seed_option(),
                  {"labels", "Which of the two formats", 0, 0, 1, {"cifar10", "cifar100"}}},
      .counted = "samples",
      .make = make_cifar_bin};
  return row;
}

const Maker& token_bin_maker() {
  static const Maker row = {
      .kind = "token_bin",
      .doc = "Files of token ids as nanoGPT or llm.c write them",
      .examples =
          "  As nanoGPT's train.bin, 20 MB:\n"
          "    stepbench data make token_bin --tokens 10000000 --out data/tokens\n"
          "  As llm.c's shards:\n"
          "    stepbench data make token_bin --header llm.c --shards 4 --out data/llmc\n"
          "  and in the configuration: data: {kind: token_bin, path: data/tokens}",
      .options = {{"tokens", "Number of tokens in all", 1'000'000, 2, 1'000'000'000'000},
                  {"vocabulary", "Tokens are drawn from 0 to vocabulary - 1", 50257, 1, 1 << 30},
                  {"shards", "Number of files", 1, 1, 10'000},
                  seed_option(),
                  {"header", "What stands before the tokens", 0, 0, 1, {"none", "llm.c"}},
                  {"token-type", "Type of a token", 0, 0, 1, {"uint16", "uint32"}}},
      .counted = "tokens",
      .make = make_token_bin};
  return row;
}

const Maker& safetensors_maker() {
  static const Maker row = {
      .kind = "safetensors",
      .doc =
          "data.safetensors with the tensors image (uint8) and label (int64), the content of "
          "cifar_bin and raw_tensor with the same seed and size 32",
      .examples =
          "    stepbench data make safetensors --out data/tensors\n"
          "  and in the configuration: data: {kind: safetensors, path: data/tensors}",
      .options = {samples_option(50'000), label_classes_option(10, 1'000'000), seed_option(),
                  size_option(), channels_option()},
      .counted = "samples",
      .make = make_safetensors};
  return row;
}

const Maker& raw_tensor_maker() {
  static const Maker row = {
      .kind = "raw_tensor",
      .doc = "input.bin (uint8 records) and target.bin (int64), without headers",
      .examples =
          "    stepbench data make raw_tensor --out data/raw\n"
          "  and in the configuration: data: {kind: raw_tensor, path: data/raw, shape: "
          "3x32x32}",
      .options = {samples_option(50'000), label_classes_option(10, 1'000'000), seed_option(),
                  size_option(), channels_option()},
      .counted = "samples",
      .make = make_raw_tensor};
  return row;
}

FileMaker::FileMaker(const Maker& maker, const MakerValues& values, const MakeProgress& progress)
    : set_(values.out, maker_manifest(maker, values)), progress_(progress) {}

void FileMaker::Sink::big32(std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) little(static_cast<std::uint8_t>(value >> shift));
}

void FileMaker::file(const std::string& name, std::int64_t items,
                     const std::function<void(Sink&)>& write) {
  std::int64_t size = set_.size_of(name);
  if (size < 0) {
    Sink sink(set_.folder() / name);
    write(sink);
    size = sink.commit();
    ++result_.made;
  }
  result_.bytes += size;
  done_ += items;
  if (progress_) progress_(done_);
}

MadeFolder FileMaker::finish() {
  set_.finish();
  return result_;
}

}  // namespace stepbench::data
