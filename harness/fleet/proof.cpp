// SPDX-License-Identifier: Apache-2.0
#include "harness/fleet/proof.h"

#include <bit>
#include <vector>

namespace stepbench::fleet {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::size_t kBlock = 64;
constexpr std::size_t kRounds = 64;
using State = std::array<std::uint32_t, 8>;
using Digest = std::array<std::uint8_t, 32>;

// The first 32 bits behind the point of the roots of the first primes: 64 cube roots and 8 square
// roots. They are found by whole numbers, so that no rounding is in them.
struct Constants {
  std::array<std::uint32_t, kRounds> round{};
  State start{};
};

constexpr std::uint32_t root_bits(std::uint32_t prime, int power) {
  // The largest r with r^power <= prime * 2^(32 * power), of which the low 32 bits count.
  Wide low = 0;
  Wide high = static_cast<Wide>(prime) << 32U;
  const auto exceeds = [&](Wide root) {
    // root < 2^41: its square fits, and of its cube the quotient is compared.
    const Wide square = root * root;
    const Wide scaled = static_cast<Wide>(prime) << 64U;
    if (power == 2) return square > scaled;
    const Wide limit = (scaled / root) << 32U;
    const Wide rest = ((scaled % root) << 32U) / root;
    return square > limit + rest;
  };
  while (low + 1 < high) {
    const Wide middle = (low + high) / 2;
    (exceeds(middle) ? high : low) = middle;
  }
  return static_cast<std::uint32_t>(low);
}

constexpr Constants make_constants() {
  Constants made;
  std::size_t found = 0;
  for (std::uint32_t number = 2; found < kRounds; ++number) {
    bool is_prime = true;
    for (std::uint32_t by = 2; by * by <= number; ++by) is_prime = is_prime && number % by != 0;
    if (!is_prime) continue;
    made.round[found] = root_bits(number, 3);
    if (found < made.start.size()) made.start[found] = root_bits(number, 2);
    ++found;
  }
  return made;
}

const Constants& constants() {
  static constexpr Constants kMade = make_constants();
  return kMade;
}

void mix(State& state, const std::uint8_t* block) {
  std::array<std::uint32_t, kRounds> word{};
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t byte = 0; byte < 4; ++byte) word[i] = word[i] << 8U | block[4 * i + byte];
  }
  for (std::size_t i = 16; i < kRounds; ++i) {
    const std::uint32_t near = word[i - 2];
    const std::uint32_t far = word[i - 15];
    word[i] = word[i - 16] + word[i - 7] + (std::rotr(far, 7) ^ std::rotr(far, 18) ^ far >> 3U) +
              (std::rotr(near, 17) ^ std::rotr(near, 19) ^ near >> 10U);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < kRounds; ++i) {
    const std::uint32_t chosen = (e & f) ^ (~e & g);
    const std::uint32_t most = (a & b) ^ (a & c) ^ (b & c);
    const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                chosen + constants().round[i] + word[i];
    const std::uint32_t second = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + most;
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const State made = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += made[i];
}

std::string text_of(const Digest& digest) { return {digest.begin(), digest.end()}; }

}  // namespace

Digest sha256(std::string_view bytes) {
  std::vector<std::uint8_t> all(bytes.begin(), bytes.end());
  all.push_back(0x80);
  while (all.size() % kBlock != kBlock - 8) all.push_back(0);
  const std::uint64_t bits = 8 * static_cast<std::uint64_t>(bytes.size());
  for (unsigned shift = 64; shift > 0; shift -= 8) {
    all.push_back(static_cast<std::uint8_t>(bits >> (shift - 8)));
  }
  State state = constants().start;
  for (std::size_t at = 0; at < all.size(); at += kBlock) mix(state, &all[at]);
  Digest digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

std::string proof(std::string_view token, std::string_view who, std::string_view of_rank,
                  std::string_view of_controller) {
  std::string key(token.size() > kBlock ? text_of(sha256(token)) : std::string(token));
  key.resize(kBlock, '\0');
  std::string inner;
  std::string outer;
  for (const char byte : key) {
    inner.push_back(static_cast<char>(byte ^ 0x36));
    outer.push_back(static_cast<char>(byte ^ 0x5c));
  }
  for (const std::string_view part : {who, of_rank, of_controller}) {
    inner += std::to_string(part.size()) + ':';
    inner += part;
  }
  return hex_text(text_of(sha256(outer + text_of(sha256(inner)))));
}

bool is_same(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  unsigned differs = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    differs |= static_cast<unsigned>(static_cast<unsigned char>(one[i] ^ other[i]));
  }
  return differs == 0;
}

std::string hex_text(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text.push_back(kDigits[static_cast<unsigned char>(byte) >> 4U]);
    text.push_back(kDigits[static_cast<unsigned char>(byte) & 15U]);
  }
  return text;
}

}  // namespace stepbench::fleet
