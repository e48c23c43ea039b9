#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <string>
#include <vector>

#include "engine/draft_loading.h"
#include "engine/llm.h"
#include "engine/memory/memory_estimate.h"
#include "engine/models/draft_layers.h"
#include "tests/engine/engine/compare_answers.h"
#include "tests/support/draft_like.h"
#include "tests/support/memory_prefix_store.h"
#include "tests/support/random_adapter.h"

using namespace quire;

namespace fs = std::filesystem;

namespace {

Llm open(const fs::path& model, EngineOptions options) {
  options.max_context = 512;
  auto llm = Llm::open({.model_path = model.string(),
                        .backend = {.device = "cpu", .num_threads = 2},
                        .engine = std::move(options),
                        .load = {}});
  if (!llm) qFatal("%s", llm.error().message.c_str());
  return std::move(*llm);
}

/// Chats of all temperatures, with penalties, stop strings and log probabilities; some begin alike.
std::vector<Request> some_chats(int count) {
  std::vector<Request> requests;
  for (int i = 0; i < count; ++i) {
    std::vector<TokenId> prompt;
    for (int j = 0; j < 40 + i % 7; ++j) prompt.push_back(300 + (j * 37 + i / 4 * j) % 3000);
    requests.push_back({.prompt = std::move(prompt),
                        .sampling = varied_sampling(i, {"the", "."}),
                        .chat = i + 1,
                        .persona_tokens = 20});
  }
  return requests;
}

/// Sums the drafts of answers.
struct Drafts {
  int drafted = 0;
  int accepted = 0;

  void add(const Completion& found) {
    drafted += found.usage.drafted_tokens;
    accepted += found.usage.accepted_tokens;
  }
};

}  // namespace

/// A model's own layers for multi-token prediction, and Medusa heads, as drafters.
class TestOwnDrafts : public QObject {
  Q_OBJECT

 private:
  fs::path folder(const char* name) const { return fs::path(m_folder.path().toStdString()) / name; }
  /// Writes the model, and returns the options with which it guesses.
  EngineOptions write(const QString& model) const {
    EngineOptions options = {.speculation = SpeculationMode::kAlways};
    if (model.startsWith("counting")) {
      write_counting_model(folder("model"));
      if (model.endsWith("Medusa")) {
        write_counting_heads(folder("heads"));
        options.medusa_heads = folder("heads");
      }
    } else {
      write_draft_like(model.toStdString(), folder("model"),
                       {.mtp_like = model.startsWith("qwen") ? 1 : 2});
    }
    return options;
  }

  QTemporaryDir m_folder;

