// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/loader_section.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <string>

#include "harness/base/format.h"
#include "harness/text/words.h"
#include "workloads/data/data_kinds.h"
#include "workloads/data/python_parts.h"
#include "workloads/loader/engines.h"
#include "workloads/loader/internal/cached_batches.h"

namespace stepbench::loader {
namespace {

Requires with_separate_epochs() {
  return {.option = "loader.epochs",
          .op = Requires::Op::kEqual,
          .value = std::string{"separate"},
          .doc = "needs epochs that end (epochs: separate)"};
}

Requires with_lengths() {
  return {.option = "data.lengths",
          .op = Requires::Op::kNotEqual,
          .value = std::string{"fixed"},
          .doc =
              "needs samples of different lengths (data.lengths: uniform, or a file, of token "
              "data); a data set in Python sorts them in batch_sampler(dataset)"};
}

Requires with_processes() {
  return {.option = "loader.engine",
          .op = Requires::Op::kEqual,
          .value = std::string{"fork"},
          .doc = "needs worker processes (engine: fork)"};
}

std::vector<Option> common_options() {
  const LoaderOptions usual;
  std::vector<Option> options = {
      {.name = "engine",
       .type = OptionType::kEnum,
       .doc = "What loads the batches. With num_workers 0 every engine but python "
              "and iterable is `inline`.",
       .default_value = std::string{"thread"},
       .choices = {}},
      {.name = "batch_size",
       .type = OptionType::kInteger,
       .doc = "Samples in a batch. null, with engine python: each item of the data set is a batch "
              "already, as DataLoader(batch_size=None) takes it; with engine iterable: loader() "
              "decides.",
       .unit = "samples",
       .default_value = usual.batch_size,
       .default_in = {{kIterableName, std::string{kItemsAreBatches}}},
       .min = 1,
       .max = 1 << 24,
       .choices = {kItemsAreBatches},
       .identity_default = std::int64_t{1},
       .decides_samples = true,
       .also_called = {"bs", "batch"}},
      {.name = "shuffle",
       .type = OptionType::kBool,
       .doc = "A new random order in every epoch, the same in every engine.",
       .default_value = usual.shuffle,
       .identity_default = false,
       .decides_samples = true},
      {.name = "epochs",
       .type = OptionType::kEnum,
       .doc = "joined: epochs follow each other without a border. The loader never ends nor runs "
              "dry, every batch is full and may hold the end of one epoch and the beginning of the "
              "next. It is what Python's DataLoader does with a sampler that never ends, or with "
              "an IterableDataset that begins anew at its end: each worker then repeats its own "
              "shards, the sooner the fewer they are, and one without shards leaves. separate: an "
              "iterator for each epoch, as in `for batch in loader`. Batches that were read ahead "
              "run out at its end, and the next one begins without any. Engine python has separate "
              "ones unless told otherwise, as a script in Python has; joined wraps your sampler in "
              "one that never ends.",
       .default_value = std::string{"joined"},
       .default_in = {{kIterableName, std::string{"separate"}},
                      {data::kPythonName, std::string{"separate"}}},
       .choices = {"joined", "separate"},
       .identity_default = std::string{"separate"},
       .decides_samples = true},
      {.name = "seed",
       .type = OptionType::kInteger,
       .doc = "Seed of the order and of the augmentation. Unset: the seed at the top of the file.",
       .min = 0,
       .max = 9007199254740992.0,
       .identity = Identity::kContext,
       .decides_samples = true},
      {.name = "num_workers",
       .type = OptionType::kInteger,
       .doc = "Workers that read batches ahead. 0: the training thread reads each batch itself.",
       .default_value = usual.num_workers,
       .min = 0,
       .max = 1024,
       .identity_default = std::int64_t{0},
       .also_called = {"workers", "num_threads", "threads", "nthreads"}},
      {.name = "prefetch_factor",
       .type = OptionType::kInteger,
       .doc = "Batches read ahead per worker: at most prefetch_factor * num_workers wait for the "
              "consumer.",
       .unit = "batches",
       .default_value = usual.prefetch_factor,
       .min = 1,
       .max = 4096,
       .identity_default = std::int64_t{2},
       .requires_ = with_workers()},
      {.name = "persistent_workers",
       .type = OptionType::kBool,
       .doc = "Keeps the workers over separate epochs; otherwise each epoch starts and ends its "
              "own. Joined epochs keep them anyway.",
       .default_value = usual.persistent_workers,
       .identity_default = false,
       .requires_ = with_workers()},
      {.name = "timeout_s",
       .type = OptionType::kNumber,
       .doc = "Longest wait for one result of any worker. 0: no limit.",
       .unit = "s",
       .default_value = usual.timeout_s,
       .min = 0,
       .max = 1e6,
       .identity = Identity::kContext,
       .requires_ = with_workers()},
      {.name = "in_order",
       .type = OptionType::kBool,
       .doc = "Batches come in the order of their indices. false: first finished, first returned, "
              "so that one slow batch does not hold up the others.",
       .default_value = usual.in_order,
       .identity_default = true,
       .requires_ = with_workers()},
      {.name = "drop_last",
       .type = OptionType::kBool,
       .doc = "Leaves out the last batch of an epoch when it is not full. Batches of joined epochs "
              "are always full.",
       .default_value = usual.drop_last,
       .identity_default = false,
       .requires_ = with_separate_epochs(),
       .decides_samples = true},
      {.name = "bucket_batches",
       .type = OptionType::kInteger,
       .doc = "Sorts samples by length within so many batches of the order, so that a batch holds "
              "samples of about one length and little padding; these batches then come in random "
              "order. 1: as they come. In Python: LengthGroupedSampler (its mega-batches) or "
              "BucketIterator.",
       .unit = "batches",
       .default_value = usual.bucket_batches,
       .min = 1,
       .max = 1 << 20,
       .identity_default = std::int64_t{1},
       .requires_ = with_lengths(),
       .decides_samples = true,
       .also_called = {"group_by_length", "bucketing", "mega_batch_mult"}},
      {.name = "pin_memory",
       .type = OptionType::kBool,
       .doc = "Copies each batch into page-locked memory, from which copies to the device can be "
              "asynchronous.",
       .default_value = usual.pin_memory,
       .identity_default = false},
      {.name = "buffers",
       .type = OptionType::kEnum,
       .doc = "Memory of the batches. fresh: allocated for each one, as PyTorch does. reused: "
              "taken from a pool, which saves the page faults. Engine fork has transport in its "
              "place.",
       .default_value = std::string{"fresh"},
       .choices = {"fresh", "reused"},
       .identity_default = std::string{"fresh"}},
      {.name = "threads_per_worker",
       .type = OptionType::kInteger,
       .doc = "Threads that OpenMP regions inside a worker may use.",
       .unit = "threads",
       .default_value = usual.threads_per_worker,
       .min = 1,
       .max = 1024,
       .identity_default = std::int64_t{1},
       .requires_ = with_workers()},
      {.name = "transport",
       .type = OptionType::kEnum,
       .doc = "How a batch leaves its worker process. shm_ring: written once, where the consumer "
              "reads it, into slots of shared memory that are used again. torch_fd: a fresh "
              "segment of /dev/shm per tensor and batch, handed over as PyTorch does it; without "
              "Python's pickling and connections, so a lower bound of what Python pays. Engine "
              "python has sharing_strategy in its place.",
       .default_value = std::string{"shm_ring"},
       .choices = {"shm_ring", "torch_fd"},
       .identity_default = std::string{"shm_ring"},
       .requires_ = with_processes()},
      {.name = "affinity",
       .type = OptionType::kString,
       .doc = "Which core each worker runs on. none: any. compact: neighbouring cores, one after "
              "the other. spread: as far apart as the process's cores allow. A list as in "
              "\"0,2-5\": worker i gets the i-th of it.",
       .default_value = usual.affinity,
       .identity_default = std::string{"none"},
       .requires_ = with_workers(),
       .pattern = "none|compact|spread|[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*",
       .pattern_words = "none, compact, spread or a list of cores such as 0,2-5"},
  };
  const auto seed = std::ranges::find(options, "seed", &Option::name);
  std::vector<Option> samplers = sampler_options();
  options.insert(seed, std::make_move_iterator(samplers.begin()),
                 std::make_move_iterator(samplers.end()));
  options.push_back(alone_option());
  return options;
}

// Options without meaning when num_workers is 0.
constexpr std::array kWorkerOptions = {"loader.prefetch_factor", "loader.persistent_workers",
                                       "loader.timeout_s",       "loader.threads_per_worker",
                                       "loader.transport",       "loader.affinity"};

// The engine that replaces any other when num_workers is 0.
const Engine& reads_itself() { return *std::ranges::find(engines(), false, &Engine::has_workers); }

// Joined epochs never end, so workers always persist.
void check_epochs(ResolvedCase& resolved, RuleSink& sink) {
  if (resolved.text("loader.epochs") == "separate") return;
  resolved.options["loader.persistent_workers"] = Value{};
  sink.no_effect("loader.persistent_workers", "loader.epochs: separate");
}

// Turns pinning off without an accelerator, as Python's DataLoader does.
void check_pinning(const Engine& engine, ResolvedCase& resolved, const RuleFacts& facts,
                   RuleSink& sink) {
  if (!resolved.flag("loader.pin_memory") || (facts.cuda_available && engine.pins)) return;
  const bool insists = !facts.swept && !facts.device_auto && resolved.has("device") &&
                       resolved.text("device").starts_with("cuda");
  if (!facts.cuda_available && !insists) {
    resolved.options["loader.pin_memory"] = false;
    sink.no_effect("loader.pin_memory", "an accelerator");
    return;
  }
  const std::string reason =
      facts.cuda_available ? "pin_memory is not offered by engine " + engine.variant.name
                           : "pin_memory needs an accelerator, and there is none on this machine";
  insists ? sink.error("loader.pin_memory", reason) : sink.skip(reason);
}

}  // namespace

Section loader_section() {
  Section section{
      .name = "loader",
      .doc =
          "The DataLoader: how samples become batches, and who does it. Options mean what they "
          "mean in torch.utils.data.DataLoader.",
      .elsewhere = {{"dataset", "define dataset() in the file data.path (data.kind: python)"}},
      .selector = "engine",
      .options = common_options(),
  };
  for (const Engine& engine : engines()) {
    section.options[0].choices.push_back(engine.variant.name);
    section.variants.push_back(engine.variant);
  }
  return section;
}

LoaderOptions loader_options(const ResolvedCase& resolved) {
  // Options that do not apply to this case keep their LoaderOptions default.
  const LoaderOptions usual;
  const std::string sampler = resolved.text_or("loader.sampler", "");
  const bool joined = resolved.text_or("loader.epochs", "separate") == "joined";
  const bool torch_fd = resolved.text_or("loader.transport", "") == "torch_fd";
  return {
      .batch_size = items_are_batches(resolved) ? 0 : resolved.integer("loader.batch_size"),
      .shuffle = resolved.flag("loader.shuffle"),
      .with_replacement = sampler == "random_with_replacement" || sampler == "weighted",
      .weights = resolved.text_or("loader.weights", usual.weights),
      .num_samples = resolved.integer_or("loader.num_samples", usual.num_samples),
      .bucket_batches = resolved.integer_or("loader.bucket_batches", usual.bucket_batches),
      .seed = static_cast<std::uint64_t>(
          resolved.integer_or("loader.seed", resolved.integer_or("seed", 0))),
      .joined = joined,
      .num_workers = resolved.integer("loader.num_workers"),
      .prefetch_factor = resolved.integer_or("loader.prefetch_factor", usual.prefetch_factor),
      .pin_memory = resolved.flag("loader.pin_memory"),
      .persistent_workers = !joined && resolved.flag_or("loader.persistent_workers", false),
      .drop_last = !joined && resolved.flag_or("loader.drop_last", false),
      .timeout_s = resolved.number_or("loader.timeout_s", usual.timeout_s),
      .in_order = resolved.flag_or("loader.in_order", usual.in_order),
      .reuse_buffers = resolved.text_or("loader.buffers", "") == "reused",
      .threads_per_worker =
          resolved.integer_or("loader.threads_per_worker", usual.threads_per_worker),
      .switch_interval_us =
          resolved.integer_or("loader.switch_interval_us", usual.switch_interval_us),
      .transport = torch_fd ? Transport::kTorchFd : usual.transport,
      .affinity = resolved.text_or("loader.affinity", usual.affinity),
  };
}

bool items_are_batches(const ResolvedCase& resolved) {
  const Value* size = resolved.options.get("loader.batch_size");
  return size != nullptr && *size == Value{std::string(kItemsAreBatches)};
}

void check_stacks(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  if (!resolved.flag_or("profile.stacks", false)) return;
  if (resolved.text_or("loader.engine", "") == data::kPythonName) return;
  // A sweep of engines may request stacks for the one engine that has them.
  if (!facts.swept || !resolved.has("loader.engine")) {
    sink.error("profile.stacks",
               "profile.stacks looks at the lines of a Dataset, which loader.engine: python alone "
               "reads");
  }
  resolved.options["profile.stacks"] = Value{};
}

void check_loader(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  check_epochs(resolved, sink);
  const std::int64_t workers = resolved.integer("loader.num_workers");
  const Engine* engine = &engine_of(resolved);
  if (items_are_batches(resolved) && !runs_python(*engine)) {
    const std::string reason =
        "null lets the data define a batch, which only engines python and iterable support; this "
        "is engine " +
        engine->variant.name;
    facts.swept ? sink.skip(reason) : sink.error("loader.batch_size", reason);
    return;
  }
  if (workers > 0 && !engine->has_workers) {
    const std::string reason = formatted(
        "engine {} has no workers, but num_workers is {}; set num_workers: 0, or engine: thread or "
        "fork",
        engine->variant.name, workers);
    facts.swept ? sink.skip(reason) : sink.error("loader.engine", reason);
    return;
  }
  if (data::data_kind(resolved).open == nullptr && !runs_python(*engine)) {
    const std::string reason = formatted(
        "data.kind {} is read by loader.engine: python or iterable alone, and this is engine {}",
        resolved.text("data.kind"), engine->variant.name);
    facts.swept ? sink.skip(reason) : sink.error("loader.engine", reason);
    return;
  }
  if (workers == 0) {
    if (!engine->reads_alone) engine = &reads_itself();
    resolved.options["loader.engine"] = engine->variant.name;
    // Python accepts these without effect.
    resolved.options["loader.in_order"] = Value{};
    for (const char* option : kWorkerOptions) resolved.options[option] = Value{};
  }
  check_stacks(resolved, facts, sink);
  check_alone(resolved, facts, sink);
  if (engine->check != nullptr) engine->check(resolved, facts, sink);
  if (workers > facts.cores) {
    sink.note(
        formatted("num_workers {} exceeds the {} this process may use: workers will share them",
                  workers, text::counted(facts.cores, "core")));
  }
  check_pinning(*engine, resolved, facts, sink);
}

std::vector<Option> sampler_options() {
  return {
      {.name = "sampler",
       .type = OptionType::kEnum,
       .doc =
           "Which samples an epoch has, in place of `shuffle`. sequential and random: each once. "
           "random_with_replacement: num_samples draws, as RandomSampler(replacement=True). "
           "weighted: num_samples draws as likely as `weights` says, as WeightedRandomSampler; "
           "weighted_without_replacement: none of them twice. Indices are those of torch.",
       .choices = {"sequential", "random", "random_with_replacement", "weighted",
                   "weighted_without_replacement"},
       .decides_samples = true},
      {.name = "weights",
       .type = OptionType::kString,
       .doc = "For the weighted samplers. balanced: each class as likely as any other, which is 1 "
              "/ (samples of its class). Otherwise a text file with a number per sample, as "
              "numpy.savetxt writes it; the numbers need not sum to one.",
       .decides_samples = true},
      {.name = "num_samples",
       .type = OptionType::kInteger,
       .doc = "How many samples random_with_replacement and the weighted samplers draw per epoch. "
              "Unset: as many as the data set has.",
       .unit = "samples",
       .min = 1,
       .max = 9007199254740992.0,
       .decides_samples = true},
  };
}

void check_sampler(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  const bool shuffle = resolved.flag("loader.shuffle");
  const bool sampler = resolved.has("loader.sampler");
  const auto refuse = [&](const char* option, const std::string& reason) {
    facts.swept ? sink.skip(reason) : sink.error(option, reason);
  };
  const data::DataKind& kind = data::data_kind(resolved);
  if (kind.iterable && (shuffle || sampler)) {
    refuse(shuffle ? "loader.shuffle" : "loader.sampler",
           formatted(
               "data.kind {} is iterable: there are no indices to shuffle; use data.shuffle_buffer",
               kind.variant.name));
    return;
  }
  const std::string chosen = sampler ? resolved.text("loader.sampler") : std::string();
  const bool weighted = chosen.starts_with("weighted");
  if (weighted != resolved.has("loader.weights")) {
    refuse("loader.weights",
           weighted ? formatted("sampler {} needs weights: balanced, or a file", chosen)
                    : "only the samplers weighted and weighted_without_replacement "
                      "have weights; set sampler: weighted");
    return;
  }
  if (resolved.has("loader.num_samples") && !weighted && chosen != "random_with_replacement") {
    refuse("loader.num_samples",
           "belongs to the samplers random_with_replacement, weighted and "
           "weighted_without_replacement; the others take every sample once");
    return;
  }
  if (!sampler) return;
  if (shuffle) {
    refuse("loader.sampler", "sampler and shuffle exclude each other; leave out shuffle");
    return;
  }
  if (weighted || chosen == "random_with_replacement") return;
  resolved.options["loader.shuffle"] = chosen == "random";
  resolved.options["loader.sampler"] = Value{};
}

namespace {

constexpr std::int64_t kMinWindows = 11;  // minimum for active: auto

class ScheduleOfCase {
 public:
  explicit ScheduleOfCase(ResolvedCase& resolved) : resolved_(resolved) {}

