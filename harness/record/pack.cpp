// SPDX-License-Identifier: Apache-2.0
#include "harness/record/pack.h"

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <new>
#include <system_error>

#include "harness/base/error.h"
#include "harness/os/descriptor.h"
#include "harness/record/input.h"
#include "harness/record/writer.h"

namespace stepbench::record {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_at(const fs::path& file, const std::string& doing) {
  const int error = errno;
  throw ConfigError(file.string(),
                    "cannot " + doing + ": " + std::generic_category().message(error));
}

struct stat facts_of(const fs::path& file) {
  struct stat facts {};
  if (::lstat(file.c_str(), &facts) != 0) fail_at(file, "read");
  return facts;
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_ino == b.st_ino && a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

void write_to_disk(const fs::path& file, std::string_view bytes) {
  const os::Descriptor descriptor(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!descriptor.is_open()) fail_at(file, "create");
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor.value(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_at(file, "write");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(descriptor.value()) != 0 && errno != EINVAL && errno != EROFS) fail_at(file, "write");
}

void sync_folder(const fs::path& folder) {
  const os::Descriptor descriptor(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.is_open()) (void)::fsync(descriptor.value());
}

void rename_to(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) fail_at(to, "create");
  sync_folder(to.parent_path());
}

// Gone unless it was renamed.
class Temporary {
 public:
  explicit Temporary(fs::path path) : path_(std::move(path)) {}
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() { (void)::unlink(path_.c_str()); }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void remove_plain(const fs::path& file) {
  if (::unlink(file.c_str()) != 0) fail_at(file, "delete the plain file");
  sync_folder(file.parent_path());
}

}  // namespace

std::string gzip_text(std::string_view text, int level) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(level), libdeflate_free_compressor);
  if (!compressor) throw std::bad_alloc();
  std::string packed(libdeflate_gzip_compress_bound(compressor.get(), text.size()), '\0');
  packed.resize(libdeflate_gzip_compress(compressor.get(), text.data(), text.size(), packed.data(),
                                         packed.size()));
  return packed;
}

void replace_file(const fs::path& file, std::string_view bytes) {
  const Temporary temporary(file.string() + ".tmp");
  write_to_disk(temporary.path(), bytes);
  rename_to(temporary.path(), file);
}

PackedSizes pack_file(const fs::path& file) {
  if (is_being_written(file)) throw ConfigError(file.string(), "is being written now");
  const fs::path packed = file.string() + ".gz";
  const struct stat before = facts_of(file);
  if (!S_ISREG(before.st_mode)) throw ConfigError(file.string(), "is no file");
  const Input plain = Input::read(file);
  PackedSizes sizes{.before = static_cast<std::uintmax_t>(before.st_size)};
  std::error_code error;
  if (fs::exists(fs::symlink_status(packed, error))) {
    if (Input::read(packed).text() != plain.text()) {
      throw ConfigError(packed.string(), "lies there already and holds something else than " +
                                             file.filename().string() + "; rename one of them");
    }
  } else {
    const Temporary temporary(packed.string() + ".tmp");
    write_to_disk(temporary.path(), gzip_text(plain.text()));
    if (Input::read(temporary.path()).text() != plain.text()) {
      throw ConfigError(file.string(), "is another one when it is packed and unpacked; it stays");
    }
    const std::array<timespec, 2> times = {before.st_atim, before.st_mtim};
    (void)::utimensat(AT_FDCWD, temporary.path().c_str(), times.data(), 0);
    (void)::chmod(temporary.path().c_str(), before.st_mode & 07777);
    if (!same_file(before, facts_of(file)) || is_being_written(file)) {
      throw ConfigError(file.string(), "changed while it was packed; it stays");
    }
    rename_to(temporary.path(), packed);
  }
  remove_plain(file);
  sizes.after = fs::file_size(packed, error);
  return sizes;
}

}  // namespace stepbench::record
