// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/trace_file.h"

#include <libdeflate.h>

#include "harness/base/error.h"
#include "harness/json/json_text.h"

namespace stepbench::trace {
namespace {

constexpr std::size_t kPlainBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kCompressedBufferBytes = std::size_t{4} << 20;
constexpr int kLevel = 4;

}  // namespace

struct TraceFile::Compressor {
  libdeflate_compressor* handle = libdeflate_alloc_compressor(kLevel);
  std::string output;
  Compressor() = default;
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
  ~Compressor() { libdeflate_free_compressor(handle); }
};

TraceFile::TraceFile(const std::filesystem::path& path) : path_(path), file_({}, path) {
  if (path.extension() == ".gz") {
    compressor_ = std::make_unique<Compressor>();
    if (compressor_->handle == nullptr) throw Error("no memory to compress " + path.string());
  }
  buffer_.resize(compressor_ ? kCompressedBufferBytes : kPlainBufferBytes);
  end_ = buffer_.data();
  file_.write({});
}

TraceFile::~TraceFile() = default;

// Does not sync to disk: writing out a large file would overlap the next launch's measurement.
void TraceFile::commit() {
  flush();
  file_.close(false);
}

TraceFile& TraceFile::quoted(std::string_view piece) { return text(json::json_string(piece)); }

void TraceFile::make_room(std::size_t bytes) {
  if (room() < bytes) flush();
}

TraceFile& TraceFile::write_through(std::string_view piece) {
  while (!piece.empty()) {
    const std::string_view part = piece.substr(0, buffer_.size());
    piece.remove_prefix(part.size());
    text(part);
  }
  return *this;
}

void TraceFile::flush() {
  const std::string_view buffered(buffer_.data(), static_cast<std::size_t>(end_ - buffer_.data()));
  end_ = buffer_.data();
  if (buffered.empty()) return;
  if (!compressor_) {
    file_.write(buffered);
    return;
  }
  std::string& output = compressor_->output;
  output.resize(libdeflate_gzip_compress_bound(compressor_->handle, buffered.size()));
  const std::size_t size = libdeflate_gzip_compress(compressor_->handle, buffered.data(),
                                                    buffered.size(), output.data(), output.size());
  if (size == 0) throw Error("cannot compress " + path_.string());
  file_.write(std::string_view(output).substr(0, size));
}

}  // namespace stepbench::trace
