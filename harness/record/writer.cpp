// SPDX-License-Identifier: Apache-2.0
#include "harness/record/writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/record/line_codec.h"

namespace stepbench::record {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& doing, int error) {
  throw Error(file.string() + ": cannot " + doing + ": " + std::generic_category().message(error));
}

struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

// Returns 0 or errno. Continues after short writes.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

ResultWriter::ResultWriter(const std::filesystem::path& file) : file_(file) {
  descriptor_ = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor_ < 0) fail(file_, "create the result file", errno);
  struct flock lock = whole_file(F_WRLCK);
  (void)::fcntl(descriptor_, F_OFD_SETLK, &lock);  // only signals to readers that the run is alive
}

bool is_being_written(const std::filesystem::path& file_or_folder) {
  std::error_code error;
  if (std::filesystem::is_directory(file_or_folder, error)) {
    for (std::filesystem::directory_iterator at{file_or_folder, error}, end; !error && at != end;
         at.increment(error)) {
      std::error_code unknown;
      if (at->is_regular_file(unknown) && is_being_written(at->path())) return true;
    }
    return false;
  }
  const int file = ::open(file_or_folder.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  struct flock lock = whole_file(F_RDLCK);
  const bool is_locked = ::fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  ::close(file);
  return is_locked;
}

ResultWriter::~ResultWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void ResultWriter::append(std::string line, Sync sync) {
  line += '\n';
  if (const int error = write_all(descriptor_, line); error != 0) {
    // Removes the partial line if the file system allows it: finished lines stay whole.
    (void)!::ftruncate(descriptor_, static_cast<off_t>(bytes_));
    fail(file_, "write a result line", error);
  }
  bytes_ += line.size();
  if (sync == Sync::kNo) return;
  while (::fdatasync(descriptor_) != 0) {
    if (errno == EINTR) continue;
    if (errno == EINVAL || errno == EROFS) return;  // not a storage file system
    fail(file_, "bring a result line to disk", errno);
  }
}

void ResultWriter::write(const RunRow& row) { append(encode(row), Sync::kNo); }
void ResultWriter::write(const ColumnRow& row) { append(encode(row), Sync::kNo); }
void ResultWriter::write(const WorkerRow& row) { append(encode(row), Sync::kNo); }
void ResultWriter::write(const StartRow& row) { append(encode(row), Sync::kNo); }
void ResultWriter::write(const SamplesRow& row) { append(encode(row), Sync::kNo); }
void ResultWriter::write(const OpsRow& row) { append(encode(row), Sync::kNo); }
void ResultWriter::write(const LaunchRow& row) { append(encode(row), Sync::kYes); }
void ResultWriter::write(const EndRow& row) { append(encode(row), Sync::kYes); }

}  // namespace stepbench::record
