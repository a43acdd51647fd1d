// SPDX-License-Identifier: Apache-2.0
// dispatch-trace: per line of stdin one epoch "workers prefetch_factor in_order tasks received...",
// where `received` are the batches in the order in which their results arrive, and "x W" in their
// place says that worker W of an iterable data set has ended; tasks -1: without end. Prints what
// the Dispatcher does, one line per epoch: D batch worker (sent), R batch (received), Y batch
// (yielded), E (end of the epoch).
#include <iostream>
#include <limits>
#include <sstream>
#include <string>

#include "workloads/loader/dispatcher.h"

namespace {

using stepbench::loader::Dispatcher;

void trace(std::istream& in, std::ostream& out) {
  int workers = 0;
  int in_order = 0;
  std::int64_t prefetch_factor = 0;
  std::int64_t tasks = 0;
  in >> workers >> prefetch_factor >> in_order >> tasks;
  Dispatcher dispatcher(workers, prefetch_factor, in_order != 0);
  const auto dispatch = [&] {
    if (const auto task = dispatcher.dispatch()) out << " D " << task->index << ' ' << task->worker;
  };
  dispatcher.begin_epoch(tasks < 0 ? std::numeric_limits<std::int64_t>::max() : tasks);
  for (std::int64_t i = 0; i < dispatcher.capacity(); ++i) dispatch();
  for (;;) {
    const Dispatcher::State state = dispatcher.state();
    if (state == Dispatcher::State::kEnd) break;
    if (state == Dispatcher::State::kReceive) {
      std::string arrived;
      if (!(in >> arrived)) break;
      if (arrived == "x") {
        int worker = -1;
        in >> worker;
        out << " X " << worker;
        dispatcher.ended(worker);
        dispatch();
        continue;
      }
      out << " R " << arrived;
      dispatcher.received(std::stoll(arrived));
    } else {
      const std::int64_t yielded = dispatcher.yield().index;
      dispatch();
      out << " Y " << yielded;
    }
  }
  out << " E\n";
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    trace(in, std::cout);
  }
}