 private slots:
  void drafts_changeNoAnswer_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<int>("together");
    QTest::addColumn<int>("blocks");  // Of the pool; 0: enough for all.
    for (const char* model :
         {"glm4_moe", "deepseek_v3", "qwen3_5", "counting", "counting, Medusa"}) {
      QTest::addRow("%s, alone", model) << model << 1 << 0;
      QTest::addRow("%s, sixteen together", model) << model << 16 << 0;
      QTest::addRow("%s, preempted", model) << model << 16 << 12;
    }
  }
  void drafts_changeNoAnswer() {
    QFETCH(const QString, model);
    QFETCH(const int, together);
    QFETCH(const int, blocks);
    EngineOptions options = write(model);
    Llm plain = open(folder("model"), {.speculation = SpeculationMode::kOff});
    if (blocks > 0) {
      Llm sized = open(folder("model"), options);
      const EngineStats stats = sized.engine().stats();
      // States take a quarter; they limit what runs together before blocks do.
      options.kv_bytes = std::max<uint64_t>(uint64_t(blocks) * stats.bytes_per_block,
                                            4 * 5 * stats.bytes_per_state);
    }
    Llm llm = open(folder("model"), options);
    QVERIFY(llm.model().decoder->draft_layers() != nullptr);
    const std::vector<Request> requests = some_chats(is_long() ? 112 : 16);
    Drafts drafts;
    for (size_t first = 0; first < requests.size(); first += size_t(together)) {
      const std::vector<Request> some(requests.begin() + std::ptrdiff_t(first),
                                      requests.begin() + std::ptrdiff_t(first) + together);
      const auto found = llm.generate(some), expected = plain.generate(some);
      for (size_t i = 0; i < some.size(); ++i) {
        compare(found[i], expected[i]);
        if (QTest::currentTestFailed()) return;
        drafts.add(found[i]);
      }
    }
    const EngineStats stats = llm.engine().stats();
    qInfo("%d drafts, %d accepted, %d preemptions", drafts.drafted, drafts.accepted,
          int(stats.preemptions));
    QVERIFY(drafts.drafted > 0);
    const bool is_tight = blocks > 0 && stats.bytes_per_state == 0 && !model.startsWith("counting");
    QVERIFY(!is_tight || stats.preemptions > 0);
    QCOMPARE(stats.used_blocks, 0);
  }

  /// The model that counts: its guesses are wrong if one reads another token's, position's or
  /// sequence's state.
  void guesses_areRight_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<int>("together");
    QTest::addColumn<int>("budget");  // Of a step, so that prompts are cut into chunks.
    for (const char* model : {"counting", "counting, Medusa"}) {
      QTest::addRow("%s, alone", model) << model << 1 << 512;
      QTest::addRow("%s, together", model) << model << 8 << 512;
      QTest::addRow("%s, in chunks", model) << model << 8 << 16;
    }
  }
  void guesses_areRight() {
    QFETCH(const QString, model);
    QFETCH(const int, together);
    QFETCH(const int, budget);
    EngineOptions options = write(model);
    options.max_batch_tokens = budget;
    options.max_sequences = 8;
    Llm llm = open(folder("model"), options);
    std::vector<Request> requests = some_chats(together);
    for (Request& request : requests) {
      request.sampling = {.temperature = 0.0f, .max_tokens = 40, .ignore_eos = true};
    }
    Drafts drafts;
    for (const Completion& found : llm.generate(requests)) {
      for (size_t i = 1; i < found.tokens.size(); ++i) {
        QCOMPARE(found.tokens[i], (found.tokens[i - 1] + 1) % 4096);
      }
      drafts.add(found);
    }
    qInfo("%d drafts, %d accepted", drafts.drafted, drafts.accepted);
    QVERIFY(drafts.accepted > 20 * together);
    QVERIFY(drafts.accepted > 0.9 * drafts.drafted);
  }

  /// The text does not repeat itself, so without the layer no guess is right.
  void guesses_areTheLayers() {
    EngineOptions options = write("counting");
    options.draft_layers = false;
    Llm llm = open(folder("model"), options);
    QVERIFY(llm.model().decoder->draft_layers() == nullptr);
    std::vector<Request> requests = some_chats(1);
    requests[0].sampling = {.temperature = 0.0f, .max_tokens = 40, .ignore_eos = true};
    QCOMPARE(llm.generate(requests).front().usage.accepted_tokens, 0);
  }

  /// Blocks that a later turn finds, also after a restart, hold the draft layer's keys and values.
  void nextTurns_findTheirBlocks() {
    EngineOptions options = write("glm4_moe");
    const auto store = std::make_shared<MemoryPrefixStore>();
    store->keeps_chats = true;
    options.prefix_store = store;
    Llm plain = open(folder("model"), {.speculation = SpeculationMode::kOff});
    std::vector<Request> requests = some_chats(1);
    requests[0].sampling = {.temperature = 0.0f, .max_tokens = 30, .ignore_eos = true};
    for (int turn = 0; turn < 4; ++turn) {
      Llm llm = open(folder("model"), options);  // As after a restart.
      for (int more = 0; more < 2; ++more) {
        const Completion found = llm.generate(requests).front();
        compare(found, plain.generate(requests).front());
        if (QTest::currentTestFailed()) return;
        const int known = int(requests[0].prompt.size()) - 20;
        if (turn > 0) QVERIFY(found.usage.cached_tokens >= known / kBlockSize * kBlockSize - 16);
        auto& prompt = requests[0].prompt;
        prompt.insert(prompt.end(), found.tokens.begin(), found.tokens.end());
        prompt.insert(prompt.end(), {700 + turn, 701, 702 + more});
      }
    }
  }

  /// Blocks with the draft layer's keys and values have other keys than those without.
  void blocksWithoutTheLayer_areNotFound() {
    EngineOptions options = write("glm4_moe");
    const auto store = std::make_shared<MemoryPrefixStore>();
    store->keeps_chats = true;
    options.prefix_store = store;
    const std::vector<Request> requests = some_chats(1);
    {
      EngineOptions without = options;
      without.draft_layers = false;
      open(folder("model"), without).generate(requests);
    }
    const auto before = store->blocks();
    QVERIFY(!before.empty());
    Llm llm = open(folder("model"), options);
    QCOMPARE(llm.generate(requests).front().usage.cached_tokens, 0);
    QCOMPARE(llm.generate(requests).front().usage.cached_tokens,
             int(requests[0].prompt.size()) - 1);
    QCOMPARE(store->blocks().size(), 2 * before.size());
    for (const auto& [key, block] : before) QVERIFY(store->blocks().contains(key));
  }

  /// The model loads as if the files did not hold the layer.
  void damagedLayer_isNotUsed() {
    EngineOptions options = write("counting");
    std::fstream file(folder("model") / "model.safetensors",
                      std::ios::in | std::ios::out | std::ios::binary);
    std::string header(4096, '\0');
    file.read(header.data(), std::ssize(header));
    const size_t at = header.find("layers.1.enorm");
    QVERIFY(at != std::string::npos);
    file.seekp(std::streamoff(at));
    file << "layers.1.xnorm";
    file.close();
    Llm llm = open(folder("model"), options);
    QVERIFY(llm.model().decoder->draft_layers() == nullptr);
    QVERIFY(!llm.generate(some_chats(1)).front().tokens.empty());
  }

  void theLayer_isLoaded_ifItIsUsed() {
    EngineOptions options = write("counting");
    const auto bytes = [&](EngineOptions wanted) {
      return open(folder("model"), std::move(wanted)).model().decoder->weight_bytes();
    };
    const size_t with = bytes(options), automatic = bytes({});
    const size_t without = bytes({.speculation = SpeculationMode::kOff});
    QVERIFY(with > without);
    QCOMPARE(automatic, with);
    options.draft_layers = false;
    QCOMPARE(bytes(options), without);
  }

  void severalDevices_doWithoutTheLayer() {
    EngineOptions options = write("counting");
    const auto backend = create_backend({.device = "cpu", .num_threads = 1});
    const ModelFiles files = std::move(open_model_files(folder("model"))).value();
    const LayerPlacement one = place_all(**backend, 1);
    QVERIFY(with_draft_layers({}, files, options, one).speculative_layers);
    const LayerPlacement two = {one[0], one[0]};
    QVERIFY(!with_draft_layers({}, files, options, two).speculative_layers);
    options.medusa_heads = folder("heads");
    QVERIFY(check_medusa_heads(options, one).has_value());
    QCOMPARE(check_medusa_heads(options, two).error().code, ErrorCode::kUnsupported);
    options.speculation = SpeculationMode::kOff;
    QVERIFY(!with_draft_layers({}, files, options, one).speculative_layers);
  }

  void estimate_countsWhatGuesses_data() {
    QTest::addColumn<QString>("model");
    QTest::newRow("a layer") << "counting";
    QTest::newRow("Medusa heads") << "counting, Medusa";
  }
  void estimate_countsWhatGuesses() {
    QFETCH(const QString, model);
    EngineOptions options = write(model);
    options.max_context = 512;
    Llm llm = open(folder("model"), options);
    const auto estimate = [&](const EngineOptions& wanted) {
      auto made = estimate_memory({.path = folder("model"),
                                   .engine = wanted,
                                   .num_threads = 2,
                                   .devices = {llm.backend().info()}});
      if (!made) qFatal("%s", made.error().message.c_str());
      return *made;
    };
    EngineOptions off = options;
    off.speculation = SpeculationMode::kOff;
    const MemoryEstimate with = estimate(options), without = estimate(off);
    const size_t more = llm.model().decoder->draft_layers()->size_bytes();
    const auto added = double(with.host().weight_bytes - without.host().weight_bytes);
    QVERIFY2(added >= double(more) && added < 1.05 * double(more) + 65536,
             qPrintable(QString("%1 for %2").arg(added).arg(more)));
    QVERIFY(with.host().work_bytes > without.host().work_bytes);
    // One layer, or two.
    const bool has_cache = llm.model().decoder->draft_layers()->has_cache();
    QCOMPARE(with.host().kv_bytes, (has_cache ? 2 : 1) * without.host().kv_bytes);
  }

  /// Adapters change what the decoder computes and not its layer, which guesses all the same.
  void adapters_keepTheirAnswers() {
    write_draft_with_mtp(folder("draft"));
    write_random_adapter(folder("adapter"), 7);
    Llm plain = open(folder("draft"), {.speculation = SpeculationMode::kOff});
    Llm llm = open(folder("draft"), {.speculation = SpeculationMode::kAlways});
    QVERIFY(llm.model().decoder->draft_layers() != nullptr);
    std::vector<Request> requests = some_chats(8);
    for (Llm* each : {&plain, &llm}) {
      const auto adapter = each->engine().add_adapter(folder("adapter"));
      QVERIFY(adapter && *adapter == 1);
    }
    for (size_t i = 0; i < requests.size(); i += 2) requests[i].adapter = 1;
    const auto found = llm.generate(requests), expected = plain.generate(requests);
    Drafts drafts;
    for (size_t i = 0; i < requests.size(); ++i) {
      compare(found[i], expected[i]);
      if (QTest::currentTestFailed()) return;
      drafts.add(found[i]);
    }
    QVERIFY(drafts.drafted > 0);
  }

  /// With kAuto drafts are computed where they are measured to be faster; none changes an answer.
  void automaticSpeculation_changesNoAnswer() {
    EngineOptions options = write("counting");
    options.speculation = SpeculationMode::kAuto;
    Llm plain = open(folder("model"), {.speculation = SpeculationMode::kOff});
    Llm llm = open(folder("model"), options);
    for (const Request& request : some_chats(8)) {
      compare(llm.generate({request}).front(), plain.generate({request}).front());
      if (QTest::currentTestFailed()) return;
    }
  }
};

QTEST_APPLESS_MAIN(TestOwnDrafts)
#include "tst_own_drafts.moc"
