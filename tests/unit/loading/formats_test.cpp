// SPDX-License-Identifier: Apache-2.0
// Written data reads back in every format, and existing sets are not changed.
#include "tests/unit/loading/formats.h"
#include "tests/testing.h"
#include "workloads/data/internal/generate/make_formats.h"

namespace stepbench {
namespace {

using test::labels;
using test::make;
using test::numbers;
using test::sample;

std::vector<std::byte> record(std::int64_t index, std::int64_t label, std::size_t bytes) {
  std::vector<std::byte> content(bytes);
  data::made_record(3, index, label, content);
  return content;
}

TEST(MnistIdx, MadeSet_HasOneChannelAndLabels) {
  const test::TemporaryFolder root;
  make("mnist_idx", root.path() / "set",
       {{"samples", 5}, {"classes", 3}, {"size", 4}, {"seed", 3}});
  const data::IdxFiles files = data::find_idx_files(root.path() / "set", false);
  const auto stored = data::open_mnist_idx(files, {.as_float = false, .classes = 3});
  EXPECT_EQ(stored->size(), 5);
  EXPECT_EQ(stored->classes(), 3);
  EXPECT_THAT(stored->fields()[0].shape, ElementsAre(1, 4, 4));
  EXPECT_EQ(sample(*stored, {.index = 4})[0], record(4, 1, 16));
  EXPECT_THAT(labels(*stored), ElementsAre(0, 1, 2, 0, 1));
  const auto scaled = data::open_mnist_idx(files, {});
  const auto pixels = numbers<float>(sample(*scaled, {.index = 4})[0]);
  const auto bytes = record(4, 1, 16);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    EXPECT_EQ(pixels[i], static_cast<float>(bytes[i]) / 255.0F);
  }
}

TEST(CifarBin, Cifar10_IsFiveFilesInOne) {
  const test::TemporaryFolder root;
  make("cifar_bin", root.path() / "set", {{"samples", 12}, {"seed", 3}});
  const auto data = data::open_cifar_bin(data::find_cifar_files(root.path() / "set", false, false),
                                         false, {.as_float = false});
  EXPECT_EQ(data->size(), 12);
  EXPECT_THAT(data->fields()[0].shape, ElementsAre(3, 32, 32));
  for (const std::int64_t i : {0, 2, 3, 11}) {
    EXPECT_EQ(sample(*data, {.index = i})[0], record(i, i % 10, 3072)) << i;
  }
  EXPECT_THAT(labels(*data), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1));
}

