// SPDX-License-Identifier: Apache-2.0
// Reads shards over HTTP, one after another, and asks again for what did not come.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/data/archive_source.h"
#include "workloads/data/dataset.h"
#include "workloads/data/remote_access.h"

namespace stepbench::data {

// The connection stays open from shard to shard. What the server has sent meanwhile waits in the
// kernel. A piece of 64 KiB that does not come in time, or whose connection breaks, is asked for
// again from where it ends; never longer than (retries + 1) times the limit and the pauses
// between. One thread.
class RemoteReader final : public ArchiveSource {
 public:
  explicit RemoteReader(std::shared_ptr<const RemoteAccess> access);
  ~RemoteReader() override;

  // Turns to the beginning of a shard. Nothing is asked yet.
  void open(const std::string& shard);
  // Throws Error naming the shard and the offset: it is not there, or no retry is left.
  [[nodiscard]] std::span<const std::byte> read() override;

  // Waiting ends by an Error when it becomes true; null: it never does.
  void stop_by(const std::atomic<bool>* stop) { stop_ = stop; }
  // Since it was made.
  [[nodiscard]] const RemoteReads& reads() const { return reads_; }

 private:
  using Time = std::chrono::steady_clock::time_point;
  enum class Fate : std::uint8_t { kRunning, kEnded, kAgain };

  static std::size_t take_body(const char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t take_header(const char* data, std::size_t size, std::size_t count, void* self);
  [[nodiscard]] bool take(std::span<const char> bytes);  // false: `broken_off_` says why
  void header(std::string_view line);
  [[nodiscard]] bool begin_body();

  void ask();
  void drop();
  void wait(std::chrono::milliseconds time);
  void check_stop() const;
  [[nodiscard]] Fate look(Time late);
  [[nodiscard]] Fate judge(int result);
  [[nodiscard]] std::string answer_text(long status) const;
  [[noreturn]] void fail(const std::string& what) const;

  std::shared_ptr<const RemoteAccess> access_;
  const CurlApi& curl_;
  CurlMulti* multi_ = nullptr;
  CurlEasy* easy_ = nullptr;
  CurlList* headers_ = nullptr;
  const std::atomic<bool>* stop_ = nullptr;
  RemoteReads reads_;

  std::string shard_;
  bool asked_ = false;               // a request is under way
  bool ended_ = false;               // all of the shard has come
  std::uint64_t arrived_ = 0;        // bytes of the shard
  std::string etag_;                 // of the shard's first answer
  std::vector<std::byte> received_;  // what read() gives next

  // Of the answer that is under way.
  long status_ = 0;
  bool body_ = false;              // has begun
  bool paused_ = false;            // until the next piece is wanted
  std::uint64_t skip_ = 0;         // bytes that came before: the server begins anew
  std::uint64_t range_began_ = 0;  // by its Content-Range
  std::uint64_t total_ = 0;        // bytes of the shard, by the same; 0: not told
  std::string answer_etag_;
  std::string answer_;      // of an error, its first bytes
  std::string broken_off_;  // why the rest of it is not wanted
  std::string last_;        // why it was asked again
  std::array<char, kCurlErrorBytes> error_{};
};

}  // namespace stepbench::data
