// SPDX-License-Identifier: Apache-2.0
#include "harness/os/files.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <future>

#include "harness/base/error.h"
#include "harness/os/text_file.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::os {
namespace {

TEST(OutputFile, Pieces_AppearTogetherOrNot) {
  const test::TemporaryFolder folder;
  folder.write("out.csv", "old\n");
  {
    stepbench::os::OutputFile left(std::string("--output"), folder / "out.csv");
    left.write("half of");
  }
  EXPECT_EQ(read_text(folder / "out.csv"), "old\n");
  stepbench::os::OutputFile file("--output", folder / "out.csv");
  file.write("first, ");
  EXPECT_EQ(read_text(folder / "out.csv"), "old\n");
  file.write("second\n");
  file.close();
  EXPECT_EQ(read_text(folder / "out.csv"), "first, second\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "nothing is left over";
}

TEST(OutputFile, NoPieces_MakeAnEmptyFile) {
  const test::TemporaryFolder folder;
  stepbench::os::OutputFile file("--output", folder / "out.csv");
  EXPECT_FALSE(fs::exists(folder / "out.csv"));
  file.close();
  EXPECT_EQ(read_text(folder / "out.csv"), "");
}

TEST(OutputFile, DanglingLink_IsFollowed) {
  const test::TemporaryFolder folder;
  fs::create_symlink(folder / "there.csv", folder / "link.csv");
  write_output_file("--output", folder / "link.csv", "text");
  EXPECT_TRUE(fs::is_symlink(folder / "link.csv"));
  EXPECT_EQ(read_text(folder / "there.csv"), "text");
}

TEST(OutputFile, Permissions_AreKept) {
  const test::TemporaryFolder folder;
  folder.write("out.csv", "old\n");
  fs::permissions(folder / "out.csv", fs::perms::owner_read | fs::perms::owner_write);
  write_output_file("--output", folder / "out.csv", "text");
  EXPECT_EQ(fs::status(folder / "out.csv").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST(OutputFile, LeftoverPart_IsReplaced) {
  const test::TemporaryFolder folder;
  folder.write("out.csv.part", "half of something long");
  write_output_file("--output", folder / "out.csv", "text");
  EXPECT_EQ(read_text(folder / "out.csv"), "text");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "nothing is left over";
}

TEST(OutputFile, ForeignPartFile_IsKept) {
  const test::TemporaryFolder folder;
  const test::TemporaryFolder mine;
  mine.write("precious", "precious");
  const auto writes = [&] {
    write_output_file("--output", folder / "out.csv", "text");
    EXPECT_EQ(read_text(folder / "out.csv"), "text");
    EXPECT_EQ(read_text(mine / "precious"), "precious");
    fs::remove(folder / "out.csv.part");
  };
  fs::create_symlink(mine / "precious", folder / "out.csv.part");
  writes();
  fs::create_hard_link(mine / "precious", folder / "out.csv.part");
  writes();
  ASSERT_EQ(::mkfifo((folder / "out.csv.part").c_str(), 0600), 0);
  writes();
}

TEST(OutputFile, LinkToAnotherFolder_IsRejected) {
  const test::TemporaryFolder folder;
  const test::TemporaryFolder mine;
  fs::create_symlink(mine / "precious", folder / "out.csv");
  EXPECT_THAT([&] { write_output_file("--output", folder / "out.csv", "text"); },
              ThrowsMessage<ConfigError>(HasSubstr("a link to another folder")));
  EXPECT_FALSE(fs::exists(mine / "precious"));
  write_output_file("--output", "/dev/stdout", "");
}

TEST(OutputFile, TwoWriters_KeepTheLastFile) {
  const test::TemporaryFolder folder;
  stepbench::os::OutputFile one("--output", folder / "out.csv");
  stepbench::os::OutputFile two("--output", folder / "out.csv");
  one.write("the first, ");
  two.write("the second, ");
  one.write("whole");
  two.write("whole");
  two.close();
  EXPECT_EQ(read_text(folder / "out.csv"), "the second, whole");
  one.close();
  EXPECT_EQ(read_text(folder / "out.csv"), "the first, whole");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "nothing is left over";
}

TEST(OutputFile, ConcurrentWriters_WriteItWhole) {
  const test::TemporaryFolder folder;
  const fs::path file = folder / "out.csv";
  const std::string text(10'000, 'x');
  constexpr int kTimes = 2000;
  const auto write = [&] {
    for (int i = 0; i < kTimes; ++i) write_output_file("--output", file, text);
  };
  std::future<void> other = std::async(std::launch::async, write);
  EXPECT_NO_THROW(write());
  EXPECT_NO_THROW(other.get());
  EXPECT_EQ(read_text(file), text);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "nothing is left over";
}

TEST(OutputFile, PipeWithoutAReader_EndsBySignal) {
  const test::TemporaryFolder folder;
  const fs::path pipe = folder / "out";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);  // of a writer that waits for ever
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &held, nullptr);
    ::raise(SIGTERM);
    write_output_file({}, pipe, "text");
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
}

TEST(OutputFile, FullDisk_KeepsTheOldFile) {
  const test::TemporaryFolder folder;
  folder.write("out.csv", "old\n");
  // No file of this process may grow, which simulates a full disk.
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &none);
  const std::string why =
      test::error_of<ConfigError>([&] { write_output_file({}, folder / "out.csv", "new\n"); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(why, (folder / "out.csv").string() + ": cannot be written: File too large");
  EXPECT_EQ(read_text(folder / "out.csv"), "old\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "nothing is left over";
}

}  // namespace
}  // namespace stepbench::os
