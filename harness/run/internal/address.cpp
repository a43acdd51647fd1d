// SPDX-License-Identifier: Apache-2.0
#include "harness/run/internal/address.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/os/text_file.h"
#include "harness/text/words.h"

namespace stepbench::run {
namespace {

constexpr int kBacklog = 4096;

std::string reason() { return std::strerror(errno); }

sockaddr_in address_of(std::string_view text, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (::inet_pton(AF_INET, std::string(text).c_str(), &address.sin_addr) != 1) {
    throw ConfigError("distributed.bind", formatted("invalid IPv4 address: '{}'", text));
  }
  return address;
}

std::string address_text(const sockaddr_in& address) {
  std::array<char, INET_ADDRSTRLEN> text{};
  ::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
  return text.data();
}

struct Interface {
  std::string name;
  std::string address;
  bool loopback = false;
};

std::vector<Interface> interfaces() {
  std::vector<Interface> found;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return found;
  for (const ifaddrs* at = list; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != AF_INET) continue;
    if ((at->ifa_flags & IFF_UP) == 0) continue;
    sockaddr_in address{};
    std::memcpy(&address, at->ifa_addr, sizeof address);
    found.push_back({at->ifa_name, address_text(address), (at->ifa_flags & IFF_LOOPBACK) != 0});
  }
  ::freeifaddrs(list);
  return found;
}

// Resolves an interface name to its address; an address is returned unchanged.
std::string bound_address(const std::string& bind) {
  for (const Interface& each : interfaces()) {
    if (each.name == bind || each.address == bind) return each.address;
  }
  throw ConfigError("distributed.bind",
                    formatted("'{}' is not an interface or address of this machine; it has {}",
                              bind, text::join(interfaces(), ", ", [](const Interface& each) {
                                return formatted("{} ({})", each.name, each.address);
                              })));
}

int port_of(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.sin_port);
}

os::Descriptor make_socket(int flags) {
  os::Descriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0)};
  if (!socket.is_open()) throw Error("cannot make a socket for ranks: " + reason());
  return socket;
}

// Uses the listener's port if it has one, else a free one. Returns false if that port is taken at
// this address.
bool listens_at(RankListener& listener, const std::string& address) {
  os::Descriptor socket = make_socket(SOCK_NONBLOCK);
  const sockaddr_in at = address_of(address, listener.port);
  if (::bind(socket.value(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0 ||
      ::listen(socket.value(), kBacklog) != 0) {
    if (errno == EADDRINUSE && listener.port != 0) return false;
    throw ConfigError("distributed.bind", formatted("cannot listen at {}: {}", address, reason()));
  }
  listener.port = port_of(socket.value());
  listener.addresses.push_back(address);
  listener.sockets.push_back(std::move(socket));
  return true;
}

// Returns false with errno set if the peer does not answer within the limit.
bool connects(int socket, const sockaddr_in& to, std::chrono::milliseconds limit) {
  ::fcntl(socket, F_SETFL, O_NONBLOCK);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    if (errno != EINPROGRESS) return false;
    pollfd waits{socket, POLLOUT, 0};
    if (::poll(&waits, 1, static_cast<int>(limit.count())) != 1) {
      errno = ETIMEDOUT;
      return false;
    }
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
    errno = error;
    if (error != 0) return false;
  }
  ::fcntl(socket, F_SETFL, 0);
  return true;
}

}  // namespace

RankListener listen_for_ranks(const std::string& bind, bool other_machines) {
  std::vector<std::string> addresses;
  if (bind != "auto") {
    addresses.push_back(bound_address(bind));
  } else if (other_machines) {
    for (const Interface& each : interfaces()) {
      if (!each.loopback && !is_inner_bridge("/", each.name)) addresses.push_back(each.address);
    }
  }
  if (addresses.empty()) addresses.emplace_back(kLoopback);
  return listen_at(addresses);
}

RankListener listen_at(const std::vector<std::string>& addresses) {
  constexpr int kTries = 1000;
  for (int tries = 0; tries < kTries; ++tries) {
    RankListener listener;
    if (std::ranges::all_of(addresses,
                            [&](const auto& each) { return listens_at(listener, each); })) {
      return listener;
    }
  }
  throw ConfigError("distributed.bind", "no port is free at all of " + text::join(addresses, ", "));
}