TEST(CifarBin, Cifar100_UsesTheFineLabel) {
  const test::TemporaryFolder root;
  make("cifar_bin", root.path() / "set", {{"samples", 7}, {"labels", 1}});
  const auto data =
      data::open_cifar_bin(data::find_cifar_files(root.path() / "set", true, false), true, {});
  EXPECT_EQ(data->classes(), 100);
  EXPECT_THAT(labels(*data), ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

TEST(TensorFiles, SameSeed_HoldsTheSamplesOfCifar) {
  const test::TemporaryFolder root;
  make("cifar_bin", root.path() / "cifar", {{"samples", 6}});
  make("safetensors", root.path() / "st", {{"samples", 6}});
  make("raw_tensor", root.path() / "raw", {{"samples", 6}});
  const auto cifar = data::open_cifar_bin(
      data::find_cifar_files(root.path() / "cifar", false, false), false, {.as_float = false});
  const auto tensors =
      data::open_safetensors({.common = {.path = root.path() / "st", .classes = 10}});
  const auto raw = data::open_raw_tensor(
      {.common = {.path = root.path() / "raw"}, .shape = {3, 32, 32}, .stored = DType::kUInt8});
  for (std::int64_t i = 0; i < 6; ++i) {
    const auto expected = sample(*cifar, {.index = i});
    EXPECT_EQ(sample(*tensors, {.index = i}), expected) << i;
    EXPECT_EQ(sample(*raw, {.index = i}), expected) << i;
  }
}

std::vector<std::int64_t> made_tokens(std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> tokens;
  for (std::int64_t i = first; i < first + count; ++i)
    tokens.push_back(data::made_token(0, i, 1000));
  return tokens;
}

TEST(TokenBin, Windows_DoNotCrossFiles) {
  const test::TemporaryFolder root;
  for (const std::int64_t header : {0, 1}) {
    for (const std::int64_t wide : {0, 1}) {
      const auto folder = root.path() / (std::to_string(header) + std::to_string(wide));
      make("token_bin", folder,
           {{"tokens", 50},
            {"vocabulary", 1000},
            {"shards", 2},
            {"header", header},
            {"token-type", wide}});
      const data::TokenBin data(
          {.path = folder, .wide = wide == 1, .sequence_length = 8, .vocabulary = 1000});
      EXPECT_EQ(data.tokens(), 50);
      EXPECT_EQ(data.size(), 6);  // three of each file of 25 tokens
      for (const std::int64_t i : {0, 2, 3, 5}) {
        const std::int64_t first = i < 3 ? i * 8 : 25 + (i - 3) * 8;
        const auto fields = sample(data, {.index = i});
        EXPECT_EQ(numbers<std::int64_t>(fields[0]), made_tokens(first, 8)) << i;
        EXPECT_EQ(numbers<std::int64_t>(fields[1]), made_tokens(first + 1, 8)) << i;
      }
    }
  }
}

TEST(TokenBin, DifferingLengths_TakeTheFront) {
  const test::TemporaryFolder root;
  make("token_bin", root.path() / "set", {{"tokens", 50}, {"vocabulary", 1000}});
  const data::TokenBin data({.path = root.path() / "set",
                             .sequence_length = 8,
                             .vocabulary = 1000,
                             .lengths = data::SampleLengths({.longest = 8, .listed = {3, 8}})});
  ASSERT_NE(data.lengths(), nullptr);
  EXPECT_EQ(data.size(), 6);
  for (const std::int64_t i : {2, 3}) {
    std::vector<std::int64_t> tokens = made_tokens(i * 8, i == 2 ? 3 : 8);
    tokens.resize(8);
    EXPECT_EQ(numbers<std::int64_t>(sample(data, {.index = i})[0]), tokens) << i;
  }
}

TEST(TokenBin, RandomWindows_CoverAllAndRepeat) {
  const test::TemporaryFolder root;
  make("token_bin", root.path() / "set", {{"tokens", 20}, {"vocabulary", 1000}});
  const data::TokenBin data(
      {.path = root.path() / "set", .sequence_length = 8, .vocabulary = 1000, .random = true});
  std::set<std::int64_t> starts;
  for (std::int64_t epoch = 0; epoch < 200; ++epoch) {
    const data::SampleKey key{.index = epoch % 2, .seed = 5, .epoch = epoch};
    const auto window = numbers<std::int64_t>(sample(data, key)[0]);
    EXPECT_EQ(sample(data, key), sample(data, key));
    for (std::int64_t start = 0; start < 12; ++start) {
      if (window == made_tokens(start, 8)) starts.insert(start);
    }
  }
  EXPECT_EQ(starts.size(), 12U);  // 20 - 8: the last window is followed by a token
}

TEST(SkippedSamples, BadLabel_TakesTheNextAndCounts) {
  const test::TemporaryFolder root;
  make("mnist_idx", root.path() / "set", {{"samples", 4}, {"size", 2}});
  auto bytes = numbers<char>(std::vector<std::byte>(12));
  bytes = {0, 0, 8, 1, 0, 0, 0, 4, 0, 77, 2, 3};
  root.write("set/train-labels-idx1-ubyte", std::string(bytes.begin(), bytes.end()));
  const data::IdxFiles files = data::find_idx_files(root.path() / "set", false);
  const auto strict = data::open_mnist_idx(files, {});
  EXPECT_THAT([&] { sample(*strict, {.index = 1}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("train-labels-idx1-ubyte: offset 9: "),
                                         HasSubstr("label 77 is outside 0 to 9"))));
  const auto lenient = data::open_mnist_idx(files, {.skip_errors = true});
  data::ReadCost cost;
  EXPECT_EQ(sample(*lenient, {.index = 1}, &cost), sample(*strict, {.index = 2}));
  EXPECT_EQ(cost.skipped, 1);
}

TEST(Makers, SecondCall_MakesMissingFilesOnly) {
  const test::TemporaryFolder root;
  std::vector<test::SmallFormat> formats = test::small_formats();
  test::Changes pictures = {{"images", 7}, {"classes", 3}, {"width", 40}, {"height", 30}};
  formats.push_back({.name = "jpeg_folder",
                     .kind = "jpeg_folder",
                     .changes = pictures,
                     .files = {"class_00000/image_00000003.jpg"},
                     .open = {}});
  pictures["shards"] = 2;
  formats.push_back({.name = "webdataset",
                     .kind = "webdataset",
                     .changes = pictures,
                     .files = {"shard-000000.tar"},
                     .open = {}});
  for (const test::SmallFormat& format : formats) {
    SCOPED_TRACE(format.name);
    const auto folder = root.path() / format.name;
    const data::MadeFolder first = make(format.kind, folder, format.changes);
    EXPECT_GT(first.made, 0);
    EXPECT_EQ(make(format.kind, folder, format.changes).made, 0);
    ASSERT_TRUE(fs::remove(folder / format.files[0]));
    const data::MadeFolder again = make(format.kind, folder, format.changes);
    EXPECT_EQ(again.made, 1);
    EXPECT_EQ(again.bytes, first.bytes);
    test::Changes other = format.changes;
    other["seed"] = 1;
    EXPECT_THAT([&] { make(format.kind, folder, other); },
                ThrowsMessage<ConfigError>(HasSubstr("another made set")));
  }
}

TEST(Makers, ForeignFolderOrBadOption_IsRejected) {
  const test::TemporaryFolder root;
  root.write("thesis.txt", "x");
  const auto expect = [](const data::Maker& maker, const data::MakerValues& values,
                         const std::string& words) {
    EXPECT_THAT([&] { (void)data::make_data(maker, values, {}); },
                ThrowsMessage<ConfigError>(HasSubstr(words)))
        << maker.kind;
  };
  for (const data::Maker* maker : data::makers()) {
    data::MakerValues values = data::maker_values(*maker, root.path());
    expect(*maker, values, "is not empty");
    expect(*maker, data::maker_values(*maker, root / "thesis.txt"), "is not a folder");
    values.options.at(maker->counted) = 0;
    expect(*maker, values, "--" + maker->counted + ": 0 is outside");
  }
}

TEST(Makers, ImpossibleOptions_AreRejected) {
  const struct {
    const char* kind;
    test::Changes changes;
    const char* words;
  } rows[] = {
      {"cifar_bin", {{"samples", 3}}, "--samples: 3 samples cannot fill"},
      {"token_bin", {{"vocabulary", 70'000}}, "need --token-type uint32"},
      {"token_bin", {{"tokens", 3}, {"shards", 4}}, "--shards: 4 files cannot share 3 tokens"},
      {"jpeg_folder", {{"images", 2}, {"classes", 3}}, "--images: 2 images"},
      {"jpeg_folder", {{"quality", 0}}, "--quality: 0 is outside"}};
  for (const auto& row : rows) {
    EXPECT_THAT([&] { make(row.kind, "never", row.changes); },
                ThrowsMessage<ConfigError>(HasSubstr(row.words)));
  }
}

}  // namespace
}  // namespace stepbench
