#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/models/rope.h"
#include "kernels/base/instruction_set.h"
#include "tests/engine/models/model_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

/// Rounding of f32 sums in another order than torch's; measured errors are below 2e-6.
constexpr double kTolerance = 1e-5;

std::string key(int prompt, const char* what) {
  return "prompt_" + std::to_string(prompt) + "." + what;
}

}  // namespace

/// The tiny models of tests/data/models against transformers' logits (float32, eager attention), by
/// every way in which a scheduler may cut the work, on every instruction set of this machine.
class TestDecoder : public QObject {
  Q_OBJECT

 private:
  ModelHarness& harness(const QString& model, const QString& isa) {
    auto& held = m_harnesses[{model, isa}];
    if (!held) {
      held =
          std::make_unique<ModelHarness>(tiny_model_folder(model.toStdString()), isa.toStdString());
    }
    held->release_all();
    return *held;
  }
  static Reference reference(const QString& model) {
    return Reference(tiny_model_folder(model.toStdString()) / "reference.safetensors");
  }
  static void models_and_isas() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("isa");
    for (const std::string& model : tiny_models()) {
      for (const std::string& isa : ModelHarness::available_isas()) {
        QTest::addRow("%s on %s", model.c_str(), isa.c_str())
            << QString::fromStdString(model) << QString::fromStdString(isa);
      }
    }
  }

  /// The prompts' tokens, the longest one last.
  static std::vector<std::vector<int32_t>> prompts(const Reference& reference) {
    std::vector<std::vector<int32_t>> list;
    for (int i = 0; reference.has(key(i, "tokens")); ++i) {
      list.push_back(reference.ints(key(i, "tokens")));
    }
    return list;
  }
  static std::vector<int32_t> longest_prompt(const QString& model) {
    return prompts(reference(model)).back();
  }

  std::map<std::pair<QString, QString>, std::unique_ptr<ModelHarness>> m_harnesses;

 private slots:
  /// The tests of every instruction set leave none out that this processor has.
  void instructionSets_areAllTested() {
    const std::vector<std::string> isas = ModelHarness::available_isas();
    for (const InstructionSet set :
         {InstructionSet::kScalar, InstructionSet::kAvx2, InstructionSet::kAvx512,
          InstructionSet::kAvx512Vnni, InstructionSet::kAvx512Vbmi, InstructionSet::kNeon}) {
      const bool is_there = std::ranges::count(supported_instruction_sets(), set) > 0;
      const std::string name(instruction_set_name(set));
      QVERIFY2((std::ranges::count(isas, name) > 0) == is_there, name.c_str());
    }
  }

  void worstError_isInfiniteWhereThereIsNoNumber() {
    const std::vector<float> good = {1, 2, 3, 4}, short_one = {1, 2};
    QCOMPARE(worst_error(good, good, 2), 0.0);
    QVERIFY(worst_error(std::vector<float>{1, 2, 6, 8}, good, 2) == 1.0);
    QVERIFY(std::isinf(worst_error(short_one, good, 2)));
    QVERIFY(std::isinf(worst_error(std::vector<float>{NAN, 2, 3, 4}, good, 2)));
    QVERIFY(std::isinf(worst_error(std::vector<float>{1, 2, INFINITY, 4}, good, 2)));
    QVERIFY(std::isinf(worst_error(good, std::vector<float>{1, 2, NAN, 4}, 2)));
  }

  void tinyModels_coverEveryArchitecture() {
    std::set<std::string> found;
    for (const std::string& model : tiny_models()) {
      found.insert(harness(QString::fromStdString(model), "scalar").config().architecture);
    }
    for (const char* name :
         {"cohere2",      "ernie4_5",      "ernie4_5-moe",  "exaone4",    "gemma2",
          "gemma3",       "glm4",          "glm4moe",       "gpt2",       "gptneox",
          "gpt-oss",      "granite",       "granitehybrid", "granitemoe", "lfm2",
          "lfm2moe",      "llama",         "minimax-m2",    "mistral",    "mixtral",
          "muse-glimmer", "olmo2",         "olmo3",         "opt",        "phi2",
          "phi3",         "qwen2",         "qwen2moe",      "qwen3",      "qwen3moe",
          "seed_oss",     "smollm3",       "stablelm",      "starcoder2", "deepseek2",
          "deepseek_v3",  "glm4_moe_lite", "mistral4",      "qwen35",     "qwen35moe",
          "qwen3next",    "nemotron_h",    "falcon-h1",     "arcee",      "dots1",
          "apertus",      "hy_v3",         "llama4",        "mistral3",   "hunyuan-dense",
          "hunyuan-moe",  "gemma4",        "gemma3n",       "lfm3"}) {
      QVERIFY2(found.contains(name), name);
    }
  }

  void ropeInvFreq_matchesTransformers_data() {
    QTest::addColumn<QString>("model");
    for (const std::string& model : tiny_models()) {
      QTest::addRow("%s", model.c_str()) << QString::fromStdString(model);
    }
  }
  void ropeInvFreq_matchesTransformers() {
    QFETCH(QString, model);
    const ModelConfig& config = harness(model, "scalar").config();
    const Reference expected = reference(model);
    if (config.layers.back().rope < 0 && !expected.has("full_attention_inv_freq") &&
        !expected.has("inv_freq")) {
      for (const LayerConfig& layer : config.layers) QCOMPARE(layer.rope, -1);
      return;
    }
    std::vector<std::string> kinds = {""};
    if (!expected.has("inv_freq")) kinds = {"full_attention_", "sliding_attention_"};
    QCOMPARE(config.ropes.size(), kinds.size());
    for (size_t kind = 0; kind < kinds.size(); ++kind) {
      const RopeConfig& rope = config.ropes[kind];
      const std::vector<float> wanted = expected.floats(kinds[kind] + "inv_freq");
      const std::vector<float> frequencies = rope_inv_freq(rope, config.head_dim);
      QCOMPARE(frequencies.size(), wanted.size());
      for (size_t i = 0; i < wanted.size(); ++i) {
        // Three units in the last place: torch's vectorised pow() is not correctly rounded.
        QVERIFY2(std::abs(frequencies[i] - wanted[i]) <= 3.6e-7f * wanted[i],
                 qPrintable(QString("%1: %2 and %3").arg(i).arg(frequencies[i]).arg(wanted[i])));
      }
      const std::string factor = kinds[kind] + "attention_factor";
      QCOMPARE(rope_attention_factor(rope), expected.has(factor) ? expected.floats(factor)[0] : 1);
    }
  }

  void prefill_matchesTransformersAtEveryPosition_data() { models_and_isas(); }
  void prefill_matchesTransformersAtEveryPosition() {
    QFETCH(QString, model);
    QFETCH(QString, isa);
    ModelHarness& model_harness = harness(model, isa);
    const Reference expected = reference(model);
    int i = 0;
    for (const std::vector<int32_t>& tokens : prompts(expected)) {
      TestSequence sequence = model_harness.sequence(tokens);
      const auto logits = model_harness.step(sequence, static_cast<int>(sequence.tokens.size()));
      const double error =
          worst_error(logits, expected.floats(key(i, "logits")), model_harness.config().vocab_size);
      QVERIFY2(error < kTolerance, qPrintable(QString("prompt %1: %2").arg(i).arg(error)));
      ++i;
    }
    QVERIFY(i >= 2);
  }

  void chunkedPrefill_equalsWholePrefillBitForBit_data() { models_and_isas(); }
  void chunkedPrefill_equalsWholePrefillBitForBit() {
    QFETCH(QString, model);
    QFETCH(QString, isa);
    ModelHarness& model_harness = harness(model, isa);
    const std::vector<int32_t> tokens = longest_prompt(model);
    TestSequence whole = model_harness.sequence(tokens);
    const auto expected = model_harness.step(whole, static_cast<int>(tokens.size()));
    for (int chunk : {1, 3, 7, 16, 33}) {  // 1 is decoding, a token at a time.
      TestSequence sequence = model_harness.sequence(tokens);
      std::vector<float> logits;
      while (sequence.num_computed < static_cast<int>(tokens.size())) {
        const int left = static_cast<int>(tokens.size()) - sequence.num_computed;
        const auto part = model_harness.step(sequence, std::min(chunk, left));
        logits.insert(logits.end(), part.begin(), part.end());
      }
      QVERIFY2(logits == expected, qPrintable(QString("chunks of %1").arg(chunk)));
    }
  }

  void raggedBatch_givesEachSequenceWhatItGetsAlone_data() { models_and_isas(); }
  void raggedBatch_givesEachSequenceWhatItGetsAlone() {
    QFETCH(QString, model);
    QFETCH(QString, isa);
    ModelHarness& model_harness = harness(model, isa);
    const std::vector<int32_t> tokens = longest_prompt(model);
    const auto size = static_cast<int>(tokens.size());
    TestSequence alone = model_harness.sequence(tokens);
    const auto all_logits = model_harness.step(alone, size);
    const size_t vocab_size = model_harness.config().vocab_size;

    // Three copies at different places of their work: a decode, a chunk and a whole prefill, then
    // on.
    TestSequence decode = model_harness.sequence(tokens), chunk = model_harness.sequence(tokens),
                 prefill = model_harness.sequence(tokens);
    model_harness.step(decode, size * 7 / 10);
    model_harness.step(chunk, size / 10);
    TestSequence* const sequences[] = {&decode, &prefill, &chunk};
    for (const auto& counts :
         {std::array{1, size * 8 / 10, size / 4}, std::array{1, 1, size / 3}}) {
      std::array<int, 3> starts;
      for (int s = 0; s < 3; ++s) starts[s] = sequences[s]->num_computed;
      const auto logits = model_harness.step(sequences, counts);
      size_t row = 0;
      for (int s = 0; s < 3; ++s) {
        const size_t num_logits = counts[s] * vocab_size;
        const std::span found(logits.data() + row * vocab_size, num_logits);
        const std::span wanted(all_logits.data() + starts[s] * vocab_size, num_logits);
        QVERIFY2(std::equal(found.begin(), found.end(), wanted.begin()),
                 qPrintable(QString("sequence %1 from position %2").arg(s).arg(starts[s])));
        row += counts[s];
      }
    }
  }

  void tailAfterAnotherSequencesBlocks_givesTheSameBits_data() { models_and_isas(); }
  void tailAfterAnotherSequencesBlocks_givesTheSameBits() {
    QFETCH(QString, model);
    QFETCH(QString, isa);
    ModelHarness& model_harness = harness(model, isa);
    const std::vector<int32_t> tokens = longest_prompt(model);
    const int shared = (static_cast<int>(tokens.size()) - 1) / kBlockSize * kBlockSize;
    TestSequence first = model_harness.sequence(tokens);
    model_harness.step(first, static_cast<int>(tokens.size()));

    // Another text with the same beginning: alone, and after the blocks that the first one filled.
    std::vector<int32_t> other = tokens;
    std::reverse(other.begin() + shared, other.end());
    other.push_back(tokens[0]);
    const int tail = static_cast<int>(other.size()) - shared;
    TestSequence alone = model_harness.sequence(other), cached = model_harness.sequence(other);
    const auto all = model_harness.step(alone, static_cast<int>(other.size()));
    std::copy_n(first.blocks.begin(), shared / kBlockSize, cached.blocks.begin());
    cached.num_computed = shared;
    cached.state = first.snapshot();
    const auto logits = model_harness.step(cached, tail);
    const size_t count = tail * static_cast<size_t>(model_harness.config().vocab_size);
    QCOMPARE(logits.size(), count);
    QVERIFY(std::equal(logits.begin(), logits.end(), all.end() - static_cast<int64_t>(count)));
  }

  void batchWithoutLogits_stillFillsThePages_data() {
    QTest::addColumn<QString>("model");
    for (const char* model : {"gqa_f32", "gemma4", "gemma3n"}) QTest::newRow(model) << model;
  }
  void batchWithoutLogits_stillFillsThePages() {
    QFETCH(QString, model);
    ModelHarness& model_harness = harness(model, "scalar");
    const auto tokens = reference(model).ints(key(2, "tokens"));
    TestSequence whole = model_harness.sequence(tokens), split = model_harness.sequence(tokens);
    const auto all = model_harness.step(whole, 50);
    TestSequence* const sequences[] = {&split};
    QVERIFY(model_harness.step(sequences, std::array{49}, false).empty());
    const auto last = model_harness.step(split, 1);
    QVERIFY(std::equal(last.begin(), last.end(), all.end() - 160));
  }

  void greedy_matchesTransformersFor64Tokens_data() { models_and_isas(); }
  void greedy_matchesTransformersFor64Tokens() {
    QFETCH(QString, model);
    QFETCH(QString, isa);
    ModelHarness& model_harness = harness(model, isa);
    const Reference expected = reference(model);
    TestSequence sequence = model_harness.sequence(expected.ints("greedy.prompt"));
    const size_t prompt_size = sequence.tokens.size();
    const auto wanted = expected.ints("greedy.tokens");
    const size_t vocab_size = model_harness.config().vocab_size;
    auto logits = model_harness.step(sequence, static_cast<int>(prompt_size));
    for (size_t i = 0; i < wanted.size(); ++i) {
      sequence.tokens.push_back(argmax(std::span(logits).last(vocab_size)));
      if (i + 1 < wanted.size()) logits = model_harness.step(sequence, 1);
    }
    sequence.tokens.erase(sequence.tokens.begin(), sequence.tokens.begin() + prompt_size);
    QCOMPARE(wanted.size(), size_t{64});
    QVERIFY(sequence.tokens == wanted);
  }
};

QTEST_APPLESS_MAIN(TestDecoder)
#include "tst_decoder.moc"
