// SPDX-License-Identifier: Apache-2.0
// When requests arrive that do not wait for each other's answers (an open loop), and how long each
// waits until the server is free. Pure; one thread at a time.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/stats/random.h"

namespace stepbench::schedule {

enum class ArrivalProcess : std::uint8_t { kPoisson, kFixed };

struct Arrivals {
  double rate_per_s = 0;  // 0: none; a step begins when the one before is done
  ArrivalProcess process = ArrivalProcess::kPoisson;
  std::uint64_t seed = 0;
};

// Launches have arrivals of their own, the same ones in each arm and in every run.
[[nodiscard]] std::uint64_t seed_of_launch(std::uint64_t seed, int launch);

// One server that answers requests in the order of their arrival. Its clock runs while a request is
// served and while none is there, and stands still otherwise: what the harness does between two
// steps, and loading the data that a request brings, keep nobody waiting.
class RequestQueue {
 public:
  // Empty, at time 0. `cycle`: of a launch; each has arrivals of its own.
  RequestQueue(const Arrivals& arrivals, std::uint64_t cycle);

  // How long nothing is to be done before the next request is there; 0: it waits already.
  [[nodiscard]] std::int64_t idle_ns();
  // The server was idle for so long, by the clock: a wake-up that came late keeps the request
  // waiting. How long it has waited.
  [[nodiscard]] std::int64_t begin(std::int64_t idle_ns);
  void served(std::int64_t service_ns) { now_ns_ += service_ns; }

 private:
  Arrivals arrivals_;
  stats::Random random_;
  std::int64_t now_ns_ = 0;
  double arrival_ns_ = 0;  // of the request that is next
  std::int64_t requests_ = 0;
};

}  // namespace stepbench::schedule
