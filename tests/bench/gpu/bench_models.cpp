#include "tests/bench/gpu/bench_models.h"

#include <algorithm>
#include <vector>

#include "tests/bench/gpu/profile.h"
#include "tests/bench/gpu/step_runner.h"
#include "tests/bench/gpu/timing.h"

namespace quire::bench {
namespace {

/// One kind of step: chats that decode, or one that is prefilled.
struct Scenario {
  std::string name;  ///< Behind the model's.
  ChatShape chats;
  bool is_profiled = false;
  bool is_decode() const { return chats.rows == 1; }
};

/// Steps that a decoding scenario runs at most, warm-up included.
constexpr int kRoom = 96;

std::vector<Scenario> scenarios(const Options& options) {
  const int prefix = options.is_tiny ? 40 : 1000;
  const int context = prefix + (options.is_tiny ? 8 : 64);
  const auto decode = [&](const char* name, int chats, bool is_shared, bool is_profiled) {
    return Scenario{name,
                    {.num_chats = chats,
                     .context = context,
                     .shared_prefix = is_shared ? prefix : 0,
                     .room = kRoom},
                    is_profiled};
  };
  const auto prefill = [](const std::string& name, int rows, bool is_profiled) {
    return Scenario{name, {.rows = rows, .context = rows}, is_profiled};
  };
  if (options.is_tiny) {
    return {decode("decode, 1 chat", 1, false, true),
            decode("decode, 3 chats, shared prefix", 3, true, false),
            prefill("prefill 24", 24, true)};
  }
  return {decode("decode, 1 chat", 1, false, true),
          decode("decode, 16 chats", 16, false, false),
          decode("decode, 64 chats", 64, false, false),
          decode("decode, 64 chats, shared prefix", 64, true, true),
          prefill("prefill 512", 512, false),
          prefill("prefill 4096", 4096, true)};
}

double median(std::vector<double> x) {
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  std::nth_element(x.begin(), middle, x.end());
  return *middle;
}

/// How steps are submitted.
struct Submission {
  bool as_graph = true;
  bool is_ahead = true;  ///< Each while the one before runs.
};

/// Seconds of a step: the median of those that a second holds, eight at least, after three more.
/// Leaves decoding chats as long as they were half-way, which is what the median is of.
Result<double> seconds_per_step(StepRunner& runner, const Submission& how, const Options& options) {
  constexpr size_t kWarmUp = 3;
  const size_t least = kWarmUp + 8, most = options.is_tiny ? 4 + kWarmUp : kRoom;
  const double budget = options.is_quick ? 0.4 : 1.0;
  std::vector<double> seconds;
  runner.restart(0);
  if (how.is_ahead) runner.start(how.as_graph);
  const double first = now_seconds();
  double begin = first;
  while (seconds.size() < most && (seconds.size() < least || begin - first < budget)) {
    runner.start(how.as_graph);
    if (auto done = runner.finish(); !done) return done.error();
    const double end = now_seconds();
    seconds.push_back(end - begin);
    begin = end;
  }
  if (how.is_ahead) {
    if (auto done = runner.finish(); !done) return done.error();
  }
  if (runner.batch().shape().rows == 1) runner.restart(static_cast<int>(seconds.size() / 2));
  return median({seconds.begin() + kWarmUp, seconds.end()});
}

/// A model and what is measured of it.
class ModelBench {
 public:
  ModelBench(const Bench& bench, Llama& llama, std::string name)
      : m_bench(bench), m_llama(llama), m_name(std::move(name)) {}

  void run(const Scenario& scenario) {
    const std::string name = m_name + " " + scenario.name;
    auto runner = StepRunner::create(m_bench.backend, m_llama, scenario.chats);
    if (!runner) return m_bench.report.add_error(name, runner.error(), m_bench.backend);
    const auto done = scenario.is_decode() ? decode(**runner, name) : prefill(**runner, name);
    if (!done) return m_bench.report.add_error(name, done.error(), m_bench.backend);
    if (!scenario.is_profiled) return;
    const auto profiled = profile(**runner, name, scenario.is_decode());
    if (!profiled)
      m_bench.report.add_error(name + ": launch gaps", profiled.error(), m_bench.backend);
  }

  /// The tables of the steps that were profiled.
  struct Table {
    std::string name;
    std::vector<ProfileRow> rows;
  };
  const std::vector<Table>& tables() const { return m_tables; }

 private:
  Result<void> decode(StepRunner& runner, const std::string& name) {
    const auto step = seconds_per_step(runner, {}, m_bench.options);
    if (!step) return step.error();
    const Cost cost = m_llama.cost(runner.batch(), runner.kv_dtype());
    const double chats = runner.batch().shape().num_chats;
    Values values = {{"tokens/s", chats / *step}, {"ms a step", *step * 1e3}};
    add_bytes(values, m_bench.ceilings, cost.bytes, *step);
    if (chats == 1) m_one_chat = 1.0 / *step;
    if (m_one_chat > 0.0) values.emplace_back("times one chat", chats / *step / m_one_chat);
    m_last_step = *step;
    if (auto compared = compare_submissions(runner, values); !compared) return compared;
    m_bench.report.add(name, values);
    return {};
  }

