// SPDX-License-Identifier: Apache-2.0
#include "harness/run/interrupts.h"

#include <sys/signalfd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "harness/base/error.h"

namespace stepbench::run {

Interrupts::Interrupts() {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGINT);
  sigaddset(&wanted, SIGTERM);
  struct sigaction hang_up {};
  if (::sigaction(SIGHUP, nullptr, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN) {
    sigaddset(&wanted, SIGHUP);
  }
  ::pthread_sigmask(SIG_BLOCK, &wanted, &old_mask_);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &old_pipe_);
  ::sigaction(SIGXFSZ, &ignore, &old_file_size_);
  descriptor_ = os::Descriptor{::signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC)};
  if (!descriptor_.is_open()) throw Error(std::string{"signalfd: "} + std::strerror(errno));
}

Interrupts::~Interrupts() {
  while (take()) {
  }
  ::sigaction(SIGPIPE, &old_pipe_, nullptr);
  ::sigaction(SIGXFSZ, &old_file_size_, nullptr);
  ::pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
}

std::optional<int> Interrupts::take() {
  signalfd_siginfo info{};
  if (::read(descriptor_.value(), &info, sizeof info) != sizeof info) return std::nullopt;
  const int signal = static_cast<int>(info.ssi_signo);
  if (!first_) first_ = signal;
  return signal;
}

}  // namespace stepbench::run
