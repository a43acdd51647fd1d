// SPDX-License-Identifier: Apache-2.0
// The rules of traces without a device, on traces with one cause of known size.
#include "tests/testing.h"
#include "tests/unit/traces/planted_trace.h"

namespace stepbench::traces {
namespace {

using HostPlant = std::function<void(TraceMaker&, std::int64_t begin_ns)>;

// A wait for data of 2 ms, an operator of 50 ms, then the rows of `plant`. A batch is collated by
// small operators: that is loading, not the step's own work.
traces::Trace on_host(const HostPlant& plant) {
  TraceMaker trace;
  for (std::int64_t i = 0; i < kSteps; ++i) {
    const std::int64_t begin_ns = 1'000'000'000 + i * kStepNs;
    trace.step(i, begin_ns, begin_ns + kStepNs);
    draw(trace, "load 0 2000; op aten::linear 3000 53000", kUs, begin_ns);
    for (std::int64_t k = 0; k < 300; ++k) {
      trace.op("aten::select", begin_ns + k * 6'000, begin_ns + k * 6'000 + 5'000);
    }
    plant(trace, begin_ns + 55'000'000);
  }
  return trace.finish();
}

// An operator with one inside it, repeatedly.
HostPlant nested(std::int64_t count, std::int64_t every_ns, const char* outer, const char* inner,
                 std::int64_t outer_ns) {
  return [=](TraceMaker& trace, std::int64_t at_ns) {
    for (std::int64_t k = 0; k < count; ++k, at_ns += every_ns) {
      trace.op(outer, at_ns, at_ns + outer_ns);
      trace.op(inner, at_ns + 100, at_ns + outer_ns - 100);
    }
  };
}

HostPlant tiny_ops(std::int64_t each_ns) {
  return nested(2'000, each_ns + 1'000, "aten::add_", "aten::empty", each_ns);
}

HostPlant items(std::int64_t count) {
  return nested(count, 10'000, "aten::item", "aten::_local_scalar_dense", 6'000);
}

void block_of(TraceMaker& trace, std::int64_t bytes, std::uint64_t address, std::int64_t begin_ns,
              std::int64_t end_ns) {
  for (const auto& [at_ns, change] : {std::pair(begin_ns, bytes), std::pair(end_ns, -bytes)}) {
    trace.builder.add(traces::TraceMemory{
        .at_ns = at_ns, .bytes = change, .address = address, .lane = trace.main});
  }
}

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

HostPlant blocks(std::int64_t count, bool freed_at_once) {
  return [=](TraceMaker& trace, std::int64_t begin_ns) {
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t at_ns = begin_ns + k * 500'000;
      trace.op("aten::full", at_ns, at_ns + 400'000);
      block_of(trace, 16 * kMiB, std::uint64_t(16 * (freed_at_once ? 1 : k + 1)), at_ns + 10,
               freed_at_once ? at_ns + 450'000 : begin_ns + 40'000'000 + k);
    }
  };
}

struct Planted {
  const char* id;
  HostPlant plant;
  const char* text;  // empty: the rule is silent
};

TEST(PlantedHostCauses, EachPlant_IsNamedOrSilent) {
  const std::string optimizer = "note Optimizer.step#AdamW.step -1000 3000000";
  const HostPlant nothing = [](TraceMaker&, std::int64_t) {};
  const Planted kPlanted[] = {
      {"trace.tiny_operators", tiny_ops(9'000), "2,000 operators per step take less than 10 us"},
      {"trace.tiny_operators", tiny_ops(9'000), "of it between them 2.00 ms"},
      {"trace.tiny_operators", tiny_ops(4'000), ""},   // below the threshold
      {"trace.tiny_operators", tiny_ops(11'000), ""},  // not short
      {"trace.tiny_operators", items(3'000), ""},      // values that are read
      {"trace.tiny_operators", nothing, ""},
      {"trace.host_reads", items(3), "3 times (aten::item)"},
      {"trace.host_reads", nothing, ""},
      {"trace.host_reads",  // an optimizer's own counters
       [&](TraceMaker& trace, std::int64_t at) {
         draw(trace, optimizer, 1, at);
         items(60)(trace, at);
       },
       ""},
      {"trace.host_reads",
       [](TraceMaker& trace, std::int64_t at) {
         draw(trace, "python 'train.py(12): log_losses' 0 500000", 1, at);
         items(20)(trace, at + 1'000);
       },
       "aten::item, called at train.py(12): log_losses"},
      {"trace.host_allocations", blocks(40, true), "640 MiB in 40 blocks per step"},
      {"trace.host_allocations", blocks(40, true), "at most 16.0 MiB"},
      {"trace.host_allocations", blocks(9, true), ""},    // as many as a step may have
      {"trace.host_allocations", blocks(40, false), ""},  // held together, like activations
      {"trace.host_allocations", nothing, ""},
  };
  for (const Planted& each : kPlanted) {
    const std::vector<Finding> findings = causes_of(on_host(each.plant));
    const Finding* found = find_made(findings, each.id);
    ASSERT_EQ(found == nullptr, *each.text == '\0') << each.id << ' ' << each.text;
    if (found == nullptr) continue;
    EXPECT_THAT(found->text, HasSubstr(each.text));
  }
}

TEST(PlantedHostCauses, TinyOperators_CountTimeBetween) {
  const traces::Trace trace = on_host(tiny_ops(9'000));
  const std::vector<Finding> findings = causes_of(trace);
  const Finding* found = find_made(findings, "trace.tiny_operators");
  const double between_ns = 1'999 * 1e3;
  EXPECT_NEAR(*found->gain_ns, 18e6 + between_ns, 1);
  EXPECT_NEAR(found->value, 0.18 + between_ns / double(kStepNs), 1e-6);
  EXPECT_TRUE(found->set.empty());
  ASSERT_EQ(found->places.size(), 1U);
  EXPECT_EQ(found->places.front().duration_ns, 2'000 * 10'000 - 1'000);
  const std::vector<Finding> own =
      causes_of(trace, {.options = {{"optimizer.implementation", std::string("single")}}});
  ASSERT_EQ(find_made(own, "trace.tiny_operators")->set.size(), 1U);
  EXPECT_EQ(find_made(own, "trace.tiny_operators")->set.front().value, "fused");
}

TEST(PlantedHostCauses, HostReads_AreCounted) {
  const std::vector<Finding> few = causes_of(on_host(items(3)));
  EXPECT_EQ(find_made(few, "trace.host_reads")->value, 3);
  EXPECT_EQ(find_made(few, "trace.host_reads")->severity, Severity::kInfo);
  const Finding many = causes_of(on_host(items(3'000))).front();
  EXPECT_EQ(many.id, "trace.host_reads");
  EXPECT_NEAR(*many.gain_ns, 3'000 * 10e3, 5e3);
}

// malloc returns blocks of 32 MiB and more to the system when they are freed. At most the time of
// the operators that touch one could be gained.
TEST(PlantedHostCauses, LargeSingleBlock_IsNamed) {
  const std::vector<Finding> untouched = causes_of(on_host([](TraceMaker& trace, std::int64_t at) {
    draw(trace, "op aten::full 0 400; op aten::relu 600 12600", kUs, at);
    block_of(trace, 64 * kMiB, 16, at + 10, at + 450'000);
  }));
  EXPECT_EQ(find_made(untouched, "trace.host_allocations"), nullptr) << "0.4 ms of 100";
  const std::vector<Finding> made = causes_of(on_host([](TraceMaker& trace, std::int64_t at) {
    draw(trace, "op aten::empty 0 5; op aten::fill_ 10 12010", kUs, at);
    block_of(trace, 64 * kMiB, 16, at + 10, at + 13'000'000);
  }));
  const Finding* found = find_made(made, "trace.host_allocations");
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(found->low_confidence);
  EXPECT_THAT(found->text, HasSubstr("64.0 MiB in 1 block per step"));
  EXPECT_NEAR(*found->gain_ns, 12'005'000, 1) << "of aten::empty and of what fills it";
}

TEST(PlantedHostCauses, NoMemoryRows_AreUndecided) {
  for (const Finding& each : causes_of(on_host([](TraceMaker&, std::int64_t) {}))) {
    if (each.id != "trace.host_allocations") continue;
    EXPECT_THAT(each.undecided, HasSubstr("profile_memory=True"));
    return;
  }
  FAIL();
}

}  // namespace
}  // namespace stepbench::traces
