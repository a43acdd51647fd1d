// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/generate/file_maker.h"

namespace stepbench::data {

FileMaker::FileMaker(const Maker& maker, const MakerValues& values, const MakeProgress& progress)
    : set_(values.out, maker_manifest(maker, values)), progress_(progress) {}

void FileMaker::Sink::big32(std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) little(static_cast<std::uint8_t>(value >> shift));
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
