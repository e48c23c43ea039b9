// Steps that were submitted before the tokens of the one before them are known, and what happens to
// their chats and devices meanwhile.

#include <QTest>

#include "tests/engine/engine/ahead_engine.h"
#include "tests/support/must.h"

using namespace quire;
using test::must;

namespace {

using Answers = std::vector<std::vector<TokenId>>;

Request request(int index, int max_tokens = 40) {
  return {.prompt = random_tokens(20 + 3 * index, static_cast<uint32_t>(50 + index)),
          .sampling = {.temperature = index % 2 == 0 ? 0.0f : 0.8f,
                       .seed = static_cast<uint64_t>(index),
                       .max_tokens = max_tokens,
                       .ignore_eos = true},
          .chat = index + 1};
}

/// An engine of such a device, and what its requests have got so far.
struct Session {
  explicit Session(EngineOptions options = {}) : served(std::move(options), control) {}

  Engine& engine() { return *served.engine; }
  AheadBackend& backend() { return dynamic_cast<AheadBackend&>(served.devices.front()); }

  RequestId submit(const Request& wanted) { return must(engine().submit(wanted)); }

  void step() {
    for (const RequestEvent& event : engine().step()) {
      auto& answer = tokens[event.id];
      answer.insert(answer.end(), event.tokens.begin(), event.tokens.end());
      text[event.id] += event.text;
      if (event.finish) ends[event.id] = *event.finish;
      if (event.finish == FinishReason::kFailed) errors.push_back(event.error.message);
    }
  }

  /// Until a step is under way when step() has returned.
  void step_until_ahead() {
    const int before = control->num_ahead;
    for (int i = 0; i < 100 && control->num_ahead < before + 2; ++i) step();
    if (control->num_ahead < before + 2) qFatal("no step ran ahead");
  }

  void drain() {
    for (int i = 0; i < 5000 && engine().has_work(); ++i) {
      step();
      if (engine().device_failure()) served.reopen();
    }
    if (engine().has_work()) qFatal("the engine does not come to an end");
  }

  std::shared_ptr<AheadControl> control = std::make_shared<AheadControl>();
  AheadEngine served;
  std::map<RequestId, std::vector<TokenId>> tokens;
  std::map<RequestId, std::string> text;
  std::map<RequestId, FinishReason> ends;
  std::vector<std::string> errors;
};

bool begins(const std::vector<TokenId>& whole, const std::vector<TokenId>& part) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

/// What an answer that goes on for a while says in its middle.
std::string middle_of(const std::string& text) {
  return text.substr(text.size() / 2, 4);
}

}  // namespace

class TestRunAhead : public QObject {
  Q_OBJECT

 private slots:
  void decodes_runAhead() {
    Session session;
    std::vector<RequestId> ids;
    for (int i = 0; i < 5; ++i) ids.push_back(session.submit(request(i)));
    session.drain();
    for (int i = 0; i < 5; ++i) QCOMPARE(session.tokens[ids[i]], alone(request(i)).tokens);
    QCOMPARE(session.control->max_open_marks, 2);
    QVERIFY(session.control->num_ahead > 30);
    QVERIFY(session.control->num_replayed > 30);
    QCOMPARE(session.control->num_violations, 0);
  }

  void enginesEnd_withAStepUnderWay() {
    Session session;
    session.submit(request(0));
    session.submit(request(1));
    session.step_until_ahead();
    session.served.engine.reset();
    QCOMPARE(session.control->num_violations, 0);
    // The device is as good as new.
    auto model = load_model(draft_model_folder(), session.served.devices, session.served.options);
    session.served.engine = must(Engine::create(must(std::move(model)), session.served.options));
    session.tokens.clear();
    const RequestId id = session.submit(request(2));
    session.drain();
    QCOMPARE(session.tokens[id], alone(request(2)).tokens);
    QCOMPARE(session.control->num_violations, 0);
  }

