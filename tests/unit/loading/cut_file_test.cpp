// SPDX-License-Identifier: Apache-2.0
// Files that are cut while they are mapped, unreadable shards, sets with missing files: each is
// named.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/testing.h"
#include "tests/unit/loading/formats.h"
#include "workloads/data/internal/formats/web_samples.h"
#include "workloads/data/internal/jpeg/jpeg_folder.h"
#include "workloads/data/internal/mapped_file.h"
#include "workloads/data/internal/unreadable_files.h"

namespace stepbench {
namespace {

constexpr std::size_t kSomePages = 5 * 4096;

std::string large(char fill) { return std::string(kSomePages, fill); }

TEST(CutFile, LostBytes_AreZerosAndNamed) {
  const test::TemporaryFolder root;
  root.write("data.bin", large('x'));
  const data::MappedFile file(root / "data.bin");
  EXPECT_EQ(file.bytes()[kSomePages - 1], std::byte{'x'});
  file.expect_whole(0, kSomePages);
  file.release_pages();
  fs::resize_file(root / "data.bin", 4100);
  EXPECT_EQ(file.bytes()[kSomePages - 1], std::byte{0});
  file.expect_whole(0, 4100);
  EXPECT_THAT([&] { file.expect_whole(4099, 2); },
              ThrowsMessage<Error>(AllOf(HasSubstr("data.bin: offset 4100: the file was cut here"),
                                         HasSubstr("had 20480 bytes"))));
}

TEST(CutFile, OtherMappings_StayWhole) {
  const test::TemporaryFolder root;
  root.write("a.bin", large('a'));
  root.write("b.bin", large('b'));
  const data::MappedFile a(root / "a.bin");
  const data::MappedFile b(root / "b.bin");
  fs::resize_file(root / "a.bin", 0);
  EXPECT_EQ(a.bytes()[0], std::byte{0});
  EXPECT_EQ(b.bytes()[kSomePages - 1], std::byte{'b'});
  b.expect_whole(0, kSomePages);
  EXPECT_THROW(a.expect_whole(0, 1), Error);
}

TEST(CutFile, EachMappedFormat_IsASampleError) {
  for (test::SmallFormat format : test::small_formats()) {
    SCOPED_TRACE(format.name);
    const bool cifar = format.kind == "cifar_bin";
    format.changes[format.kind == "token_bin" ? "tokens" : "samples"] = cifar ? 40 : 20'000;
    const test::TemporaryFolder root;
    test::make(format.kind, root / "set", format.changes);
    const fs::path file = root / "set" / format.files[0];
    const auto strict = format.open(root / "set", false);
    const auto lenient = format.open(root / "set", true);
    fs::resize_file(file, fs::file_size(file) - 8000);
    const std::int64_t bad = format.name == "cifar10" ? 15 : strict->size() - 1;  // the file's last
    EXPECT_THAT([&] { test::sample(*strict, {.index = bad}); },
                ThrowsMessage<Error>(AllOf(HasSubstr(file.string()),
                                           HasSubstr("was cut here while it was in use"))));
    EXPECT_NO_THROW(test::sample(*strict, {.index = 0}));
    data::ReadCost cost;
    EXPECT_NO_THROW(test::sample(*lenient, {.index = bad}, &cost));
    EXPECT_EQ(cost.skipped, 1);
  }
}

TEST(TarShard, UnreadableFile_IsNotCalledEmpty) {
  const test::TemporaryFolder root;
  root.write("a.tar", "content");
  ::chmod((root / "a.tar").c_str(), 0);
  const uid_t user = ::geteuid();
  // Root may read every file.
  if (user == 0) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  EXPECT_THAT([&] { data::TarReader reader(root / "a.tar"); },
              ThrowsMessage<ConfigError>(HasSubstr("a.tar: cannot be opened: Permission denied")));
  ASSERT_EQ(::seteuid(user), 0);
}

TEST(TarShard, CutHeader_NamesItsOffset) {
  const test::TemporaryFolder root;
  test::make("webdataset", root / "set",
             {{"images", 4}, {"classes", 2}, {"shards", 1}, {"width", 8}, {"height", 8}});
  const fs::path shard = root / "set" / "shard-000000.tar";
  std::vector<std::uint64_t> headers;
  {
    data::TarReader reader(shard);
    for (data::TarReader::Entry entry; reader.next(entry);) headers.push_back(entry.offset);
  }
  ASSERT_GT(headers.size(), 2U);
  fs::resize_file(shard, headers[2] + 100);
  data::TarReader reader(shard);
  data::TarReader::Entry entry;
  std::vector<std::byte> content;
  const auto read_on = [&] {
    while (reader.next(entry)) reader.read(entry, 1 << 20, content);
  };
  EXPECT_THAT(read_on,
              ThrowsMessage<Error>(AllOf(HasSubstr("offset " + std::to_string(headers[2]) +
                                                   ": the archive cannot "
                                                   "be read from here on: truncated tar archive"),
                                         Not(HasSubstr("is Truncated")))));
}

TEST(ShrunkSet, OmittedFiles_AreCounted) {
  const test::TemporaryFolder root;
  for (const char* name : {"cat/1.jpg", "cat/2.jpg", "dog/1.jpg", "dog/notes.txt"}) {
    root.write(name, "");
  }
  EXPECT_EQ(data::skipped_files_note(data::scan_image_folder(root.path()).skipped_files, 3),
            std::nullopt);
  fs::create_symlink("nowhere.jpg", root / "cat/3.jpg");
  fs::create_symlink("nowhere", root / "mouse");
  fs::create_symlink("loop.jpg", root / "dog/loop.jpg");
  ASSERT_EQ(::mkfifo((root / "dog/pipe.jpg").c_str(), 0600), 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string socket = root / "dog/s.jpg";
  ASSERT_LT(socket.size(), sizeof address.sun_path);
  socket.copy(address.sun_path, socket.size());
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::close(descriptor);
  const data::ImageFolder folder = data::scan_image_folder(root.path());
  EXPECT_EQ(folder.files.size(), 3U);
  EXPECT_THAT(data::skipped_files_note(folder.skipped_files, 3),
              Optional(std::string("5 of 8 files are left out: 2 dangling links, 1 looping link, "
                                   "1 pipe and 1 socket")));
}

TEST(HiddenFiles, HiddenImagesAndClasses_AreNoted) {
  data::ImageFolder folder{
      .classes = {"cat"}, .files = {{"cat/._a.jpg"}, {"cat/a.jpg"}}, .skipped_files = {}};
  EXPECT_THAT(data::notes_of(folder), IsEmpty());
  folder.classes.emplace_back(".ipynb_checkpoints");
  folder.hidden_files = 1;
  EXPECT_THAT(data::notes_of(folder),
              ElementsAre(HasSubstr("1 of 2 files are hidden"),
                          HasSubstr("class '.ipynb_checkpoints' is a hidden folder")));
}

TEST(ShrunkSet, MissingNumberedFiles_AreNamed) {
  const auto note = [](std::vector<std::string> paths) { return data::missing_files_note(paths); };
  EXPECT_EQ(note({}), std::nullopt);
  EXPECT_EQ(note({"a/train.bin", "a/val.bin"}), std::nullopt);
  EXPECT_EQ(note({"a/t-000.tar", "a/t-001.tar", "a/u-007.tar"}), std::nullopt);
  EXPECT_EQ(note({"20250131.tar", "20260131.tar"}), std::nullopt);
  EXPECT_THAT(note({"a/t-000.tar", "a/t-002.tar"}),
              Optional(std::string(
                  "t-001.tar is missing, although there are files with lower and higher numbers")));
  EXPECT_THAT(note({"t8.tar", "t9.tar", "t15.tar"}),
              Optional(HasSubstr("t10.tar, t11.tar, t12.tar and 2 more are missing")));
}

TEST(ShrunkSet, CifarFileMissing_IsAnError) {
  const test::TemporaryFolder root;
  test::make("cifar_bin", root / "set", {{"samples", 5}});
  fs::remove(root / "set/data_batch_1.bin");
  EXPECT_THAT([&] { (void)data::find_cifar_files(root / "set", false, false); },
              ThrowsMessage<ConfigError>(
                  AllOf(HasSubstr("data_batch_1.bin: no such file, but data_batch_2.bin"),
                        HasSubstr("name it in data.path"))));
}

}  // namespace
}  // namespace stepbench