bool is_inner_bridge(const std::filesystem::path& root, const std::string& interface) {
  const std::filesystem::path of_all = root / "sys/class/net";
  std::error_code error;
  if (!std::filesystem::exists(of_all / interface / "bridge", error)) return false;
  for (std::filesystem::directory_iterator at{of_all / interface / "brif", error}, end;
       !error && at != end; at.increment(error)) {
    if (std::filesystem::exists(of_all / at->path().filename() / "device", error)) return false;
  }
  return true;
}

void check_bind(const std::string& bind) {
  if (bind != "auto") (void)bound_address(bind);
}

std::string to_text(const RankListener& listener) {
  return formatted("{}:{}", text::join(listener.addresses, ","), listener.port);
}

void keep_alive(int socket) {
  const auto set = [&](int level, int option, int value) {
    ::setsockopt(socket, level, option, &value, sizeof value);
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 25'000);
  set(IPPROTO_TCP, TCP_NODELAY, 1);
}

os::Descriptor connect_to(std::string_view controllers, std::chrono::milliseconds limit,
                          const std::function<std::string(int socket)>& greets) {
  const std::size_t colon = controllers.rfind(':');
  const auto port = colon == std::string_view::npos
                        ? std::nullopt
                        : os::parse_integer(controllers.substr(colon + 1));
  if (!port || *port < 1 || *port > 65535) {
    throw Error(formatted("invalid controller address: '{}'", controllers));
  }
  std::string tried;
  std::string_view left = controllers.substr(0, colon);
  while (!left.empty()) {
    const std::string_view one = left.substr(0, left.find(','));
    left.remove_prefix(std::min(one.size() + 1, left.size()));
    os::Descriptor socket = make_socket(0);
    std::string wrong;
    if (connects(socket.value(), address_of(one, static_cast<int>(*port)), limit)) {
      keep_alive(socket.value());
      wrong = greets(socket.value());
      if (wrong.empty()) return socket;
    } else {
      wrong = reason();
    }
    tried += formatted("{}{} ({})", tried.empty() ? "" : ", ", one, wrong);
  }
  throw Error(formatted("cannot reach the controller at port {} of {}", *port, tried));
}

std::string own_address(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return {};
  return address_text(address);
}

std::string peer_address(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return {};
  return address_text(address);
}

std::string gloo_interface(const std::string& address, const std::string& host) {
  const std::vector<Interface> all = interfaces();
  const auto own = std::ranges::find(all, address, &Interface::address);
  if (own == all.end() || own->loopback) return {};
  addrinfo wanted{};
  wanted.ai_family = AF_INET;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &wanted, &list) != 0) return own->name;
  bool is_met = false;
  for (const addrinfo* at = list; at != nullptr; at = at->ai_next) {
    sockaddr_in found{};
    std::memcpy(&found, at->ai_addr, sizeof found);
    is_met = is_met || (ntohl(found.sin_addr.s_addr) >> 24U) != IN_LOOPBACKNET;
  }
  ::freeaddrinfo(list);
  return is_met ? std::string() : own->name;
}

ReservedPort reserve_port() {
  ReservedPort reserved{.socket = make_socket(0)};
  const sockaddr_in any = address_of("0.0.0.0", 0);
  const int on = 1;
  // SO_REUSEADDR after bind(): set before it, the kernel could assign a port that is already kept.
  if (::bind(reserved.socket.value(), reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0 &&
      ::setsockopt(reserved.socket.value(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0) {
    reserved.number = port_of(reserved.socket.value());
  }
  return reserved;
}

std::string make_token() {
  std::array<unsigned char, 16> bits{};
  if (::getrandom(bits.data(), bits.size(), 0) != static_cast<ssize_t>(bits.size())) {
    throw Error("cannot make a token for ranks: " + reason());
  }
  return hex_text({reinterpret_cast<const char*>(bits.data()), bits.size()});
}

}  // namespace stepbench::run
