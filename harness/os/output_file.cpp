// SPDX-License-Identifier: Apache-2.0
#include "harness/os/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/base/error.h"

namespace stepbench::os {
namespace {

namespace fs = std::filesystem;

// Errors of file systems without fsync.
bool cannot_sync(int error) { return error == EINVAL || error == EROFS || error == ENOTSUP; }

// Lets SIGINT, SIGTERM and SIGHUP end the program during its lifetime, also where a campaign blocks
// them: a pipe may wait for its reader without end.
class EndsBySignal {
 public:
  EndsBySignal() {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ending, signal);
    ::pthread_sigmask(SIG_UNBLOCK, &ending, &before_);
  }
  EndsBySignal(const EndsBySignal&) = delete;
  EndsBySignal& operator=(const EndsBySignal&) = delete;
  ~EndsBySignal() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

constexpr int kToWrite = O_WRONLY | O_CREAT | O_CLOEXEC;
constexpr mode_t kMode = 0666;  // minus the user's umask

// Opens the temporary file next to the target, empty; reuses one left by a killed program. Returns
// none if another program is writing it, or another user owns it.
Descriptor take_over(const fs::path& file) {
  // O_NONBLOCK: a pipe of this name would block until it has a reader.
  Descriptor descriptor(::open(file.c_str(), kToWrite | O_NOFOLLOW | O_NONBLOCK, kMode));
  struct stat ours {};
  struct stat named {};
  // Between open() and flock() another writer may have renamed it to the target.
  const bool taken = descriptor.is_open() && ::flock(descriptor.value(), LOCK_EX | LOCK_NB) == 0 &&
                     ::fstat(descriptor.value(), &ours) == 0 && S_ISREG(ours.st_mode) &&
                     ours.st_uid == ::geteuid() && ours.st_nlink == 1 &&
                     ::lstat(file.c_str(), &named) == 0 && ours.st_dev == named.st_dev &&
                     ours.st_ino == named.st_ino;
  if (taken && ::ftruncate(descriptor.value(), 0) == 0) return descriptor;
  if (taken) ::unlink(file.c_str());
  return {};
}

}  // namespace

OutputFile::OutputFile(std::string flag, fs::path output)
    : flag_(std::move(flag)), output_(std::move(output)) {
  std::error_code error;
  const bool other = is_standard_output(output_) ||
                     (fs::exists(output_, error) && !fs::is_regular_file(output_, error));
  target_ = other ? output_ : resolved_path(output_);
}

OutputFile::~OutputFile() {
  if (!written_.empty() && written_ != target_) ::unlink(written_.c_str());
}

void OutputFile::open() {
  if (is_standard_output(output_)) {
    // Not opened by its name: what `>>` holds would be lost.
    descriptor_ = Descriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
    check(descriptor_.is_open());
    written_ = target_;
    return;
  }
  // Checked again: it may have changed since the command began.
  if (leads_elsewhere(output_)) cannot_write("it is a link to another folder");
  std::error_code error;
  const bool as_a_whole = (!fs::exists(target_, error) || fs::is_regular_file(target_, error)) &&
                          ::access(target_.parent_path().c_str(), W_OK) == 0;
  fs::path file = target_;
  if (as_a_whole) {
    file += kUnfinishedPart;
    descriptor_ = take_over(file);
    if (!descriptor_.is_open()) {
      file += std::to_string(::getpid());
      ::unlink(file.c_str());
      descriptor_ = Descriptor(::open(file.c_str(), kToWrite | O_EXCL | O_NOFOLLOW, kMode));
    }
  } else {
    const EndsBySignal ends;
    descriptor_ = Descriptor(::open(file.c_str(), kToWrite | O_TRUNC, kMode));
  }
  check(descriptor_.is_open());
  written_ = std::move(file);
}

void OutputFile::write(std::string_view text) {
  if (written_.empty()) open();
  std::optional<EndsBySignal> ends;
  if (written_ == target_) ends.emplace();
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor_.value(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    check(count >= 0);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

const fs::path& OutputFile::finish() {
  write({});
  check(::fsync(descriptor_.value()) == 0 || cannot_sync(errno));
  return written_;
}

void OutputFile::close(bool on_disk) {
  write({});
  if (written_ == target_) {
    descriptor_.close();
    return;
  }
  if (on_disk) (void)finish();
  struct stat old {};
  if (::stat(target_.c_str(), &old) == 0) (void)::fchmod(descriptor_.value(), old.st_mode & 07777);
  // Keeps the lock until the file has its name: another writer would empty it and rename it first.
  const Descriptor lock(::fcntl(descriptor_.value(), F_DUPFD_CLOEXEC, 0));
  check(lock.is_open());
  // Some file systems report a full disk only here.
  check(::close(descriptor_.release()) == 0);
  check(::rename(written_.c_str(), target_.c_str()) == 0);
  written_ = target_;
  if (!on_disk) return;
  const Descriptor folder(
      ::open(target_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open()) (void)::fsync(folder.value());
}

void OutputFile::check(bool done) const {
  if (!done) cannot_write(std::generic_category().message(errno));
}

void OutputFile::cannot_write(const std::string& why) const {
  const std::string text = "cannot be written: " + why;
  if (flag_.empty()) throw ConfigError(output_.string(), text);
  throw ConfigError(flag_, output_.string() + ' ' + text);
}

void write_output_file(const std::string& flag, const fs::path& output, std::string_view text) {
  if (output.empty()) return;
  OutputFile file(flag, output);
  file.write(text);
  file.close();
}

}  // namespace stepbench::os
