// Requests with LoRA adapters beside requests without: answers, cache keys, files, devices.

#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <iterator>

#include "engine/memory/memory_estimate.h"
#include "tests/engine/engine/ahead_engine.h"
#include "tests/engine/engine/persona_chat.h"
#include "tests/support/must.h"
#include "tests/support/random_adapter.h"

using namespace quire;
using test::must;

class TestEngineAdapters : public QObject {
  Q_OBJECT

 private:
  std::filesystem::path adapter(uint32_t seed) {
    const std::filesystem::path folder =
        m_folder->path().toStdString() + "/" + std::to_string(seed);
    if (!std::filesystem::exists(folder)) write_random_adapter(folder, seed);
    return folder;
  }
  static AdapterId add(Llm& llm, const std::filesystem::path& path) {
    const auto added = llm.engine().add_adapter(path);
    if (!added) qFatal("%s", added.error().message.c_str());
    return *added;
  }
  static Request request(int64_t chat, AdapterId adapter) {
    Request request = chat_request(chat, random_tokens(40, static_cast<uint32_t>(chat)), 12);
    request.adapter = adapter;
    return request;
  }

  std::unique_ptr<QTemporaryDir> m_folder;

 private slots:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  void answers_doNotDependOnNeighboursWithOtherAdapters() {
    Llm bare = open_draft();
    const Completion plain = answer(bare, request(1, 0));
    Llm llm = open_draft({.prefix_cache = false});
    const AdapterId first = add(llm, adapter(1)), second = add(llm, adapter(2));
    QVERIFY(first != 0 && second != 0 && first != second);
    QVERIFY(same_answer(answer(llm, request(1, 0)), plain));
    const Completion alone = answer(llm, request(1, first));
    const Completion other = answer(llm, request(1, second));
    QVERIFY(!same_answer(alone, plain));
    QVERIFY(!same_answer(alone, other));
    std::vector<Request> requests;
    for (const AdapterId id : {first, 0, second, first, 0, second, first}) {
      requests.push_back(request(1, id));
    }
    const std::vector<Completion> together = llm.generate(requests);
    for (size_t i = 0; i < requests.size(); ++i) {
      const AdapterId id = requests[i].adapter;
      QVERIFY(same_answer(together[i], id == 0 ? plain : id == first ? alone : other));
    }
  }

  void cachedPrefixes_areOfOneAdapterAlone() {
    auto store = std::make_shared<MemoryPrefixStore>();
    store->keeps_chats = true;
    Completion alone;
    {
      Llm llm = open_draft({.prefix_store = store});
      const AdapterId id = add(llm, adapter(1));
      answer(llm, request(1, 0));
      const std::vector<TokenId> prompt = request(1, 0).prompt;
      QVERIFY(llm.engine().count_cached(prompt) >= kPersonaTokens / kBlockSize * kBlockSize);
      QCOMPARE(llm.engine().count_cached(prompt, id), 0);
      QCOMPARE(llm.engine().holding(prompt, id).resident_tokens, 0);
      alone = answer(llm, request(1, id));
      QCOMPARE(alone.usage.cached_tokens, 0);
      QVERIFY(llm.engine().count_cached(prompt, id) > 0);
      const Completion again = answer(llm, request(2, id));
      QVERIFY(again.usage.cached_tokens >= kPersonaTokens / kBlockSize * kBlockSize);
      while (llm.engine().has_work()) llm.engine().step();
    }
    // What was stored is found after a restart, by the adapter's contents and not its number.
    Llm restarted = open_draft({.prefix_store = store});
    add(restarted, adapter(2));
    const AdapterId id = add(restarted, adapter(1));
    const Completion same = answer(restarted, request(1, id));
    QVERIFY(same.usage.disk_tokens > 0);
    QVERIFY(same_answer(same, alone));
    const Completion second = answer(restarted, request(1, add(restarted, adapter(2))));
    QCOMPARE(second.usage.cached_tokens, 0);
  }

  void waitingRequests_doNotWaitForAnotherAdaptersPrefix() {
    Llm llm = open_draft();
    const AdapterId id = add(llm, adapter(1));
    const Completion alone = answer(llm, request(5, id));
    Llm fresh = open_draft();
    const AdapterId same = add(fresh, adapter(1));
    const auto answers = fresh.generate({request(4, 0), request(5, same)});
    QVERIFY(same_answer(answers[1], alone));
    QCOMPARE(answers[1].usage.cached_tokens, 0);
  }

