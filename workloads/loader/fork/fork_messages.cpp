// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/fork/fork_messages.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <type_traits>

namespace stepbench::loader {
namespace {

constexpr std::size_t kLongestError = 8192;
static_assert(std::is_trivially_copyable_v<TaskMessage> &&
              std::is_trivially_copyable_v<ResultMessage>);

struct alignas(cmsghdr) ControlBuffer {
  std::array<char, CMSG_SPACE(kDescriptorsPerMessage * sizeof(int))> bytes{};
};

template <typename Call>
ssize_t retry(const Call& call) {
  for (;;) {
    const ssize_t result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

void attach(msghdr& header, ControlBuffer& control, std::span<const int> descriptors) {
  const std::size_t bytes = descriptors.size_bytes();
  header.msg_control = control.bytes.data();
  header.msg_controllen = CMSG_SPACE(bytes);
  cmsghdr* part = CMSG_FIRSTHDR(&header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(bytes);
  std::memcpy(CMSG_DATA(part), descriptors.data(), bytes);
}

std::vector<os::Descriptor> detach(msghdr& header) {
  std::vector<os::Descriptor> taken;
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(part) + i * sizeof(int), sizeof descriptor);
      taken.emplace_back(descriptor);
    }
  }
  return taken;
}

}  // namespace

MessageSockets::MessageSockets() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category());
  }
  consumer = os::Descriptor(ends[0]);
  worker = os::Descriptor(ends[1]);
}

bool try_send(int socket, const TaskMessage& task) {
  const ssize_t sent =
      retry([&] { return ::send(socket, &task, sizeof task, MSG_NOSIGNAL | MSG_DONTWAIT); });
  return sent >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS);
}

std::optional<TaskMessage> wait_for_task(int socket) {
  TaskMessage task;
  const ssize_t got = retry([&] { return ::recv(socket, &task, sizeof task, 0); });
  if (got != static_cast<ssize_t>(sizeof task)) return std::nullopt;
  return task;
}

bool send_result(int socket, const ResultMessage& result, std::string_view error,
                 std::span<const int> descriptors) {
  error = error.substr(0, kLongestError);
  std::array<iovec, 2> parts = {
      iovec{.iov_base = const_cast<ResultMessage*>(&result), .iov_len = sizeof result},
      iovec{.iov_base = const_cast<char*>(error.data()), .iov_len = error.size()}};
  msghdr header{};
  header.msg_iov = parts.data();
  header.msg_iovlen = error.empty() ? 1 : 2;
  ControlBuffer control;
  if (!descriptors.empty()) attach(header, control, descriptors);
  return retry([&] { return ::sendmsg(socket, &header, MSG_NOSIGNAL); }) >= 0;
}

std::optional<ReceivedResult> try_receive_result(int socket) {
  ReceivedResult result;
  std::array<char, kLongestError> error{};
  std::array<iovec, 2> parts = {
      iovec{.iov_base = &result.message, .iov_len = sizeof result.message},
      iovec{.iov_base = error.data(), .iov_len = error.size()}};
  msghdr header{};
  header.msg_iov = parts.data();
  header.msg_iovlen = parts.size();
  ControlBuffer control;
  header.msg_control = control.bytes.data();
  header.msg_controllen = control.bytes.size();
  const ssize_t got =
      retry([&] { return ::recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC); });
  constexpr auto kWhole = static_cast<ssize_t>(sizeof(ResultMessage));
  if (got < kWhole) return std::nullopt;
  result.error.assign(error.data(), static_cast<std::size_t>(got - kWhole));
  result.segments = detach(header);
  result.descriptors_lost = (header.msg_flags & MSG_CTRUNC) != 0;
  return result;
}

}  // namespace stepbench::loader
