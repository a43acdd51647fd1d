// SPDX-License-Identifier: Apache-2.0
// An owned file descriptor.
#pragma once

#include <unistd.h>

#include <span>
#include <string_view>
#include <utility>

namespace stepbench::os {

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
  [[nodiscard]] int release() { return std::exchange(value_, -1); }  // to the caller
  void close() {
    if (value_ >= 0) ::close(std::exchange(value_, -1));
  }

 private:
  int value_ = -1;
};

// Close-on-exec unless a program explicitly inherits them. Throw Error.
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
// Moves a descriptor to the first free number at or above `lowest`.
[[nodiscard]] Descriptor moved_up(Descriptor descriptor, int lowest);

// Call in a new process that leads its group, between fork and exec: the kernel kills the group
// when the other end of this socket closes, so that it ends with its parent in every case. The
// group's programs must inherit `lifeline`. On kernels without support only the process itself dies
// with its parent.
void bind_to_lifeline(int lifeline);

// Reads the available bytes into `buffer`. Empty: no data yet, or end of stream, and `from` is then
// closed.
[[nodiscard]] std::string_view read_some(Descriptor& from, std::span<char> buffer);

}  // namespace stepbench::os