  void preemptedRequests_goOnWithTheirAdapter() {
    const Request wanted = [&] {
      Request request = chat_request(1, random_tokens(40, 1), 60);
      return request;
    }();
    Llm roomy = open_draft({.max_context = 1200});
    Request adapted = wanted;
    adapted.adapter = add(roomy, adapter(1));
    const Completion expected = answer(roomy, adapted);
    const size_t block = roomy.engine().stats().bytes_per_block;
    Llm narrow = open_draft({.max_context = 1200, .kv_bytes = 80 * block, .host_kv_bytes = 0});
    adapted.adapter = add(narrow, adapter(1));
    std::vector<Request> requests;
    for (int chat = 0; chat < 3; ++chat) {
      requests.push_back(adapted);
      requests.back().prompt =
          joined(random_tokens(300, static_cast<uint32_t>(50 + chat)), random_tokens(200, 3));
      requests.back().persona_tokens = 0;
      requests.back().message_starts.clear();
      requests.back().sampling.max_tokens = 200;
    }
    Llm again = open_draft({.max_context = 1200, .prefix_cache = false});
    const AdapterId id = add(again, adapter(1));
    const auto answers = narrow.generate(requests);
    int preemptions = 0;
    for (size_t i = 0; i < answers.size(); ++i) {
      preemptions += answers[i].usage.preemptions;
      Request one = requests[i];
      one.adapter = id;
      QVERIFY(same_answer(answers[i], answer(again, one)));
    }
    QVERIFY(preemptions > 0);
    QVERIFY(expected.tokens.size() == 60);
  }

  void changedFiles_areAnotherAdapter() {
    Llm llm = open_draft();
    const std::filesystem::path path = adapter(1);
    const AdapterId id = add(llm, path);
    QCOMPARE(add(llm, path), id);
    const Completion before = answer(llm, request(1, id));
    write_random_adapter(path, 9);
    std::filesystem::last_write_time(
        path / "adapter_model.safetensors",
        std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
    const AdapterId changed = add(llm, path);
    QVERIFY(changed != id);
    const Completion after = answer(llm, request(1, changed));
    QCOMPARE(after.usage.cached_tokens, 0);
    QVERIFY(!same_answer(before, after));
  }

  void manyAdapters_makeRoomForEachOther() {
    Llm llm = open_draft();
    const AdapterId first = add(llm, adapter(1));
    const Completion expected = answer(llm, request(1, first));
    for (uint32_t seed = 2; seed <= 20; ++seed) add(llm, adapter(seed));
    Request gone = request(1, first);
    const auto refused = llm.engine().submit(gone);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::kInvalidArgument);
    QVERIFY(same_answer(answer(llm, request(1, add(llm, adapter(1)))), expected));
  }

  /// What is refused is refused before another one leaves: a damaged file, or one for other layers.
  void refusedAdapters_unloadNoOther() {
    Llm llm = open_draft();
    for (uint32_t seed = 1; seed <= 16; ++seed) add(llm, adapter(seed));
    const std::filesystem::path other = adapter(17), damaged = adapter(18);
    std::fstream file(other / "adapter_model.safetensors",
                      std::ios::binary | std::ios::in | std::ios::out);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    for (size_t at = 0; (at = text.find("layers.2.", at)) != text.npos;) text[at + 7] = '7';
    file.clear();
    file.seekp(0);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    std::filesystem::resize_file(damaged / "adapter_model.safetensors", 2000);
    for (const auto& path : {other, damaged}) {
      QVERIFY(!llm.engine().add_adapter(path));
      for (uint32_t seed = 1; seed <= 16; ++seed) {
        QVERIFY(llm.engine().find_adapter(adapter(seed)).has_value());
      }
    }
    QVERIFY(llm.engine().add_adapter(adapter(19)).has_value());
    QVERIFY(!llm.engine().find_adapter(adapter(1)).has_value());
  }

  /// Counted when they are loaded, and no more when they are unloaded.
  void stats_countLoadedAdapters() {
    Llm llm = open_draft();
    QCOMPARE(llm.engine().stats().num_adapters, 0);
    QCOMPARE(llm.engine().stats().adapter_bytes, size_t{0});
    add(llm, adapter(1));
    const size_t one = llm.engine().stats().adapter_bytes;
    // Per layer: A and B of the queries and of the down projection, in f32.
    QVERIFY(one >= 3 * (4 * 128 + 4 * 128 + 4 * 384 + 4 * 128) * sizeof(float));
    for (uint32_t seed = 2; seed <= 17; ++seed) add(llm, adapter(seed));
    QCOMPARE(llm.engine().stats().num_adapters, 16);
    QCOMPARE(llm.engine().stats().adapter_bytes, 16 * one);
    llm.engine().release_devices();
    QCOMPARE(llm.engine().stats().adapter_bytes, size_t{0});
  }

