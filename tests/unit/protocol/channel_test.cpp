// SPDX-License-Identifier: Apache-2.0
#include "harness/protocol/messages.h"

#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "harness/base/error.h"
#include "tests/testing.h"

namespace stepbench::protocol {
namespace {

class Pair {
 public:
  Pair() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()), 0); }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() {
    for (int& end : ends_) close(end);
  }
  [[nodiscard]] int here() const { return ends_[0]; }
  [[nodiscard]] int there() const { return ends_[1]; }
  void close_here() { close(ends_[0]); }
  void close_there() { close(ends_[1]); }

 private:
  static void close(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

TEST(LineBuffer, AnySplit_GivesTheSameLines) {
  const std::string stream = "one\n\nthree\nrest";
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    LineBuffer buffer;
    std::vector<std::string> lines;
    for (const std::string& part : {stream.substr(0, cut), stream.substr(cut)}) {
      buffer.append(part);
      while (const auto line = buffer.next()) lines.emplace_back(*line);
    }
    EXPECT_THAT(lines, ElementsAre("one", "", "three")) << "cut at " << cut;
    EXPECT_EQ(buffer.rest(), "rest");
  }
}

TEST(LineBuffer, TooLongLine_IsRejected) {
  LineBuffer buffer(4);
  buffer.append("four\n");
  EXPECT_EQ(buffer.next(), "four");
  buffer.append("5more\n");
  EXPECT_THAT([&] { (void)buffer.next(); }, ThrowsMessage<Error>(HasSubstr("longer than 4 bytes")));
}

TEST(LineBuffer, TooLongUnfinishedLine_IsRejected) {
  LineBuffer buffer(4);
  buffer.append("endless");
  EXPECT_THAT([&] { (void)buffer.next(); }, ThrowsMessage<Error>(HasSubstr("longer than")));
}

TEST(Channel, LargeLine_CrossesASocket) {
  Pair pair;
  const std::string large(std::size_t{4} << 20, 'x');
  std::thread writer([&] {
    EXPECT_TRUE(write_line(pair.here(), large));
    EXPECT_TRUE(write_line(pair.here(), "small"));
    pair.close_here();
  });
  LineReader reader(pair.there());
  const auto first = reader.next();
  ASSERT_TRUE(first.has_value());
  EXPECT_TRUE(*first == large);
  EXPECT_EQ(reader.next(), "small");
  EXPECT_EQ(reader.next(), std::nullopt);
  writer.join();
}

TEST(Channel, ReaderGone_ReturnsFalseWithoutSignal) {
  Pair pair;
  pair.close_there();
  EXPECT_FALSE(write_line(pair.here(), "hello"));
}

TEST(Channel, PlainFile_IsWritable) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  EXPECT_TRUE(write_line(ends[1], "hello"));
  ::close(ends[1]);
  LineReader reader(ends[0]);
  EXPECT_EQ(reader.next(), "hello");
  EXPECT_EQ(reader.next(), std::nullopt);
  ::close(ends[0]);
}

TEST(Channel, ClosedDescriptor_IsANamedError) {
  EXPECT_THAT([] { (void)write_line(-1, "x"); }, ThrowsMessage<Error>(HasSubstr("descriptor -1")));
}

}  // namespace
}  // namespace stepbench::protocol
