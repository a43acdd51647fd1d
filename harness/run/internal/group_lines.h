// SPDX-License-Identifier: Apache-2.0
// Messages between the controller of a group and the process on each rank: lines of JSON that begin
// with '!', on one connection with the lines of the worker's protocol, which begin with '{'.
//
//   rank: !hello         controller: !challenge, which proves that it knows the token
//   rank: !join          with the same proof; controller: !begin, then what a worker is sent
//   rank: the lines of the worker
//   controller: !end     after the last line of all ranks: closes the worker's input
//   controller: !stacks  if the group hangs: the worker gets SIGUSR1, on which Python prints
//                        its stacks
//   rank: !exit          the worker and all that it started are gone
//
// Decoding throws Error. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/value.h"
#include "harness/machine/environment.h"
#include "harness/run/internal/launchers.h"

namespace stepbench::run {

inline constexpr char kMark = '!';

struct RankHello {
  std::string challenge;
};

struct ControllerChallenge {
  std::string challenge;
  std::string proof;  // see proof() below
};

struct RankJoin {
  std::string proof = {};
  std::string token = {};  // sent instead by agents before 0.2, to report their version
  std::string version;     // stepbench's version there: must be equal
  RankPlace place = {};
  std::string error = {};  // why it has no place; all later fields are then empty
  std::string host = {};
  std::int64_t pid = 0;
  std::string address = {};  // its own, as seen from the controller
  int port = 0;              // free on that machine
  std::string cpus = {};     // allowed CPUs, "0-3,8"
  std::string threads = {};  // OMP_NUM_THREADS as the launcher set it
  std::string devices = {};  // CUDA_VISIBLE_DEVICES as the launcher set it
};

struct RankBegin {
  std::vector<std::string> argv;
  std::string folder;
  machine::Variables set = {};
  std::vector<std::string> unset = {};
  std::string device = {};  // the case's device, sampled by the agent
};

struct RankExit {
  int status = 0;    // as from waitpid(); -1: the worker could not be run
  bool cut = false;  // true: its last line is incomplete
  bool oom_killed = false;
  int signalled = 0;         // the signal that its launcher sent to end it; 0: none
  std::string output = {};   // standard output and error, shortened
  std::string message = {};  // why it could not be run
  Fields machine = {};       // observed by its agent, for the row of the rank
  // Memory of the rank's processes; 0: unknown. Without children the worker's own peak is used.
  std::int64_t pss_bytes = 0;
  std::int64_t compilers_bytes = 0;
  bool had_children = false;
  double cpu_share = 0;  // of the rank's allowed CPUs, used by it and its agent
};

[[nodiscard]] std::string encode(const RankHello& hello);
[[nodiscard]] std::string encode(const ControllerChallenge& challenge);
[[nodiscard]] std::string encode(const RankJoin& join);
[[nodiscard]] std::string encode(const RankBegin& begin);
[[nodiscard]] std::string encode(const RankExit& exit);
inline constexpr std::string_view kEndLine = "!end";
inline constexpr std::string_view kStacksLine = "!stacks";

[[nodiscard]] bool is_hello(std::string_view line);
[[nodiscard]] RankHello decode_hello(std::string_view line);
[[nodiscard]] ControllerChallenge decode_challenge(std::string_view line);
[[nodiscard]] RankJoin decode_join(std::string_view line);
[[nodiscard]] RankBegin decode_begin(std::string_view line);
[[nodiscard]] RankExit decode_exit(std::string_view line);

// HMAC-SHA-256 (RFC 2104) in hex over the speaker and both challenges, so that an answer cannot be
// replayed on another connection or by the other end. `of_controller`: its challenge, then its
// address as the speaker sees it, so that no host in between can pass the answer on.
[[nodiscard]] std::string proof(std::string_view token, std::string_view role,
                                std::string_view of_rank, std::string_view of_controller);
inline constexpr std::string_view kRank = "rank";
inline constexpr std::string_view kController = "controller";

// Constant-time comparison.
[[nodiscard]] bool is_same(std::string_view one, std::string_view other);

}  // namespace stepbench::run
