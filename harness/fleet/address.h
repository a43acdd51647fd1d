// SPDX-License-Identifier: Apache-2.0
// TCP between the controller of a group and its ranks: a port to listen at, where it is found, a
// connection to it. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/os/descriptor.h"

namespace stepbench::fleet {

inline constexpr std::string_view kLoopback = "127.0.0.1";

struct RankListener {
  std::vector<os::Descriptor> sockets;  // non-blocking, one at each address
  std::vector<std::string> addresses;   // where others find it, the most likely first
  int port = 0;
};

// On a free port. `bind`: "auto", an address of this machine or the name of an interface.
// `other_machines`: ranks come from there too, and auto is all addresses but those of the loopback
// and of bridges to containers; else it is the loopback. Throws ConfigError.
[[nodiscard]] RankListener listen_for_ranks(const std::string& bind, bool other_machines);

// A bridge none of whose ports is a network card: of containers or virtual machines, not of a
// network in which other machines are. `root` stands for "/".
[[nodiscard]] bool is_inner_bridge(const std::filesystem::path& root, const std::string& interface);

// Throws ConfigError where `bind` is neither "auto" nor an interface or address of this machine.
void check_bind(const std::string& bind);

// "10.0.0.1,10.1.0.1:4711"
[[nodiscard]] std::string to_text(const RankListener& listener);

// Tries each address in turn until `greets` has nothing against who answers there; it may close
// the connection and says what is wrong. The connection is blocking, tells of a peer whose machine
// died within half a minute, and is closed in what this process starts. Throws Error naming all of
// them.
[[nodiscard]] os::Descriptor connect_to(std::string_view controllers,
                                        std::chrono::milliseconds limit,
                                        const std::function<std::string(int socket)>& greets);

// The same of a connection that was accepted: a machine that dies is told of.
void keep_alive(int socket);

// Of this end of a connection: "10.0.0.2".
[[nodiscard]] std::string own_address(int socket);

// Which interface Gloo is to be told of (GLOO_SOCKET_IFNAME) on the machine `host` whose end of the
// connection to the controller has this address. Empty: none. By itself Gloo takes the address of
// the host's name, and many an /etc/hosts says 127.0.1.1, where no other machine finds it.
[[nodiscard]] std::string gloo_interface(const std::string& address, const std::string& host);

// A TCP port that stays free while this lives: nobody is given it who asks for any port, and who
// listens at it by its number, with SO_REUSEADDR as torch's store does, can.
struct KeptPort {
  os::Descriptor socket;
  int number = 0;  // 0: none is free
};
[[nodiscard]] KeptPort free_port();

// 128 random bits in hex. Throws Error.
[[nodiscard]] std::string make_token();

}  // namespace stepbench::fleet
