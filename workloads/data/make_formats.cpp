// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/make_formats.h"

#include <algorithm>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "workloads/data/file_maker.h"
#include "workloads/data/made_content.h"

namespace stepbench {
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
  return stem + std::string(6 - std::min<std::size_t>(6, digits.size()), '0') + digits + ".bin";
}

// [begin, end) of part `index` of `parts` equal ones.
std::int64_t part_begin(std::int64_t count, std::int64_t parts, std::int64_t index) {
  return count / parts * index + std::min(index, count % parts);
}

}  // namespace

MadeFolder make_mnist_idx(const MakerValues& values, const MakeProgress& progress) {
  FileMaker files("mnist_idx", values, progress);
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
    throw ConfigError("--samples",
                      std::to_string(count) + " samples cannot fill CIFAR-10's 5 files");
  }
  FileMaker files("cifar_bin", values, progress);
  Records records(values, hundred ? 100 : 10, 3 * 32 * 32);
  const std::int64_t parts = hundred ? 1 : kBatches;
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int64_t begin = part_begin(count, parts, part);
    const std::int64_t end = part_begin(count, parts, part + 1);
    const std::string name =
        hundred ? "train.bin" : "data_batch_" + std::to_string(part + 1) + ".bin";
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
    throw ConfigError("--vocabulary",
                      std::to_string(vocabulary) + " tokens need --token-type uint32");
  }
  const std::int64_t count = values.at("tokens");
  const std::int64_t shards = values.at("shards");
  if (count < shards) {
    throw ConfigError("--shards", std::to_string(shards) + " files cannot share " +
                                      std::to_string(count) + " tokens");
  }
  FileMaker files("token_bin", values, progress);
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
  FileMaker files("safetensors", values, progress);
  const std::int64_t count = values.at("samples");
  const std::int64_t bytes = image_bytes(values);
  Records records(values, values.at("classes"), bytes);
  const std::string size = std::to_string(values.at("size"));
  const std::string n = std::to_string(count);
  const std::int64_t images = count * bytes;
  // The labels come first, so that both tensors are aligned.
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
  FileMaker files("raw_tensor", values, progress);
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

}  // namespace stepbench
