// SPDX-License-Identifier: Apache-2.0
// Files that are cut, bent, empty, too short for their header, or something else: an error that
// names the file, or samples; nothing else.
#include "tests/testing.h"
#include "tests/unit/loading/formats.h"

namespace stepbench {
namespace {

class Damage : public testing::TestWithParam<test::SmallFormat> {
 protected:
  Damage() { test::make(GetParam().kind, root.path() / "set", GetParam().changes); }

  // Reads everything; returns the text of the error, or an empty one.
  [[nodiscard]] std::string outcome() const {
    try {
      const auto data = GetParam().open(root.path() / "set", false);
      std::size_t bytes = 0;
      for (const FieldSpec& spec : data->fields()) bytes += spec.bytes();
      EXPECT_LE(bytes, std::size_t{1} << 20) << "a small file made a large sample";
      EXPECT_GT(data->size(), 0);
      for (std::int64_t i = 0; i < data->size(); ++i) test::sample(*data, {.index = i});
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }

  void expect_good_or_named(const std::string& file, const std::string& bytes) const {
    fs::remove(root.path() / "set" / file);  // ext4 flushes a file whose content is replaced
    root.write("set/" + file, bytes);
    const std::string error = outcome();
    if (error.empty()) return;
    EXPECT_THAT(error, HasSubstr((root.path() / "set").string()));
  }

  test::TemporaryFolder root;
};

TEST_P(Damage, WholeSet_IsRead) { EXPECT_EQ(outcome(), ""); }

TEST_P(Damage, EachPrefix_IsANamedErrorOrSmallerSet) {
  for (const std::string& file : GetParam().files) {
    const std::string whole = test::text_of_file(root.path() / "set" / file);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      expect_good_or_named(file, whole.substr(0, length));
      if (HasFailure()) FAIL() << file << " cut at " << length;
    }
    root.write("set/" + file, whole);
  }
}

TEST_P(Damage, EachBentByte_IsANamedErrorOrReadable) {
  constexpr std::size_t kBeginning = 400;
  for (const std::string& file : GetParam().files) {
    const std::string whole = test::text_of_file(root.path() / "set" / file);
    for (std::size_t at = 0; at < std::min(whole.size(), kBeginning); ++at) {
      for (const int mask : {0x01, 0x10, 0x80, 0xff}) {
        std::string bent = whole;
        bent[at] = static_cast<char>(bent[at] ^ mask);
        expect_good_or_named(file, bent);
        if (HasFailure()) FAIL() << file << " byte " << at << " mask " << mask;
      }
    }
    root.write("set/" + file, whole);
  }
}

TEST_P(Damage, ForeignFile_IsANamedError) {
  const std::string& file = GetParam().files[0];
  for (const std::string& foreign :
       {std::string("\x1f\x8b\x08\0abcdef", 10), std::string("PK\x03\x04zip of something"),
        std::string("\xff\xd8\xff\xe0 JFIF"), std::string("x")}) {
    root.write("set/" + file, foreign);
    EXPECT_THAT(outcome(), HasSubstr((root.path() / "set").string())) << foreign;
  }
  fs::remove(root.path() / "set" / file);
  fs::create_directory(root.path() / "set" / file);
  EXPECT_NE(outcome(), "");
}

INSTANTIATE_TEST_SUITE_P(Formats, Damage, testing::ValuesIn(test::small_formats()),
                         [](const auto& tested) { return tested.param.name; });

// Messages for users, one line per mistake: set, file, replacement bytes, words.
struct Said {
  const char* set;
  const char* file;
  std::string bytes;
  std::vector<std::string> words;
};

std::string big(std::initializer_list<std::uint32_t> words) {
  std::string text;
  for (const std::uint32_t word : words) {
    for (const int shift : {24, 16, 8, 0}) text += static_cast<char>(word >> shift);
  }
  return text;
}

std::string little64(std::uint64_t value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string header(const std::string& json, const std::string& data) {
  return little64(json.size()) + json + data;
}

std::vector<Said> sayings() {
  const std::string gzip("\x1f\x8b\x08\0", 4);
  const char* images = "train-images-idx3-ubyte";
  const char* tensors = "data.safetensors";
  return {
      {"mnist_idx",
       images,
       gzip + "x",
       {"train-images-idx3-ubyte: offset 0: expected the magic number 2051", "like a gzip file"}},
      {"mnist_idx",
       images,
       big({2051, 0xffffffff, 0xffffffff, 0xffffffff}),
       {"offset 16: the header announces 4294967295 records of 18446744065119617025 bytes, but 0"}},
      {"mnist_idx", images, big({2051, 2, 1, 1}) + "ab", {"4 labels for the 2 images"}},
      {"mnist_idx", images, big({2051, 4, 0, 1}), {"offset 8: a dimension is 0"}},
      {"cifar10",
       "data_batch_2.bin",
       std::string(3074, '\1'),
       {"offset 3073: expected records of 3073 bytes", "its size fits data.labels: cifar100"}},
      {"cifar10",
       "data_batch_2.bin",
       std::string(3073, '\x0b'),
       {"data_batch_2.bin: offset 0: label 11 is outside 0 to 9"}},
      {"nanogpt", "train.bin", gzip + std::string(40, 'x'), {"gzip", "set data.header: none"}},
      {"nanogpt",
       "train.bin",
       std::string(300, 'x') + " y\n",
       {"offset 0: expected tokens; this looks like a text file", "set data.header: none"}},
      {"nanogpt", "train.bin", std::string(8, '\1'), {"has 4 tokens; a window of 4"}},
      {"nanogpt",
       "train.bin",
       std::string(8, '\0') + "\xff\xff",
       {"offset 8: token 65535 is not below data.vocabulary 90"}},
      {"llm_c",
       "train.bin",
       std::string("\x88\xd8\x34\x01\x02\0\0\0", 8),
       {"offset 8: the file ends within llm.c's header"}},
      {"safetensors",
       tensors,
       little64(UINT64_MAX) + "{}",
       {"offset 0: the header's length is given as 18446744073709551615 bytes"}},
      {"safetensors", tensors, header("{\"a\":", ""), {"offset 8: the header is not JSON"}},
      {"safetensors",
       tensors,
       header(R"({"image":{"dtype":"U8","shape":[2],"data_offsets":[0,9]}})", "ab"),
       {"tensor 'image' does not lie within the 2 bytes of data"}},
      {"safetensors",
       tensors,
       header(R"({"image":{"dtype":"F32","shape":[4611686018427387905],"data_offsets":[0,4]}})",
              "abcd"),
       {"shape and dtype need more than any file has"}},
      {"safetensors",
       tensors,
       header(R"({"image":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
              R"("label":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
              "abc"),
       {"tensor 'label' overlaps 'image'"}},
      {"safetensors",
       tensors,
       header(R"({"pixels":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", "ab"),
       {"has no tensor 'image' (data.input); it has: pixels"}},
      {"safetensors",
       tensors,
       header(R"({"image":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]}})", "ab"),
       {"dtype BF16; batches hold U8"}},
      {"raw_tensor",
       "input.bin",
       std::string(13, 'x'),
       {"input.bin: offset 12: expected records of 12 bytes"}},
      {"raw_tensor", "target.bin", std::string(8, '\0'), {"1 targets for 3 records"}},
  };
}

TEST(Mistakes, Error_NamesFileOffsetAndExpectation) {
  const auto formats = test::small_formats();
  for (const Said& said : sayings()) {
    const auto format = std::ranges::find(formats, said.set, &test::SmallFormat::name);
    ASSERT_NE(format, formats.end());
    const test::TemporaryFolder root;
    test::make(format->kind, root.path() / "set", format->changes);
    root.write("set/" + std::string(said.file), said.bytes);
    const std::string error = test::error_of([&] {
      const auto data = format->open(root.path() / "set", false);
      for (std::int64_t i = 0; i < data->size(); ++i) test::sample(*data, {.index = i});
    });
    for (const std::string& words : said.words) EXPECT_THAT(error, HasSubstr(words));
  }
}

TEST(Mistakes, MissingFiles_NameTheCommand) {
  const test::TemporaryFolder root;
  EXPECT_THAT([&] { (void)data::find_idx_files(root.path(), false); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("train-images-idx3-ubyte: no such file"),
                                               HasSubstr("stepbench data make mnist_idx"))));
  root.write("train-images-idx3-ubyte.gz", "x");
  EXPECT_THAT([&] { (void)data::find_idx_files(root.path(), false); },
              ThrowsMessage<ConfigError>(HasSubstr("unpack it with gunzip")));
  EXPECT_THAT([&] { (void)data::find_cifar_files(root.path(), true, true); },
              ThrowsMessage<ConfigError>(HasSubstr("test.bin: no such file")));
  fs::create_symlink("test.bin", root.path() / "test.bin");
  EXPECT_THAT([&] { (void)data::find_cifar_files(root.path(), true, true); },
              ThrowsMessage<ConfigError>(HasSubstr("test.bin: cannot be opened: a symbolic link")));
  fs::remove(root.path() / "test.bin");
  root.write("data_batch_1", "a pickle");
  EXPECT_THAT([&] { (void)data::find_cifar_files(root.path(), false, false); },
              ThrowsMessage<ConfigError>(HasSubstr("of the version for Python")));
  EXPECT_THAT([&] { (void)data::TokenBin({.path = root.path()}); },
              ThrowsMessage<ConfigError>(HasSubstr("holds no .bin file")));
}

TEST(Shapes, ExtentsJoinedByX_AreParsed) {
  EXPECT_THAT(data::parse_shape("3x32x32"), ElementsAre(3, 32, 32));
  EXPECT_THAT(data::parse_shape("7"), ElementsAre(7));
  for (const char* bad : {"", "x", "3x", "3x0", "-1", "3,4", "3x4y", "999999999999x999999999999"}) {
    EXPECT_THAT([&] { (void)data::parse_shape(bad); },
                ThrowsMessage<ConfigError>(HasSubstr("is not a shape")))
        << bad;
  }
}

}  // namespace
}  // namespace stepbench
