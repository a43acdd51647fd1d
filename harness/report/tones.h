// SPDX-License-Identifier: Apache-2.0
// Tones of facts, the same for all output formats. Pure; any thread.
#pragma once

#include <cstdint>

#include "harness/document/table.h"

namespace stepbench {
enum class Severity : std::uint8_t;
}  // namespace stepbench
namespace stepbench::analyze {
enum class DiffLevel : std::uint8_t;
enum class IntegrityLevel : std::uint8_t;
}  // namespace stepbench::analyze
namespace stepbench::compare {
enum class GateState : std::uint8_t;
enum class Verdict : std::uint8_t;
struct TestResult;
}  // namespace stepbench::compare
namespace stepbench::track {
enum class NightState : std::uint8_t;
}  // namespace stepbench::track

namespace stepbench::report {

[[nodiscard]] document::Tone tone_of(Severity severity);
[[nodiscard]] document::Tone tone_of(analyze::DiffLevel level);
[[nodiscard]] document::Tone tone_of(analyze::IntegrityLevel level);
// Claims that are not confirmed are doubts.
[[nodiscard]] document::Tone tone_of(const compare::TestResult& test);
// For a whole comparison.
[[nodiscard]] document::Tone tone_of(compare::Verdict verdict);
[[nodiscard]] document::Tone tone_of(compare::GateState state);
// For a series or an alert; `worse`: direction of its change.
[[nodiscard]] document::Tone tone_of(track::NightState state, bool worse);

}  // namespace stepbench::report
