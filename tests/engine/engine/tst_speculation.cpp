#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/draft_model.h"
#include "engine/llm.h"
#include "tests/engine/engine/compare_answers.h"
#include "tests/support/bundled_model.h"

using namespace quire;

namespace {

Llm open(SpeculationMode mode, const std::string& model = bundled_model_folder()) {
  auto llm = Llm::open({.model_path = model,
                        .backend = {.device = "cpu", .num_threads = 2},
                        .engine = {.max_context = 512, .speculation = mode},
                        .load = {}});
  if (!llm) qFatal("%s", llm.error().message.c_str());
  return std::move(*llm);
}

void add_draft_model(Llm& llm) {
  auto draft =
      DraftModel::open(draft_model_folder(), {.device = "cpu", .num_threads = 1}, llm.engine());
  if (!draft) qFatal("%s", draft.error().message.c_str());
  llm.engine().set_drafter(std::move(*draft));
}

/// Chats of all kinds: what repeats itself and what does not, every temperature, penalties, stop
/// strings and log probabilities.
std::vector<Request> some_chats(const Llm& llm, int count) {
  const std::vector<std::string> texts = {
      "Repeat after me: red green blue, red green blue, red green blue.",
      "What is the capital of France?", "Tell me a story about a fox and a hen.",
      "Say this list again: one, two, three, four. One, two, three, four."};
  std::vector<Request> requests;
  for (int i = 0; i < count; ++i) {
    const std::vector<ChatMessage> messages = {
        {"system", "You are helpful.", {}},
        {"user", texts[size_t(i) % texts.size()] + " " + std::to_string(i / 4), {}}};
    auto prompt = chat_prompt(*llm.model().chat, messages);
    if (!prompt) qFatal("%s", prompt.error().message.c_str());
    requests.push_back(
        {.prompt = std::move(prompt->tokens), .sampling = varied_sampling(i, {" the", "."})});
  }
  return requests;
}

}  // namespace

class TestSpeculation : public QObject {
  Q_OBJECT

 private slots:
  void drafts_changeNoAnswer_data() {
    QTest::addColumn<bool>("has_model");
    QTest::addColumn<bool>("is_together");
    QTest::newRow("from the text, alone") << false << false;
    QTest::newRow("from the text, sixteen together") << false << true;
    QTest::newRow("a draft model, alone") << true << false;
    QTest::newRow("a draft model, sixteen together") << true << true;
  }
  void drafts_changeNoAnswer() {
    QFETCH(bool, has_model);
    QFETCH(bool, is_together);
    Llm plain = open(SpeculationMode::kOff);
    Llm llm = open(SpeculationMode::kAlways);
    if (has_model) add_draft_model(llm);
    const std::vector<Request> requests = some_chats(llm, is_long() ? 112 : 16);
    int drafted = 0, accepted = 0;
    const size_t batch = is_together ? 16 : 1;
    for (size_t first = 0; first < requests.size(); first += batch) {
      const std::vector<Request> some(requests.begin() + std::ptrdiff_t(first),
                                      requests.begin() + std::ptrdiff_t(first + batch));
      const auto found = llm.generate(some), expected = plain.generate(some);
      for (size_t i = 0; i < some.size(); ++i) {
        compare(found[i], expected[i]);
        if (QTest::currentTestFailed()) return;
        drafted += found[i].usage.drafted_tokens;
        accepted += found[i].usage.accepted_tokens;
      }
    }
    qInfo("%d drafts, %d accepted", drafted, accepted);
    QVERIFY(accepted > 0 && drafted > accepted);
    QCOMPARE(llm.engine().stats().used_blocks, 0);
  }

  /// The next turn finds the answer's blocks, drafts or not.
  void nextTurn_findsAllOfTheAnswer() {
    Llm llm = open(SpeculationMode::kAlways);
    std::vector<Request> requests = some_chats(llm, 1);
    requests[0].sampling.max_tokens = 48;
    const Completion first = llm.generate(requests).front();
    QVERIFY(first.usage.accepted_tokens > 0);
    std::vector<TokenId> next = requests[0].prompt;
    next.insert(next.end(), first.tokens.begin(), first.tokens.end());
    const size_t known = next.size() - 1;  // The last one was sampled and not computed.
    next.insert(next.end(), {300, 301, 302});
    requests[0].prompt = next;
    const Completion second = llm.generate(requests).front();
    QCOMPARE(second.usage.cached_tokens, int(known));
  }

  /// Text of one chat is guessed in another chat of its persona, and when an answer is generated
  /// again; not under another persona, and not after the chat was deleted.
  void guesses_comeFromOtherChatsOfThePersona() {
    Llm plain = open(SpeculationMode::kOff), llm = open(SpeculationMode::kAlways);
    std::vector<Request> requests = some_chats(llm, 3);
    requests.erase(requests.begin(), requests.begin() + 2);
    requests[0].sampling = {.temperature = 1.2f, .seed = 5, .max_tokens = 60, .ignore_eos = true};
    const Completion expected = plain.generate(requests).front();
    const auto accepted = [&](int64_t chat, int64_t persona) {
      requests[0].chat = chat;
      requests[0].persona = persona;
      const Completion found = llm.generate(requests).front();
      compare(found, expected);
      return found.usage.accepted_tokens;
    };
    const int unknown = accepted(1, 7);
    QVERIFY(unknown < 15);
    QVERIFY(accepted(2, 7) > 45);
    QVERIFY(accepted(2, 7) > 45);
    QCOMPARE(accepted(3, 8), unknown);
    QCOMPARE(accepted(4, 0), unknown);
    QCOMPARE(accepted(5, 0), unknown);
    QVERIFY(accepted(5, 0) > 45);
    for (const int64_t chat : {1, 2, 5}) llm.engine().forget_chat(chat);
    QCOMPARE(accepted(9, 7), unknown);
    QCOMPARE(accepted(5, 0), unknown);
    QCOMPARE(accepted(0, 0), unknown);
    QCOMPARE(accepted(0, 0), unknown);
  }