  void devicesAreOpenedAgain_withAStepUnderWay() {
    Session session({.host_kv_bytes = 20 * m_alone.bytes_per_block()});
    const RequestId first = session.submit(request(0));
    const RequestId second = session.submit(request(1));
    session.step_until_ahead();
    session.served.reopen();
    QCOMPARE(session.control->num_violations, 0);
    session.drain();
    QCOMPARE(session.tokens[first], alone(request(0)).tokens);
    QCOMPARE(session.tokens[second], alone(request(1)).tokens);
    QCOMPARE(session.control->num_violations, 0);
  }

  void allEnd_withAStepUnderWay() {
    Session session;
    session.submit(request(0));
    session.submit(request(1));
    session.step_until_ahead();
    QCOMPARE(session.engine().end_all({ErrorCode::kInternal, "Enough."}).size(), size_t{2});
    QVERIFY(!session.engine().has_work());
    const RequestId third = session.submit(request(2));
    session.drain();
    QCOMPARE(session.tokens[third], alone(request(2)).tokens);
    QCOMPARE(session.control->num_violations, 0);
  }

  void devices_failWithAStepUnderWay_data() {
    QTest::addColumn<int>("code");
    QTest::addColumn<bool>("at_submission");
    for (const bool at_submission : {false, true}) {
      const char* when = at_submission ? "when it is submitted" : "when it runs";
      QTest::addRow("out of memory, %s", when)
          << static_cast<int>(ErrorCode::kOutOfMemory) << at_submission;
      QTest::addRow("lost, %s", when) << static_cast<int>(ErrorCode::kDevice) << at_submission;
    }
  }
  // At the operations of a step, and of the next.
  void devices_failWithAStepUnderWay() {
    QFETCH(int, code);
    QFETCH(bool, at_submission);
    const int stride = qEnvironmentVariableIsSet("QUIRE_LONG_TESTS") ? 1 : 13;
    for (int operations = 0; operations < 120; operations += stride) {
      const AheadControl::Fault fault = {.operations_left = operations,
                                         .at_submission = at_submission,
                                         .code = static_cast<ErrorCode>(code)};
      fail(fault);
      if (QTest::currentTestFailed()) {
        qWarning("operation %d", operations);
        return;
      }
    }
  }

  void cancelledChats_changeNothingForOthers() {
    for (int cancelled = 0; cancelled < 3; ++cancelled) {
      Session session;
      std::vector<RequestId> ids;
      for (int i = 0; i < 3; ++i) ids.push_back(session.submit(request(i)));
      session.step_until_ahead();
      session.engine().cancel(ids[cancelled]);
      ids.push_back(session.submit(request(3)));  // It may get the blocks of the one that left.
      session.drain();
      for (int i = 0; i < 4; ++i) {
        const auto wanted = alone(request(i)).tokens;
        const auto& got = session.tokens[ids[i]];
        QVERIFY(i == cancelled ? begins(wanted, got) && got.size() < wanted.size() : got == wanted);
      }
      QCOMPARE(session.ends[ids[cancelled]], FinishReason::kCancelled);
      QCOMPARE(session.engine().stats().used_blocks, 0);
      QCOMPARE(session.control->num_violations, 0);
    }
  }

  void chats_endByAStopStringWhileTheirNextRowIsUnderWay() {
    Request stopped = request(0);
    stopped.sampling.stop = {middle_of(alone(stopped).text)};
    const Completion wanted = alone(stopped);
    QVERIFY(wanted.finish == FinishReason::kStop && wanted.tokens.size() > 2);
    endBeside(stopped, wanted);
  }

  void chats_endByAnEndTokenWhileTheirNextRowIsUnderWay() {
    Request ended;
    Completion wanted;
    for (int i = 0; i < 200; ++i) {
      ended = request(1, 60);
      ended.sampling.ignore_eos = false;
      ended.sampling.temperature = 1.5f;
      ended.sampling.seed = static_cast<uint64_t>(i);
      wanted = alone(ended);
      if (wanted.finish == FinishReason::kEnd && wanted.tokens.size() > 4) break;
    }
    QCOMPARE(wanted.finish, FinishReason::kEnd);
    endBeside(ended, wanted);
  }

