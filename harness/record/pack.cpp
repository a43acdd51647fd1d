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
#include "harness/os/output_file.h"
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

void sync_folder(const fs::path& folder) {
  const os::Descriptor descriptor(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.is_open()) (void)::fsync(descriptor.value());
}

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
    os::OutputFile out({}, packed);
    out.write(gzip_text(plain.text()));
    const fs::path& unfinished = out.finish();
    if (Input::read(unfinished).text() != plain.text()) {
      throw ConfigError(file.string(), "is another one when it is packed and unpacked; it stays");
    }
    const std::array<timespec, 2> times = {before.st_atim, before.st_mtim};
    (void)::utimensat(AT_FDCWD, unfinished.c_str(), times.data(), 0);
    (void)::chmod(unfinished.c_str(), before.st_mode & 07777);
    if (!same_file(before, facts_of(file)) || is_being_written(file)) {
      throw ConfigError(file.string(), "changed while it was packed; it stays");
    }
    out.close();
  }
  remove_plain(file);
  sizes.after = fs::file_size(packed, error);
  return sizes;
}

}  // namespace stepbench::record
