// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/generate/make_webdataset.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "workloads/data/generate/make_jpeg_folder.h"
#include "workloads/data/in_parallel.h"

namespace stepbench::data {
namespace {

constexpr std::size_t kTarBlockBytes = 512;

// One shard in the ustar format; its bytes depend on the content alone.
class TarWriter {
 public:
  explicit TarWriter(const std::filesystem::path& path) : file_(path) {}

  void add(const std::string& name, std::span<const std::byte> content) {
    std::array<char, kTarBlockBytes> header{};
    const auto put = [&](std::size_t at, const std::string& text) {
      std::memcpy(header.data() + at, text.data(), text.size());
    };
    const auto octal = [](std::size_t value, int digits) {
      std::array<char, 16> text{};
      (void)std::snprintf(text.data(), text.size(), "%0*zo", digits, value);
      return std::string(text.data());
    };
    put(0, name);
    put(100, octal(0644, 7));
    put(108, octal(0, 7));
    put(116, octal(0, 7));
    put(124, octal(content.size(), 11));
    put(136, octal(0, 11));
    put(148, "        ");
    put(156, "0");
    put(257, "ustar");
    put(263, "00");
    std::size_t sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    put(148, octal(sum, 6) + '\0');
    file_.append(std::as_bytes(std::span(header)));
    file_.append(content);
    const std::vector<std::byte> padding((kTarBlockBytes - content.size() % kTarBlockBytes) %
                                         kTarBlockBytes);
    file_.append(padding);
  }
  [[nodiscard]] std::int64_t finish() {
    file_.append(std::vector<std::byte>(2 * kTarBlockBytes));
    return file_.commit();
  }

 private:
  MadeFile file_;
};

std::string padded(std::int64_t value, int digits) {
  std::array<char, 32> text{};
  (void)std::snprintf(text.data(), text.size(), "%0*lld", digits, static_cast<long long>(value));
  return text.data();
}

void add_sample(TarWriter& tar, const JpegFolderPlan& plan, std::int64_t index) {
  const std::string key = padded(index, 8);
  const std::string label = std::to_string(index % plan.classes);
  const std::string facts = R"({"index":)" + std::to_string(index) + R"(,"class":)" + label + "}";
  tar.add(key + ".jpg", make_photograph(plan, index));
  tar.add(key + ".cls", std::as_bytes(std::span(label)));
  tar.add(key + ".json", std::as_bytes(std::span(facts)));
}

MadeFolder make_webdataset(const MakerValues& values, const MakeProgress& progress) {
  const JpegFolderPlan plan = photograph_plan(values);
  const std::int64_t shards = values.at("shards");
  if (plan.images < shards) {
    throw ConfigError("--shards", std::to_string(shards) + " shards cannot share " +
                                      std::to_string(plan.images) + " images");
  }
  MadeSet set(values.out, maker_manifest(webdataset_maker(), values));
  const auto begin = [&](std::int64_t shard) {
    return plan.images / shards * shard + std::min(shard, plan.images % shards);
  };
  std::atomic<std::int64_t> made = 0;
  std::atomic<std::int64_t> bytes = 0;
  in_parallel(
      shards,
      [&](std::int64_t shard) {
        const std::string name = "shard-" + padded(shard, 6) + ".tar";
        if (const std::int64_t present = set.size_of(name); present >= 0) {
          bytes += present;
          return;
        }
        TarWriter tar(values.out / name);
        for (std::int64_t i = begin(shard); i < begin(shard + 1); ++i) add_sample(tar, plan, i);
        bytes += tar.finish();
        ++made;
      },
      [&](std::int64_t done) {
        if (progress) progress(begin(done));
      });
  set.finish();
  return {.made = made, .bytes = bytes};
}

std::vector<MakerOption> sharded_options() {
  std::vector<MakerOption> options = photograph_options();
  options.push_back({"shards", "Number of tar files; each worker reads whole ones", 8, 1, 100'000});
  return options;
}

}  // namespace

const Maker& webdataset_maker() {
  static const Maker row = {
      .kind = "webdataset",
      .doc = "Tar shards of the images of jpeg_folder, with .jpg, .cls and .json for each",
      .examples =
          "    stepbench data make webdataset --images 512 --shards 8 --out data/shards\n"
          "  and in the configuration: data: {kind: webdataset, path: data/shards, classes: "
          "10}",
      .options = sharded_options(),
      .counted = "images",
      .make = make_webdataset};
  return row;
}

}  // namespace stepbench::data