  /// How much longer the step is without what hides the host's work.
  Result<void> compare_submissions(StepRunner& runner, Values& values) {
    if (!m_bench.backend.captures_graphs()) return {};
    const auto plain = seconds_per_step(runner, {.as_graph = false}, m_bench.options);
    if (!plain) return plain.error();
    values.emplace_back("times as long with no graphs", *plain / m_last_step);
    const auto waited = seconds_per_step(runner, {.is_ahead = false}, m_bench.options);
    if (!waited) return waited.error();
    values.emplace_back("times as long if each is waited for", *waited / m_last_step);
    return {};
  }

  Result<void> prefill(StepRunner& runner, const std::string& name) {
    const Cost cost = m_llama.cost(runner.batch(), runner.kv_dtype());
    const auto step =
        seconds_per_step(runner, {.as_graph = false, .is_ahead = false}, m_bench.options);
    if (!step) return step.error();
    Values values = {{"tokens/s", runner.batch().num_tokens() / *step}, {"ms a step", *step * 1e3}};
    add_flops(values, m_bench.ceilings, cost.flops, *step);
    m_last_step = *step;
    m_bench.report.add(name, values);
    return {};
  }

  Result<void> profile(StepRunner& runner, const std::string& name, bool is_decode) {
    auto rows = profile_step(m_bench, runner, is_decode);
    if (!rows) return rows.error();
    const double sum = sum_of_seconds(*rows);
    m_bench.report.add(name + ": launch gaps", {{"launch gaps", 1.0 - sum / m_last_step},
                                                {"ms a step", m_last_step * 1e3},
                                                {"ms of operations", sum * 1e3}});
    m_tables.push_back({name, std::move(*rows)});
    return {};
  }

  const Bench& m_bench;
  Llama& m_llama;
  std::string m_name;
  double m_one_chat = 0.0;  ///< Tokens a second; 0 before it was measured.
  double m_last_step = 0.0;
  std::vector<Table> m_tables;
};

struct ModelCase {
  LlamaShape shape;
  DType dtype;
};

std::vector<ModelCase> models_of(const Options& options) {
  const std::vector<DType> all = {DType::kBF16, DType::kQ8_0, DType::kQ4_K};
  std::vector<ModelCase> models;
  if (options.is_tiny) return {{llama_tiny(), DType::kBF16}, {llama_tiny(), DType::kQ4_K}};
  if (options.is_quick || !options.wants("models")) {
    return {{llama_8b(), DType::kBF16}, {llama_8b(), DType::kQ4_K}};
  }
  for (const LlamaShape& shape : {llama_1b(), llama_8b()}) {
    for (const DType dtype : all) models.push_back({shape, dtype});
  }
  return models;
}

std::string name_of(const ModelCase& model) {
  return model.shape.name + " " + std::string(dtype_name(model.dtype));
}

Result<std::unique_ptr<Llama>> create_model(const Bench& bench, const ModelCase& model,
                                            const std::vector<Scenario>& steps) {
  Llama::Limits limits;
  for (const Scenario& scenario : steps) {
    limits.max_tokens = std::max(limits.max_tokens, scenario.chats.num_chats * scenario.chats.rows);
    limits.max_chats = std::max(limits.max_chats, scenario.chats.num_chats);
  }
  return Llama::create(bench.backend, model.shape, model.dtype, limits);
}

void bench_model(const Bench& bench, const ModelCase& model, const std::vector<Scenario>& steps,
                 std::vector<ModelBench::Table>& tables) {
  auto llama = create_model(bench, model, steps);
  if (!llama) {
    for (const Scenario& scenario : steps) {
      bench.report.add_error(name_of(model) + " " + scenario.name, llama.error(), bench.backend);
    }
    return;
  }
  ModelBench measured(bench, **llama, name_of(model));
  for (const Scenario& scenario : steps) measured.run(scenario);
  tables.insert(tables.end(), measured.tables().begin(), measured.tables().end());
}

}  // namespace

void bench_models(const Bench& bench) {
  std::vector<ModelBench::Table> tables;
  std::vector<Scenario> steps = scenarios(bench.options);
  bench.report.begin_section("models", "whole steps, random weights; decode behind " +
                                           std::to_string(steps.front().chats.context) + " tokens");
  // For the profile alone, only what it shows.
  if (!bench.options.wants("models")) {
    std::erase_if(steps, [](const Scenario& scenario) { return !scenario.is_profiled; });
  }
  for (const ModelCase& model : models_of(bench.options)) {
    bench_model(bench, model, steps, tables);
  }
  if (!bench.options.wants("profile")) return;
  bench.report.begin_section("profile", "each operation of a step by itself, all layers' together");
  for (const ModelBench::Table& table : tables) {
    if (!table.name.starts_with("1b")) report_profile(bench, table.name, table.rows);
  }
}

void bench_models_not_invariant(const Bench& bench) {
  std::vector<Scenario> steps = scenarios(bench.options);
  std::erase_if(steps, [](const Scenario& scenario) { return scenario.is_decode(); });
  for (Scenario& scenario : steps) {
    scenario.name += ", not batch-invariant";
    scenario.is_profiled = false;
  }
  std::vector<ModelBench::Table> none;
  const LlamaShape shape = bench.options.is_tiny ? llama_tiny() : llama_8b();
  bench_model(bench, {shape, DType::kBF16}, steps, none);
}

}  // namespace quire::bench
