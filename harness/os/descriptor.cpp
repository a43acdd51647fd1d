// SPDX-License-Identifier: Apache-2.0
#include "harness/os/descriptor.h"

#include <cerrno>

namespace stepbench::os {

std::string_view read_some(Descriptor& from, std::span<char> buffer) {
  ssize_t count = 0;
  do {
    count = ::read(from.value(), buffer.data(), buffer.size());
  } while (count < 0 && errno == EINTR);
  if (count > 0) return {buffer.data(), static_cast<std::size_t>(count)};
  if (count == 0 || errno != EAGAIN) from.close();
  return {};
}

}  // namespace stepbench::os
