// SPDX-License-Identifier: Apache-2.0
// TCP between the controller of a group and its ranks: the listening port, its addresses,
// connections to it. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/os/descriptor.h"

namespace stepbench::run {

inline constexpr std::string_view kLoopback = "127.0.0.1";

struct RankListener {
  std::vector<os::Descriptor> sockets;  // non-blocking, one per address
  std::vector<std::string> addresses;   // reachable by ranks, most likely first
  int port = 0;
};

// Listens on a free port. `bind`: "auto", an address of this machine or the name of an interface.
// With `other_machines`, "auto" means all addresses except loopback and container bridges; without
// it, loopback only. Throws ConfigError.
[[nodiscard]] RankListener listen_for_ranks(const std::string& bind, bool other_machines);
// Listens on one port that is free at all of these addresses of this machine.
[[nodiscard]] RankListener listen_at(const std::vector<std::string>& addresses);

// True for a bridge without a network card as a port: it belongs to containers or virtual machines
// and reaches no other machine. `root` replaces "/".
[[nodiscard]] bool is_inner_bridge(const std::filesystem::path& root, const std::string& interface);

// Throws ConfigError if `bind` is neither "auto" nor an interface or address of this machine.
void check_bind(const std::string& bind);

// "10.0.0.1,10.1.0.1:4711"
[[nodiscard]] std::string to_text(const RankListener& listener);

// Tries each address in turn until `greets` accepts the peer. `greets` returns an error text, or an
// empty one to accept; it may close the connection. The returned connection is blocking,
// close-on-exec, and detects a dead peer machine within half a minute. Throws Error naming all
// addresses.
[[nodiscard]] os::Descriptor connect_to(std::string_view controllers,
                                        std::chrono::milliseconds limit,
                                        const std::function<std::string(int socket)>& greets);

// Enables the same dead-peer detection on an accepted connection.
void keep_alive(int socket);

// Address of the local end of a connection: "10.0.0.2"; and of the other end.
[[nodiscard]] std::string own_address(int socket);
[[nodiscard]] std::string peer_address(int socket);

// Interface to set as GLOO_SOCKET_IFNAME on the machine `host`, whose end of the connection to the
// controller has this address. Empty: none. By default Gloo uses the address of the host name,
// which many an /etc/hosts maps to 127.0.1.1, unreachable from other machines.
[[nodiscard]] std::string gloo_interface(const std::string& address, const std::string& host);

// Reserves a TCP port while it lives: the kernel does not hand it out as a free port, but a process
// can listen on its number with SO_REUSEADDR, as torch's store does.
struct ReservedPort {
  os::Descriptor socket;
  int number = 0;  // 0: no free port
};
[[nodiscard]] ReservedPort reserve_port();

// Returns 128 random bits in hex. Throws Error.
[[nodiscard]] std::string make_token();

}  // namespace stepbench::run
