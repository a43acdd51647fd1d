// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/formats/web_dataset.h"

#include "tests/testing.h"
#include "tests/unit/loading/formats.h"
#include "tests/workloads/workload_driver.h"
#include "workloads/data/internal/jpeg/jpeg_folder.h"
#include "workloads/loader/internal/analysis/loader_report.h"

namespace stepbench {
namespace {

using testing::UnorderedElementsAreArray;

// Every sample has its own class: 13 images in 13 classes, 5 shards of 3, 3, 3, 2 and 2.
class WebDatasetTest : public testing::Test {
 protected:
  static constexpr std::int64_t kImages = 13;
  WebDatasetTest() {
    test::make(
        "webdataset", root.path() / "set",
        {{"images", kImages}, {"classes", kImages}, {"shards", 5}, {"width", 40}, {"height", 30}});
  }
  [[nodiscard]] data::WebDataset data(std::int64_t buffer = 0, bool skip = false,
                                      const std::string& path = "set") const {
    return data::WebDataset({.path = root.path() / path,
                             .image = {.image_size = 16, .augment = false},
                             .classes = kImages,
                             .shuffle_buffer = buffer,
                             .skip_errors = skip});
  }
  [[nodiscard]] fs::path shard(int number) const {
    return root.path() / "set" / ("shard-00000" + std::to_string(number) + ".tar");
  }

  struct Read {
    std::vector<std::int64_t> labels;
    std::vector<float> first_image;
    std::string error;
    data::ReadCost cost;
  };
  static Read read(const data::WebDataset& data, const data::StreamShare& share) {
    Read got;
    std::vector<float> image(data.fields()[0].bytes() / sizeof(float));
    std::int64_t label = -1;
    const std::array<std::byte*, 2> slots = {reinterpret_cast<std::byte*>(image.data()),
                                             reinterpret_cast<std::byte*>(&label)};
    const auto stream = data.stream(share);
    try {
      while (stream->next(slots, got.cost)) {
        if (got.labels.empty()) got.first_image = image;
        got.labels.push_back(label);
      }
    } catch (const Error& error) {
      got.error = error.what();
    }
    return got;
  }
  static std::vector<std::int64_t> all() {
    std::vector<std::int64_t> labels(kImages);
    std::iota(labels.begin(), labels.end(), 0);
    return labels;
  }

