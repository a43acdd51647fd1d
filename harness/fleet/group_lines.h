// SPDX-License-Identifier: Apache-2.0
// What the controller of a group and the process on each rank say to each other: lines of JSON that
// begin with '!', on one connection with the lines of the worker's protocol, which begin with '{'.
//
//   rank: !hello         controller: !challenge, which proves that it knows the token
//   rank: !join          with the same proof; controller: !begin, then what a worker is sent
//   rank: what the worker says, whole lines
//   controller: !end     when all ranks have said their last line: the worker's input ends
//   controller: !stacks  of a group that hangs: the worker gets SIGUSR1, at which Python prints
//                        where it stands
//   rank: !exit          the worker and all that it started are gone
//
// Decoding throws Error. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/value.h"
#include "harness/fleet/rank_place.h"
#include "harness/machine/devices.h"

namespace stepbench::fleet {

// In the environment of the launcher, and of nothing that it starts for the user.
inline constexpr std::string_view kControllersVariable =
    "STEPBENCH_GROUP";  // "10.0.0.1,10.1.0.1:4711"
inline constexpr std::string_view kTokenVariable = "STEPBENCH_TOKEN";

inline constexpr char kMark = '!';

struct RankHello {
  std::string challenge;
};

struct DoorChallenge {
  std::string challenge;
  std::string proof;  // see fleet/proof.h
};

struct RankJoin {
  std::string proof = {};
  std::string token = {};  // in place of it, of agents before 0.2: their version is told
  std::string version;     // of stepbench there: ranks of another one are refused
  RankPlace place = {};
  std::string error = {};  // it has no place; then nothing else is told
  std::string host = {};
  std::int64_t pid = 0;
  std::string address = {};  // its own, as seen from the controller
  int port = 0;              // that was free there
  std::string cpus = {};     // that it may use, "0-3,8"
  std::string threads = {};  // OMP_NUM_THREADS as the launcher set it
  std::string devices = {};  // CUDA_VISIBLE_DEVICES, the same
};

struct RankBegin {
  std::vector<std::string> argv;
  std::string folder;
  machine::Variables set = {};
  std::vector<std::string> unset = {};
  std::string device = {};  // of the case, which the agent watches
};

struct RankExit {
  int status = 0;    // of waitpid(); -1: the worker could not be run
  bool cut = false;  // its last line had no end
  bool oom_killed = false;
  int told = 0;              // the signal by which its launcher told it to end; 0: none
  std::string output = {};   // standard output and error, shortened
  std::string message = {};  // why it could not be run
  Fields machine = {};       // what its agent saw, for the row of the rank
  // Of the rank's processes: 0: not known. Without children the worker's own peak tells it.
  std::int64_t pss_bytes = 0;
  std::int64_t compilers_bytes = 0;
  bool had_children = false;
  double cpu_share = 0;  // that they used of the CPUs that the rank may use
};

[[nodiscard]] std::string encode(const RankHello& hello);
[[nodiscard]] std::string encode(const DoorChallenge& challenge);
[[nodiscard]] std::string encode(const RankJoin& join);
[[nodiscard]] std::string encode(const RankBegin& begin);
[[nodiscard]] std::string encode(const RankExit& exit);
inline constexpr std::string_view kEndLine = "!end";
inline constexpr std::string_view kStacksLine = "!stacks";

[[nodiscard]] bool is_hello(std::string_view line);
[[nodiscard]] RankHello decode_hello(std::string_view line);
[[nodiscard]] DoorChallenge decode_challenge(std::string_view line);
[[nodiscard]] RankJoin decode_join(std::string_view line);
[[nodiscard]] RankBegin decode_begin(std::string_view line);
[[nodiscard]] RankExit decode_exit(std::string_view line);

}  // namespace stepbench::fleet
