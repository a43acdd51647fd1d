// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/generate/file_maker.h"

namespace stepbench::data {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

}  // namespace

FileMaker::FileMaker(const Maker& maker, const MakerValues& values, const MakeProgress& progress)
    : set_(values.out, maker_manifest(maker, values)), progress_(progress) {}

void FileMaker::Sink::bytes(std::span<const std::byte> data) {
  pending_.insert(pending_.end(), data.begin(), data.end());
  if (pending_.size() < kBufferBytes) return;
  file_.append(pending_);
  written_ += static_cast<std::int64_t>(pending_.size());
  pending_.clear();
}

void FileMaker::Sink::big32(std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) little(static_cast<std::uint8_t>(value >> shift));
}

std::int64_t FileMaker::Sink::commit() {
  file_.append(pending_);
  written_ += static_cast<std::int64_t>(pending_.size());
  file_.commit();
  return written_;
}

void FileMaker::file(const std::string& name, std::int64_t items,
                     const std::function<void(Sink&)>& write) {
  std::int64_t size = set_.size_of(name);
  if (size < 0) {
    Sink sink(set_.folder() / name);
    write(sink);
    size = sink.commit();
    ++result_.made;
  }
  result_.bytes += size;
  done_ += items;
  if (progress_) progress_(done_);
}

MadeFolder FileMaker::finish() {
  set_.finish();
  return result_;
}

}  // namespace stepbench::data