  [[nodiscard]] bool automatic() const {
    return *resolved_.options.get("schedule.active") == Value(std::string("auto"));
  }
  [[nodiscard]] std::int64_t steps(const char* option) const {
    return resolved_.integer_or(option, 0);
  }
  void raise(const char* option, std::int64_t least) {
    if (steps(option) >= least) return;
    resolved_.options[option] = least;
    raised_ = true;
  }
  [[nodiscard]] bool raised() const { return raised_; }

 private:
  ResolvedCase& resolved_;
  bool raised_ = false;
};

// The warm-up must cover the batches that loader.alone: step keeps.
void fit_kept_batches(ResolvedCase& resolved, const RuleFacts& facts) {
  const std::int64_t cached_batches = cached_batch_count(resolved);
  if (cached_batches == 0 || facts.smoke || !resolved.has("schedule.active")) return;
  const std::int64_t of_a_step =
      std::max<std::int64_t>(1, resolved.integer_or("model.accumulate", 1));
  ScheduleOfCase(resolved).raise("schedule.warmup", cached_batches / of_a_step + 2);
}

}  // namespace

void fit_schedule(std::int64_t turns, ResolvedCase& resolved, const RuleFacts& facts,
                  RuleSink& sink) {
  if (resolved.has("loader.epochs") && resolved.text("loader.epochs") == "separate" &&
      !facts.smoke) {
    sink.note(
        "loader.epochs: separate: a window is whole epochs where one fits into it, and else lies "
        "between two borders, so that what they cost is not measured; each launch says which");
  }
  fit_kept_batches(resolved, facts);
  const std::int64_t workers = resolved.integer("loader.num_workers");
  const bool has_schedule = resolved.has("schedule.active");
  if (workers == 0 || facts.smoke || !has_schedule || !resolved.has("loader.prefetch_factor")) {
    return;
  }
  ScheduleOfCase schedule(resolved);
  const std::int64_t queue = workers * resolved.integer("loader.prefetch_factor");
  const std::int64_t refill = std::max(2 * queue + 2, schedule.steps("schedule.refill"));
  const std::int64_t block =
      std::lcm(workers, std::max<std::int64_t>(schedule.steps("schedule.block"), 1));
  resolved.options["schedule.block"] = block;
  resolved.options["schedule.refill"] = refill;

  const char* window = schedule.automatic() ? "schedule.window" : "schedule.active";
  const std::int64_t least = std::max(schedule.steps(window), turns * workers);
  schedule.raise(window, (least + block - 1) / block * block);
  if (schedule.automatic()) {
    schedule.raise("schedule.max_active", kMinWindows * schedule.steps(window));
  }
  const bool waits = schedule.steps("schedule.skip_first_wait") == 0;
  schedule.raise("schedule.warmup", refill - (waits ? schedule.steps("schedule.wait") : 0));
  if (!schedule.raised()) return;
  sink.plan_note(
      formatted("the workers of a loader deliver in turns: where the file asks for less, `active` "
                "is raised to a multiple of num_workers, at least {} times it, and wait + warmup "
                "to 2 * num_workers * prefetch_factor + 2",
                turns));
}

void fit_loader_schedule(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  fit_schedule(24, resolved, facts, sink);
}

void fit_step_schedule(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  fit_schedule(6, resolved, facts, sink);
}

}  // namespace stepbench::loader