  test::TemporaryFolder root;
};

TEST_F(WebDatasetTest, Shards_AreReadInOrder) {
  EXPECT_EQ(read(data(), {}).labels, all());
  EXPECT_EQ(data().size(), -1);
  EXPECT_EQ(read(data(0, false, "set/shard-000001.tar"), {}).labels,
            (std::vector<std::int64_t>{3, 4, 5}));
}

TEST_F(WebDatasetTest, Image_EqualsThatOfAJpegFolder) {
  test::make("jpeg_folder", root.path() / "folder",
             {{"images", kImages}, {"classes", kImages}, {"width", 40}, {"height", 30}});
  const data::JpegFolder folder(
      {.path = root.path() / "folder", .image_size = 16, .augment = false});
  const auto expected = test::numbers<float>(test::sample(folder, {.index = 0})[0]);
  EXPECT_EQ(read(data(), {}).first_image, expected);
}

TEST_F(WebDatasetTest, Shards_GoToRanksThenWorkers) {
  const data::WebDataset set = data();
  EXPECT_THAT(set.shards_of({.rank = 0, .world = 2}), ElementsAre(0, 2, 4));
  EXPECT_THAT(set.shards_of({.rank = 1, .world = 2}), ElementsAre(1, 3));
  EXPECT_THAT(set.shards_of({.rank = 0, .world = 2, .worker = 0, .workers = 2}), ElementsAre(0, 4));
  EXPECT_THAT(set.shards_of({.rank = 0, .world = 2, .worker = 1, .workers = 2}), ElementsAre(2));
  EXPECT_THAT(set.shards_of({.rank = 1, .world = 2, .worker = 1, .workers = 2}), ElementsAre(3));
  EXPECT_THAT(set.shards_of({.worker = 6, .workers = 8}), ElementsAre());
}

TEST_F(WebDatasetTest, EachSample_IsReadOnce) {
  for (const std::int64_t buffer : {0, 1, 4, 100}) {
    for (const std::int64_t world : {1, 2}) {
      for (const std::int64_t workers : {1, 3, 7}) {
        std::vector<std::int64_t> seen;
        for (std::int64_t rank = 0; rank < world; ++rank) {
          for (std::int64_t worker = 0; worker < workers; ++worker) {
            const auto got = read(data(buffer), {.seed = 3,
                                                 .epoch = 1,
                                                 .rank = rank,
                                                 .world = world,
                                                 .worker = worker,
                                                 .workers = workers});
            seen.insert(seen.end(), got.labels.begin(), got.labels.end());
          }
        }
        EXPECT_THAT(seen, UnorderedElementsAreArray(all())) << buffer << world << workers;
      }
    }
  }
}

TEST_F(WebDatasetTest, Shuffle_FollowsFromSeedAndEpoch) {
  const data::WebDataset set = data(5);
  const auto order = read(set, {.seed = 1, .epoch = 2}).labels;
  EXPECT_EQ(read(set, {.seed = 1, .epoch = 2}).labels, order);
  EXPECT_NE(read(set, {.seed = 1, .epoch = 3}).labels, order);
  EXPECT_NE(read(set, {.seed = 2, .epoch = 2}).labels, order);
  EXPECT_NE(order, all());
}

TEST_F(WebDatasetTest, WorkersWithoutAShard_AreNoted) {
  const auto notes = [this](std::int64_t workers, std::int64_t ranks) {
    const auto report = [&](ReportSink& sink) {
      loader::report_idle_readers(data(), workers, ranks, sink);
    };
    return test::told_by(report).notes;
  };
  EXPECT_THAT(notes(5, 1), IsEmpty());
  EXPECT_THAT(notes(4, 2), ElementsAre(HasSubstr("5 shards for 8 workers: 3 of them")));
}

TEST_F(WebDatasetTest, DamagedImage_IsNamedOrSkipped) {
  std::string bytes = test::text_of_file(shard(1));
  bytes.replace(512, 8, "no image");
  root.write("set/shard-000001.tar", bytes);
  EXPECT_THAT(read(data(), {}).error, AllOf(HasSubstr("shard-000001.tar: offset 0: 00000003.jpg: "),
                                            HasSubstr("not a readable JPEG")));
  const auto skipped = read(data(0, true), {});
  EXPECT_THAT(skipped.labels, ElementsAre(0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12));
  EXPECT_EQ(skipped.cost.skipped, 1);
}

TEST_F(WebDatasetTest, CutShard_IsNamedOrSkipped) {
  fs::resize_file(shard(1), 600);
  EXPECT_THAT(read(data(), {}).error, HasSubstr("shard-000001.tar: offset 0: 00000003.jpg: "));
  EXPECT_THAT(read(data(0, true), {}).labels, ElementsAre(0, 1, 2, 6, 7, 8, 9, 10, 11, 12));
}

TEST_F(WebDatasetTest, Classes_AreChecked) {
  const data::WebDataset few(
      {.path = root.path() / "set", .image = {.image_size = 8}, .classes = 12});
  EXPECT_THAT(read(few, {}).error, HasSubstr("00000012: class 12 is not below data.classes 12"));
}

TEST_F(WebDatasetTest, ForeignOrEmptyShard_IsNamed) {
  root.write("set/shard-000000.tar", std::string("\x1f\x8b\x08\0 gzip", 10));
  EXPECT_THAT(read(data(), {}).error,
              HasSubstr("shard-000000.tar: offset 0: expected a tar archive; this looks like a "
                        "gzip file"));
  root.write("set/shard-000000.tar", "");
  EXPECT_THAT(read(data(), {}).error, HasSubstr("shard-000000.tar: is empty"));
  root.write("set/shard-000000.tar", std::string(2048, '\0'));
  EXPECT_THAT(read(data(), {}).labels.front(), 3) << "no more than webdataset refuses an empty one";
  EXPECT_THAT([&] { (void)data(0, false, "nothing"); },
              ThrowsMessage<ConfigError>(HasSubstr("stepbench data make webdataset")));
  fs::create_directory(root.path() / "bare");
  EXPECT_THAT([&] { (void)data(0, false, "bare"); },
              ThrowsMessage<ConfigError>(HasSubstr("holds no .tar shard")));
}

// Changes a field of a ustar header with its checksum.
std::string with_name(std::string tar, std::size_t header, const std::string& name) {
  std::fill_n(tar.begin() + static_cast<std::ptrdiff_t>(header), 100, '\0');
  tar.replace(header, name.size(), name);
  tar.replace(header + 148, 8, "        ");
  unsigned sum = 0;
  for (std::size_t i = 0; i < 512; ++i) sum += static_cast<unsigned char>(tar[header + i]);
  std::array<char, 9> text{};
  (void)std::snprintf(text.data(), text.size(), "%06o", sum);
  return tar.replace(header + 148, 7, std::string(text.data(), 7));
}

TEST_F(WebDatasetTest, IncompleteSample_IsNamed) {
  root.write("set/shard-000000.tar", with_name(test::text_of_file(shard(0)), 0, "00000000.txt"));
  EXPECT_THAT(read(data(), {}).error,
              HasSubstr("shard-000000.tar: offset 0: sample '00000000' has no .jpg entry"));
  EXPECT_EQ(read(data(0, true), {}).labels.front(), 1);
}

TEST_F(WebDatasetTest, BentHeaderOrCut_NamesTheShard) {
  const std::string whole = test::text_of_file(shard(4));
  const auto check = [&](const std::string& bytes, std::size_t at) {
    fs::remove(shard(4));
    root.write("set/shard-000004.tar", bytes);
    const std::string error = read(data(0, false, "set/shard-000004.tar"), {}).error;
    if (!error.empty()) {
      ASSERT_THAT(error, HasSubstr("shard-000004.tar")) << at;
    }
  };
  for (std::size_t at = 0; at < 512; ++at) {
    for (const int mask : {0x01, 0xff}) {
      std::string bent = whole;
      bent[at] = static_cast<char>(bent[at] ^ mask);
      check(bent, at);
    }
  }
  for (std::size_t length = 0; length < whole.size(); length += 61) {
    check(whole.substr(0, length), length);
  }
}

}  // namespace
}  // namespace stepbench