  void rowsThatCannotBeDrawn_endTheirChatAlone() {
    Session session;
    const RequestId first = session.submit(request(0));
    const RequestId second = session.submit(request(1));
    session.step_until_ahead();
    session.control->spoils_logits = true;
    session.drain();
    QCOMPARE(session.ends[first], FinishReason::kFailed);
    QCOMPARE(session.errors.size(), size_t{1});
    QCOMPARE(session.tokens[second], alone(request(1)).tokens);
    QCOMPARE(session.control->num_violations, 0);
  }

  void smallPools_giveTheStoreTheRightBytes_data() {
    QTest::addColumn<int>("host_blocks");
    for (const int blocks : {0, 1, 6, 40}) QTest::addRow("%d host blocks", blocks) << blocks;
  }
  // All chats want their next block in the same step, and there is one for the first alone.
  void smallPools_giveTheStoreTheRightBytes() {
    QFETCH(int, host_blocks);
    std::vector<Request> requests;
    for (int i = 0; i < 6; ++i) {
      requests.push_back(request(i, 35 + i % 2));
      requests.back().prompt = random_tokens(i < 3 ? 30 : 46, static_cast<uint32_t>(90 + i));
    }
    for (const Request& wanted : requests) alone(wanted);
    int num_saved = 0, num_ahead = 0;
    uint64_t num_preemptions = 0, num_swapped = 0;
    const int stride = qEnvironmentVariableIsSet("QUIRE_LONG_TESTS") ? 1 : 2;
    for (int num_blocks = 7; num_blocks < 24; num_blocks += stride) {
      auto store = std::make_shared<CheckedPrefixStore>(m_alone, /*delay=*/0);
      store->keeps_chats = true;
      Session session({.kv_bytes = num_blocks * m_alone.bytes_per_block(),
                       .host_kv_bytes = host_blocks * m_alone.bytes_per_block(),
                       .prefix_store = store});
      // What the first round leaves is taken by the second, and what both left by the third.
      for (const std::vector<int>& round : {std::vector{0, 1, 2}, {3, 4, 5}, {0, 4}, {1, 2, 3}}) {
        std::map<int, RequestId> ids;
        for (const int i : round) ids[i] = session.submit(requests[i]);
        session.drain();
        for (const auto& [i, id] : ids) QCOMPARE(session.tokens[id], alone(requests[i]).tokens);
      }
      QCOMPARE(store->num_wrong, 0);
      QCOMPARE(session.control->num_violations, 0);
      num_saved += store->num_saved;
      num_ahead += session.control->num_ahead;
      num_preemptions += session.engine().stats().preemptions;
      num_swapped += session.engine().stats().swapped_tokens;
    }
    qInfo("%d blocks saved, %d steps ahead, %llu preemptions, %llu tokens swapped in", num_saved,
          num_ahead, static_cast<unsigned long long>(num_preemptions),
          static_cast<unsigned long long>(num_swapped));
    QVERIFY(num_saved > 0 && num_ahead > 0 && num_preemptions > 0);
    QVERIFY(host_blocks < 40 || num_swapped > 0);
  }

  void blocksOnTheirWayToHostMemory_areKeptWithTheRightBytes_data() {
    QTest::addColumn<int>("num_blocks");
    for (const int blocks : {7, 8}) QTest::addRow("%d blocks", blocks) << blocks;
  }
  // A chat leaves a block that is to be kept. The step that runs ahead after it takes the block,
  // or, at an offset of 11 in a pool of 7, takes it for one of two chats and finds none for the
  // other.
  void blocksOnTheirWayToHostMemory_areKeptWithTheRightBytes() {
    QFETCH(int, num_blocks);
    Request leaving = request(7, 3), first = request(0, 50), second = request(1, 50);
    leaving.prompt.resize(kBlockSize);
    first.prompt = random_tokens(10, 1);  // Which is ahead by 9 when the second one's is computed.
    second.prompt = random_tokens(19, 2);
    const auto wanted = alone(first).tokens, other = alone(second).tokens;
    alone(leaving);
    for (int offset = 4; offset < 20; ++offset) {
      auto store = std::make_shared<CheckedPrefixStore>(m_alone, /*delay=*/0);
      store->keeps_chats = true;
      Session session({.kv_bytes = num_blocks * m_alone.bytes_per_block(),
                       .host_kv_bytes = 20 * m_alone.bytes_per_block(),
                       .max_batch_tokens = 3,
                       .max_sequences = 3,
                       .prefix_store = store});
      const RequestId first_id = session.submit(first), second_id = session.submit(second);
      while (session.tokens[second_id].empty()) session.step();
      for (int i = 0; i < offset; ++i) session.step();
      const RequestId left = session.submit(leaving);
      while (session.tokens[left].empty()) session.step();
      session.engine().cancel(left);
      session.drain();
      QCOMPARE(session.tokens[first_id], wanted);
      QCOMPARE(session.tokens[second_id], other);
      QVERIFY2(store->num_wrong == 0, qPrintable(QString("offset %1").arg(offset)));
      QCOMPARE(session.control->num_violations, 0);
    }
  }

