// SPDX-License-Identifier: Apache-2.0
// A file descriptor with an owner.
#pragma once

#include <unistd.h>

#include <span>
#include <string_view>
#include <utility>

namespace stepbench::os {

// Owns one file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      close();
      value_ = std::exchange(other.value_, -1);
    }
    return *this;
  }
  ~Descriptor() { close(); }

  [[nodiscard]] int value() const { return value_; }
  [[nodiscard]] bool is_open() const { return value_ >= 0; }
  [[nodiscard]] int release() { return std::exchange(value_, -1); }  // now the caller owns it
  void close() {
    if (value_ >= 0) ::close(std::exchange(value_, -1));
  }

 private:
  int value_ = -1;
};

// Close when a program is started, unless it is told to keep them. Throw Error.
struct Pipe {
  Descriptor read;
  Descriptor write;
};
[[nodiscard]] Pipe make_pipe();
struct SocketPair {
  Descriptor ours;
  Descriptor theirs;
};
[[nodiscard]] SocketPair make_socket_pair();
// The same at the first free number from `lowest` on.
[[nodiscard]] Descriptor moved_up(Descriptor descriptor, int lowest);

// In a new process that leads its group, between fork and exec: the kernel kills the group when the
// other end of this socket is closed, so that it ends with its parent however that one ends. The
// group's programs have to inherit `lifeline`. Where a kernel cannot, the process itself still dies
// with its parent.
void bind_to_lifeline(int lifeline);

// What there is, as far as it fits into `buffer`. Empty: nothing yet, or all was read and `from` is
// closed now.
[[nodiscard]] std::string_view read_some(Descriptor& from, std::span<char> buffer);

}  // namespace stepbench::os
