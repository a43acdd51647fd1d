// SPDX-License-Identifier: Apache-2.0
// `stepbench data show`: the order of the samples, the description of batches, labels and numbers,
// and pictures that match their files.
#include "tests/testing.h"
#include "tests/unit/loading/case.h"
#include "tests/unit/loading/formats.h"
#include "workloads/loader/batches.h"
#include "workloads/loader/show_data.h"

namespace stepbench {
namespace {

using Changed = std::vector<std::pair<std::string, Value>>;

loader::DataPreview preview_of(const Changed& changes, const loader::PreviewRequest& request = {}) {
  return loader::preview_data(test::loader_case(changes), request, loader::engines(),
                              loader::order_without_torch);
}

Changed image_folder(const test::TemporaryFolder& root, const Changed& more) {
  Changed changes = {
      {"data.kind", Value{"jpeg_folder"}},           {"data.path", Value{(root / "set").string()}},
      {"data.image_size", Value{std::int64_t{24}}},  {"loader.num_workers", Value{std::int64_t{0}}},
      {"loader.batch_size", Value{std::int64_t{8}}}, {"loader.epochs", Value{"separate"}}};
  changes.insert(changes.end(), more.begin(), more.end());
  return changes;
}

TEST(PythonShuffle, SeedAndEpoch_MatchTorchsDataLoader) {
  // torch 2.11: torch.manual_seed(seed); DataLoader(range(n), shuffle=True).
  const loader::EpochOrder fresh = loader::python_shuffle(6, 0, false);
  EXPECT_THAT(fresh(0), ElementsAre(0, 4, 3, 5, 2, 1));
  EXPECT_THAT(fresh(1), ElementsAre(2, 3, 1, 5, 4, 0));
  EXPECT_THAT(fresh(2), ElementsAre(5, 2, 0, 3, 1, 4));
  EXPECT_THAT(fresh(0), ElementsAre(0, 4, 3, 5, 2, 1)) << "an epoch is a pure function";
  const loader::EpochOrder persistent = loader::python_shuffle(6, 0, true);
  EXPECT_THAT(persistent(1), ElementsAre(5, 0, 3, 2, 1, 4));
  EXPECT_THAT(persistent(2), ElementsAre(2, 3, 1, 5, 4, 0));
  EXPECT_THAT(loader::python_shuffle(9, 12345678901, false)(1),
              ElementsAre(2, 6, 4, 5, 7, 8, 3, 0, 1));
  EXPECT_THAT(loader::python_shuffle(0, 1, false)(0), IsEmpty());
}

TEST(DataPreview, ImageFolder_DescribesAnEpoch) {
  const test::TemporaryFolder root;
  test::make("jpeg_folder", root / "set",
             {{"images", 21}, {"classes", 3}, {"width", 40}, {"height", 30}});
  const loader::DataPreview preview = preview_of(image_folder(root, {}), {.samples = 3});
  EXPECT_EQ(preview.samples, 21);
  EXPECT_EQ(preview.batches_per_epoch, 3);
  EXPECT_EQ(preview.last_batch, 5);
  EXPECT_EQ(preview.batches_read, 2);
  EXPECT_EQ(preview.samples_read, 16);
  EXPECT_EQ(preview.order, "sequential");
  ASSERT_THAT(preview.labels, SizeIs(3));
  EXPECT_EQ(preview.labels[0].read, 7);
  EXPECT_EQ(preview.labels[2].read, 2);
  EXPECT_EQ(preview.labels[2].all, 7);
  EXPECT_EQ(preview.labels[1].name, "class_00001");
  ASSERT_THAT(preview.first_samples, SizeIs(3));
  EXPECT_EQ(preview.first_samples[1].index, 1);
  EXPECT_THAT(preview.first_samples[1].file, HasSubstr("class_00000/image_"));
  EXPECT_THAT(preview.pictures, IsEmpty()) << "nobody asked";
  const loader::FieldPreview& image = preview.fields.at(0);
  EXPECT_EQ(image.all.values(), 16 * 3 * 24 * 24);
  EXPECT_THAT(image.channels, SizeIs(3));
  EXPECT_GE(image.all.min(), -2.12);
  EXPECT_LE(image.all.max(), 2.65);
}

TEST(DataPreview, LargeRequest_ReadsAtMostAnEpoch) {
  const Changed synthetic = {{"data.samples", Value{std::int64_t{20}}},
                             {"data.image_size", Value{std::int64_t{8}}},
                             {"loader.num_workers", Value{std::int64_t{0}}},
                             {"loader.epochs", Value{"separate"}},
                             {"loader.batch_size", Value{std::int64_t{4}}}};
  EXPECT_EQ(preview_of(synthetic, {.samples = 11, .batches = 1}).batches_read, 3);
  EXPECT_EQ(preview_of(synthetic, {.samples = 1, .batches = 99}).samples_read, 20);
}

TEST(DataPreview, SortedLabels_AreNoted) {
  const test::TemporaryFolder root;
  test::make("jpeg_folder", root / "set",
             {{"images", 60}, {"classes", 3}, {"width", 16}, {"height", 16}});
  EXPECT_THAT(preview_of(image_folder(root, {})).notes,
              Contains(HasSubstr("the labels come sorted, 1 of 3 classes among those read")));
  EXPECT_THAT(preview_of(image_folder(root, {{"loader.shuffle", Value{true}}})).notes, IsEmpty());
}

TEST(DataPreview, Text_ShowsItsFirstTokens) {
  const test::TemporaryFolder root;
  test::make("token_bin", root / "set", {{"tokens", 400}, {"vocabulary", 90}});
  const loader::DataPreview preview = preview_of({{"data.kind", Value{"token_bin"}},
                                                  {"data.path", Value{(root / "set").string()}},
                                                  {"data.sequence_length", Value{std::int64_t{32}}},
                                                  {"data.vocabulary", Value{std::int64_t{90}}},
                                                  {"loader.num_workers", Value{std::int64_t{0}}},
                                                  {"loader.batch_size", Value{std::int64_t{4}}}},
                                                 {.samples = 2, .pictures = true});
  EXPECT_THAT(preview.first_samples.at(0).tokens, SizeIs(16));
  EXPECT_GT(preview.tokens_seen, 1);
  EXPECT_THAT(preview.labels, IsEmpty());
  EXPECT_THAT(preview.notes, Contains(HasSubstr("field tokens is not a picture")));
  const std::string text = loader::preview_text(preview, "", 100);
  EXPECT_THAT(text, AllOf(HasSubstr("first tokens"), HasSubstr("vocabulary 90")));
}

TEST(DataPreview, Stream_HasNoIndices) {
  const test::TemporaryFolder root;
  test::make("webdataset", root / "set",
             {{"images", 12}, {"classes", 3}, {"shards", 2}, {"width", 16}, {"height", 16}});
  fs::rename(root / "set/shard-000001.tar", root / "set/shard-000002.tar");
  const loader::DataPreview preview = preview_of({{"data.kind", Value{"webdataset"}},
                                                  {"data.path", Value{(root / "set").string()}},
                                                  {"data.image_size", Value{std::int64_t{16}}},
                                                  {"loader.num_workers", Value{std::int64_t{0}}},
                                                  {"loader.batch_size", Value{std::int64_t{4}}}});
  EXPECT_EQ(preview.samples, std::nullopt);
  EXPECT_EQ(preview.parts, 2);
  EXPECT_EQ(preview.first_samples.at(0).index, std::nullopt);
  EXPECT_THAT(preview.notes, Contains(HasSubstr("shard-000001.tar is missing")));
  EXPECT_THAT(loader::preview_text(preview, "", 100), HasSubstr("a stream of 2 shards"));
}

TEST(DataPreview, TorchEngineOrOrder_NeedsAWorker) {
  const auto here = [](const Changed& changes) {
    return loader::previews_without_torch(test::loader_case(changes));
  };
  EXPECT_TRUE(here({}));
  EXPECT_TRUE(here({{"loader.shuffle", Value{true}}}));
  EXPECT_FALSE(here(
      {{"loader.engine", Value{"torch_cpp"}}, {"loader.num_workers", Value{std::int64_t{2}}}}));
  EXPECT_FALSE(here({{"loader.sampler", Value{"random_with_replacement"}}}));
}

TEST(FieldStatistics, NonFiniteValues_AreSeparate) {
  loader::FieldStatistics statistics;
  EXPECT_TRUE(std::isnan(statistics.mean()));
  const std::vector<float> values = {0, 2, 4, std::numeric_limits<float>::quiet_NaN(),
                                     std::numeric_limits<float>::infinity()};
  statistics.add(std::as_bytes(std::span(values)), DType::kFloat32);
  EXPECT_EQ(statistics.values(), 5);
  EXPECT_EQ(statistics.zeros(), 1);
  EXPECT_EQ(statistics.nans(), 1);
  EXPECT_EQ(statistics.infinities(), 1);
  EXPECT_EQ(statistics.min(), 0);
  EXPECT_EQ(statistics.max(), 4);
  EXPECT_EQ(statistics.mean(), 2);
  EXPECT_NEAR(statistics.deviation(), 1.63299, 1e-5);
}

TEST(PreviewText, TerminalControls_AreEscaped) {
  loader::DataPreview preview;
  preview.kind = "jpeg_folder";
  preview.path = "a\x1b[2Jb";
  preview.batch_size = 1;
  preview.labels = {{.label = 0, .name = "cat\r\n\x07", .read = 1}};
  preview.first_samples = {{.index = 0, .label = 0, .name = "\x1b]0;x", .file = "f\x1b[31m.jpg"}};
  preview.notes = {"note\x1b[0m"};
  const std::string text = loader::preview_text(preview, "", 80);
  EXPECT_THAT(text, Each(Not(::testing::AnyOf('\x1b', '\r', '\x07'))));
  EXPECT_THAT(text, HasSubstr("\\x1b[2J"));
}

TEST(ShowDataRequest, Wire_KeepsTheRequest) {
  const loader::ShowDataRequest asked{.samples = 3,
                                      .batches = 5,
                                      .png = "a \"b\".png",
                                      .json = true,
                                      .title = "one of 2",
                                      .columns = 77};
  const loader::ShowDataRequest heard = loader::decode_show_data(loader::encode(asked));
  EXPECT_EQ(loader::encode(heard), loader::encode(asked));
  EXPECT_EQ(heard.png, asked.png);
}

}  // namespace
}  // namespace stepbench