 private:
  const Completion& alone(const Request& wanted) {
    const auto key = std::pair(wanted.prompt,
                               std::tuple(wanted.sampling.seed, wanted.sampling.stop,
                                          wanted.sampling.max_tokens, wanted.sampling.ignore_eos));
    const auto known = m_answers.find(key);
    if (known != m_answers.end()) return known->second;
    return m_answers[key] = m_alone.run(wanted);
  }

  /// `ends` comes to its end beside chats that go on.
  void endBeside(const Request& ends, const Completion& wanted) {
    Session session;
    const RequestId before = session.submit(request(2));
    const RequestId id = session.submit(ends);
    const RequestId after = session.submit(request(3));
    while (!session.ends.contains(id)) session.step();
    const int ahead = session.control->num_ahead;
    const RequestId next = session.submit(request(4));
    session.drain();
    QVERIFY(ahead > 2);
    QCOMPARE(session.tokens[id], wanted.tokens);
    QCOMPARE(session.text[id], wanted.text);
    QCOMPARE(session.ends[id], wanted.finish);
    QCOMPARE(session.tokens[before], alone(request(2)).tokens);
    QCOMPARE(session.tokens[after], alone(request(3)).tokens);
    QCOMPARE(session.tokens[next], alone(request(4)).tokens);
    QCOMPARE(session.engine().stats().used_blocks, 0);
    QCOMPARE(session.control->num_violations, 0);
  }

  void fail(const AheadControl::Fault& fault) {
    Session session({.host_kv_bytes = 20 * m_alone.bytes_per_block()});
    const RequestId first = session.submit(request(0));
    const RequestId second = session.submit(request(1));
    session.step_until_ahead();
    session.control->fault = fault;
    while (session.control->fault) session.step();
    while (session.errors.empty() && !session.engine().device_failure()) session.step();
    const bool is_lost = fault.code == ErrorCode::kDevice;
    if (is_lost) session.served.reopen();
    const RequestId third = session.submit(request(2));
    const int ahead = session.control->num_ahead;
    session.drain();
    QVERIFY(session.control->num_ahead > ahead + 10);
    QCOMPARE(session.control->num_failures, 1);
    QCOMPARE(session.control->num_violations, 0);
    QCOMPARE(session.tokens[third], alone(request(2)).tokens);
    QCOMPARE(session.engine().stats().used_blocks, 0);
    const auto wanted = alone(request(0)).tokens, other = alone(request(1)).tokens;
    QCOMPARE(session.errors.size(), size_t{is_lost ? 0u : 2u});
    QVERIFY(is_lost ? session.tokens[first] == wanted : begins(wanted, session.tokens[first]));
    QVERIFY(is_lost ? session.tokens[second] == other : begins(other, session.tokens[second]));
  }

  RunAlone m_alone;
  using Key =
      std::pair<std::vector<TokenId>, std::tuple<uint64_t, std::vector<std::string>, int, bool>>;
  std::map<Key, Completion> m_answers;
};

QTEST_APPLESS_MAIN(TestRunAhead)
#include "tst_run_ahead.moc"
