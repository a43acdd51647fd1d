// SPDX-License-Identifier: Apache-2.0
#include "harness/record/live_file.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "harness/os/descriptor.h"

namespace stepbench {

void mark_as_being_written(int descriptor) { (void)::flock(descriptor, LOCK_EX | LOCK_NB); }

bool is_being_written(const std::filesystem::path& file) {
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!descriptor.is_open()) return false;
  return ::flock(descriptor.value(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace stepbench