  /// The text of an answer that was running when its chat was deleted is not kept either.
  void guesses_ofAChatDeletedWhileItAnswers_areNotMade() {
    Llm llm = open(SpeculationMode::kAlways);
    std::vector<Request> requests = some_chats(llm, 1);
    requests[0].sampling = {.temperature = 1.2f, .seed = 5, .max_tokens = 60, .ignore_eos = true};
    requests[0].persona = 7;
    requests[0].chat = 1;
    int num_events = 0;
    const Completion first = llm.generate(requests,
                                          [&](size_t, const RequestEvent&) {
                                            if (++num_events == 10) llm.engine().forget_chat(1);
                                            return true;
                                          })
                                 .front();
    requests[0].chat = 2;
    const Completion second = llm.generate(requests).front();
    QCOMPARE(second.tokens, first.tokens);
    QCOMPARE(second.usage.accepted_tokens, first.usage.accepted_tokens);
  }

  /// Turned off and on in one engine, as measurements do.
  void setSpeculation_takesEffectAtOnce() {
    Llm llm = open(SpeculationMode::kAlways);
    std::vector<Request> requests = some_chats(llm, 1);
    requests[0].sampling.max_tokens = 48;
    const Completion drafting = llm.generate(requests).front();
    QVERIFY(drafting.usage.drafted_tokens > 0);
    llm.engine().set_speculation(SpeculationMode::kOff);
    const Completion plain = llm.generate(requests).front();
    QCOMPARE(plain.usage.drafted_tokens, 0);
    compare(plain, drafting);
    Llm without = open(SpeculationMode::kOff);
    without.engine().set_speculation(SpeculationMode::kAlways);
    QCOMPARE(without.generate(requests).front().usage.drafted_tokens, 0);
  }

  /// The answer has the forced tokens, with and without drafts, and then the model's own.
  void forcedAnswer_isSaid() {
    Llm llm = open(SpeculationMode::kAlways);
    std::vector<Request> requests = some_chats(llm, 1);
    for (int i = 0; i < 40; ++i) requests[0].forced.push_back(300 + i % 10);
    requests[0].sampling = {.temperature = 0.0f, .max_tokens = 50, .ignore_eos = true};
    const Completion found = llm.generate(requests).front();
    QCOMPARE(found.tokens.size(), size_t(50));
    QVERIFY(std::equal(requests[0].forced.begin(), requests[0].forced.end(), found.tokens.begin()));
    QVERIFY(found.usage.accepted_tokens > 20);
    Request next = requests[0];
    next.prompt.insert(next.prompt.end(), next.forced.begin(), next.forced.end());
    next.forced.clear();
    next.sampling.max_tokens = 10;
    const Completion rest = llm.generate({next}).front();
    QCOMPARE(rest.tokens, std::vector<TokenId>(found.tokens.begin() + 40, found.tokens.end()));
    requests[0].forced = {-1};
    QVERIFY(!llm.engine().submit(requests[0]));
  }

  void draftModel_agreesMoreThanChance() {
    Llm llm = open(SpeculationMode::kAlways);
    add_draft_model(llm);
    std::vector<Request> requests = some_chats(llm, 4);
    for (Request& request : requests) request.sampling = {.temperature = 0.7f, .max_tokens = 40};
    int drafted = 0, accepted = 0;
    for (const Completion& found : llm.generate(requests)) {
      drafted += found.usage.drafted_tokens;
      accepted += found.usage.accepted_tokens;
    }
    qInfo("%d drafts, %d accepted", drafted, accepted);
    QVERIFY(accepted * 10 > drafted);
  }

  /// A model that has the draft model's layers and another tokenizer.
  void draftModel_ofAnotherVocabulary_isRefused() {
    const QTemporaryDir folder;
    const QDir own(QString::fromStdString(draft_model_folder()));
    for (const QString& name : own.entryList(QDir::Files)) {
      QFile::copy(own.filePath(name), folder.filePath(name));
    }
    QFile file(folder.filePath("tokenizer.model"));
    QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner));
    QVERIFY(file.open(QIODevice::ReadWrite));
    QByteArray pieces = file.readAll();
    const qsizetype at = pieces.indexOf("\xe2\x96\x81the");
    QVERIFY(at > 0);
    pieces[at + 3] = 'q';  // A piece that does not exist twice.
    file.seek(0);
    file.write(pieces);
    file.close();
    Llm llm = open(SpeculationMode::kAuto);
    const auto draft = DraftModel::open(folder.path().toStdString(),
                                        {.device = "cpu", .num_threads = 1}, llm.engine());
    QVERIFY(!draft);
    QVERIFY2(draft.error().message.find("another vocabulary") != std::string::npos,
             draft.error().message.c_str());
  }
};

QTEST_APPLESS_MAIN(TestSpeculation)
#include "tst_speculation.moc"