  void adaptersInUse_areNotUnloaded() {
    Llm llm = open_draft();
    std::vector<RequestId> running;
    for (uint32_t seed = 1; seed <= 16; ++seed) {
      const auto id = llm.engine().submit(request(seed, add(llm, adapter(seed))));
      QVERIFY(id.has_value());
      running.push_back(*id);
    }
    const auto refused = llm.engine().add_adapter(adapter(17));
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::kOutOfMemory);
    llm.engine().cancel(running.front());
    QVERIFY(llm.engine().add_adapter(adapter(17)).has_value());
  }

  void missingFiles_areAnErrorAndNoAnswer() {
    Llm llm = open_draft();
    const auto missing = llm.engine().add_adapter(m_folder->path().toStdString() + "/none");
    QVERIFY(!missing);
    QCOMPARE(missing.error().code, ErrorCode::kNotFound);
    QVERIFY(!llm.engine().submit(request(1, 3)));
    const auto opened = Llm::open({.model_path = draft_model_folder(),
                                   .backend = {.device = "cpu", .num_threads = 1},
                                   .engine = {.adapters = {m_folder->path().toStdString() + "/x"}},
                                   .load = {}});
    QVERIFY(!opened);
    QCOMPARE(opened.error().code, ErrorCode::kNotFound);
  }

  /// An asynchronous device with graphs: steps with adapters are neither captured nor run ahead.
  void asynchronousDevices_giveTheSameAnswers() {
    Llm llm = open_draft({.prefix_cache = false});
    const AdapterId id = add(llm, adapter(1));
    const Completion plain = answer(llm, request(1, 0)), adapted = answer(llm, request(1, id));
    const auto control = std::make_shared<AheadControl>();
    AheadEngine served({}, control);
    Engine& engine = *served.engine;
    const AdapterId same = must(engine.add_adapter(adapter(1)));
    std::map<RequestId, std::vector<TokenId>> tokens;
    std::map<RequestId, bool> has_adapter;
    for (const AdapterId with : {same, 0, same}) {
      Request wanted = request(1, with);
      wanted.sampling.num_logprobs = 0;
      has_adapter[must(engine.submit(wanted))] = with != 0;
    }
    for (int step = 0; engine.has_work(); ++step) {
      if (step == 12) control->fault = AheadControl::Fault{.operations_left = 5};
      for (const RequestEvent& event : engine.step()) {
        auto& answer = tokens[event.id];
        answer.insert(answer.end(), event.tokens.begin(), event.tokens.end());
      }
      if (engine.device_failure()) served.reopen();
    }
    QCOMPARE(control->num_failures, 1);
    QCOMPARE(control->num_violations, 0);
    QCOMPARE(tokens.size(), size_t{3});
    for (const auto& [request, answer] : tokens) {
      QCOMPARE(answer, has_adapter.at(request) ? adapted.tokens : plain.tokens);
    }
  }

  void changedFiles_areNotReadAgainAfterAFailure() {
    const auto control = std::make_shared<AheadControl>();
    AheadEngine served({}, control);
    must(served.engine->add_adapter(adapter(1)));
    write_random_adapter(adapter(1), 9);
    const auto reopened = served.engine->reopen(draft_model_folder(), {}, served.devices);
    QVERIFY(!reopened);
    QVERIFY(reopened.error().message.find("has changed since it was loaded") != std::string::npos);
  }

  void memoryEstimate_includesAdapters() {
    MemoryEstimateInput input{.path = draft_model_folder(), .num_threads = 1};
    for (const DeviceInfo& device : list_devices()) {
      if (device.name == "cpu") input.devices = {device};
    }
    const auto without = estimate_memory(input);
    QVERIFY(without.has_value());
    input.engine.adapters = {adapter(1)};
    const auto with = estimate_memory(input);
    QVERIFY2(with.has_value(), with ? "" : with.error().message.c_str());
    // Per layer: A and B of the queries and of the down projection, in f32.
    const uint64_t numbers = 3 * (4 * 128 + 4 * 128 + 4 * 384 + 4 * 128);
    const uint64_t more = with->parts[0].weight_bytes - without->parts[0].weight_bytes;
    QVERIFY(more >= numbers * sizeof(float));
    QVERIFY(with->parts[0].work_bytes > without->parts[0].work_bytes);
  }
};

QTEST_GUILESS_MAIN(TestEngineAdapters)
#include "tst_engine_adapters.moc"
