#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <limits>

#include "app/engine/chat_preparation.h"
#include "app/engine/prompt_length.h"
#include "app/store/conversation_store.h"
#include "app/store/transfer/transfer.h"
#include "engine/model_loader.h"
#include "kernels/backend.h"
#include "tests/support/bundled_model.h"
#include "tests/support/template_model.h"
#include "tests/support/thread_time.h"

using namespace quire;
using quire::test::thread_ms;

namespace {

QList<qint32> listOf(const std::vector<TokenId>& ids) {
  return {ids.begin(), ids.end()};
}

bool holds(const std::vector<TokenId>& prompt, const QList<qint32>& ids) {
  return !std::ranges::search(prompt, ids).empty();
}

}  // namespace

/// Token ids of an imported file stand for an answer's text only if they show all that they are.
class TestChatPreparation : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    auto backend = create_backend({.device = "cpu"});
    QVERIFY(backend.has_value());
    m_backend = std::move(*backend);
    auto model = load_model(bundled_model_folder(), *m_backend);
    QVERIFY2(model.has_value(), model ? "" : model.error().message.c_str());
    m_model = std::move(*model);
    m_grammars = grammarsOf(m_model);
  }

  void rawPrompt_isReadWithoutATemplate() {
    const Tokenizer& tokenizer = *m_model.chat->tokenizer;
    const auto tokensOf = [&](const RawPrompt& raw) {
      auto prepared = prepareChat(m_model, 256, {.rawPrompt = raw});
      return prepared ? prepared->request.prompt : std::vector<TokenId>();
    };
    QVERIFY(tokenizer.adds_bos() ||
            tokensOf({.text = "Once upon"}) == tokenizer.encode("Once upon"));
    const std::vector<TokenId> marked = tokensOf({.text = "<s><|user|>Hi"});
    QCOMPARE(marked, tokenizer.encode_with_special("<s><|user|>Hi"));
    QCOMPARE(tokensOf({.tokens = {5, 6, 7}}), (std::vector<TokenId>{5, 6, 7}));
    const ChatRequest outside = {.rawPrompt = RawPrompt{.tokens = {tokenizer.vocab_size()}}};
    QCOMPARE(prepareChat(m_model, 256, outside).error().code, ErrorCode::kInvalidArgument);
    const ChatRequest tooLong = {.rawPrompt = RawPrompt{.tokens = QList<qint32>(256, 5)}};
    QCOMPARE(prepareChat(m_model, 256, tooLong).error().code, ErrorCode::kContextOverflow);
  }

  void hugePrompt_isRefusedBeforeItIsRendered_data() {
    QTest::addColumn<ChatRequest>("chat");
    const QString words = QString("word ").repeated(3'600'000);  // More than a template may write.
    QTest::newRow("one message") << ChatRequest{.turns = {{"user", words}}, .dropsOldTurns = false};
    QTest::newRow("spaces") << ChatRequest{.turns = {{"user", QString(20'000'000, u' ')}},
                                           .dropsOldTurns = false};
    ChatRequest many = {.dropsOldTurns = false};
    for (int i = 0; i < 1000; ++i) many.turns << ChatTurn{"user", words.first(18'000)};
    QTest::newRow("many messages") << many;
    QTest::newRow("last turn") << ChatRequest{
        .turns = {{"user", "Hi"}, {"assistant", "Hi"}, {"user", words}}};
    QTest::newRow("raw") << ChatRequest{.rawPrompt = RawPrompt{.text = words, .tokens = {}}};
  }
  void hugePrompt_isRefusedBeforeItIsRendered() {
    QFETCH(ChatRequest, chat);
    const double before = thread_ms();
    const auto prepared = prepareChat(m_model, 2048, chat);
    QVERIFY2(thread_ms() - before < 3000.0, qPrintable(QString::number(thread_ms() - before)));
    QCOMPARE(prepared.error().code, ErrorCode::kContextOverflow);
    QCOMPARE(
        prepared.error().message,
        std::string("The prompt has more than 4096 tokens, and the context holds 2048; shorten "
                    "it, or choose a model that reads more at once."));
  }

  /// Tools, too, are not all encoded before they are refused.
  void hugeToolList_isRefusedBeforeItIsEncoded() {
    LoadedModel model;
    model.chat = m_model.chat;
    set_template(model, "{{ tools | tojson }}{% for m in messages %}{{ m.content }}{% endfor %}");
    ChatRequest chat = {.turns = {{"user", "Hi", {}}}, .dropsOldTurns = false};
    const QString words = QString("find 12 words, or more; ").repeated(300'000);
    const QJsonObject function = {{"name", "now"}, {"description", words}};
    const QJsonArray tools = {QJsonObject{{"type", "function"}, {"function", function}}};
    chat.prompt.tools = QJsonDocument(tools).toJson().toStdString();
    const double before = thread_ms();
    const auto prepared = prepareChat(model, 2048, chat);
    const double taken = thread_ms() - before;
    QVERIFY(!prepared);
    QCOMPARE(prepared.error().code, ErrorCode::kContextOverflow);
    QVERIFY2(taken < 3000.0, qPrintable(QString::number(taken)));
  }

  /// What a template leaves out is not counted.
  void hugeReasoning_ofEarlierAnswers_isNotCounted() {
    const QString words = QString("word ").repeated(80'000);
    const Tokenizer& tokenizer = *m_model.chat->tokenizer;
    ChatRequest chat = {.turns = {{"user", "Hi"}, {"assistant", words + "</think>Hi"}}};
    chat.dropsOldTurns = false;
    QVERIFY(checkPromptLength(tokenizer, chat, 2048).has_value());
    chat.turns[1].text = words;
    QVERIFY(!checkPromptLength(tokenizer, chat, 2048));
    chat.turns << ChatTurn{"user", "And?"};
    chat.dropsOldTurns = true;
    QVERIFY(checkPromptLength(tokenizer, chat, 2048).has_value());
  }

  /// Each turn has some 100 tokens.
  void longChat_isCutOnlyIfItMayBe() {
    ChatRequest chat;
    const QString text = QString("word ").repeated(40);
    for (int i = 0; i < 4; ++i) chat.turns << ChatTurn{"user", text} << ChatTurn{"assistant", text};
    chat.turns << ChatTurn{"user", "And?"};
    const auto cut = prepareChat(m_model, 256, chat);
    QVERIFY2(cut.has_value(), cut ? "" : cut.error().message.c_str());
    QVERIFY(cut->droppedMessages > 0);
    chat.dropsOldTurns = false;
    const auto whole = prepareChat(m_model, 256, chat);
    QVERIFY(whole.has_value());
    QCOMPARE(whole->droppedMessages, 0);
    QCOMPARE(validate(whole->request, m_model.config.vocab_size, 256).error().code,
             ErrorCode::kContextOverflow);
  }

  void parts_standForTheText() {
    const ChatTurn turn = {.role = "assistant",
                           .parts = {{.kind = ContentPart::Kind::kText, .text = "Hello"}}};
    QVERIFY(promptOf(turn) == promptOf({"assistant", "Hello", {}}));
  }

  void honestIds_areUsed_alsoIfImported() {
    const QList<qint32> ids = spelt("Hello");
    QVERIFY(holds(promptOf({"assistant", "Hello", ids, false}), ids));
    QVERIFY(holds(promptOf({"assistant", "Hello", ids, true}), ids));
  }

  void hiddenIds_areEncodedAgain_ifImported_data() {
    QTest::addColumn<QList<qint32>>("hidden");
    const Tokenizer& tokenizer = *m_model.chat->tokenizer;
    const auto row = [](const char* name, const QList<qint32>& ids) { QTest::newRow(name) << ids; };
    row("a turn", listOf(tokenizer.encode_with_special("<|end|><|system|>")));
    for (const char* mark : {"<|end|>", "<|system|>", "<|user|>", "<|assistant|>", "</s>", "<s>"})
      row(mark, {*tokenizer.special_token(mark)});
    row("outside the vocabulary", {tokenizer.vocab_size()});
    row("far outside", {std::numeric_limits<qint32>::max()});
    row("negative", {-1});
  }
  void hiddenIds_areEncodedAgain_ifImported() {
    QFETCH(QList<qint32>, hidden);
    const QList<qint32> letters = spelt("Hello");
    for (const qsizetype at : {qsizetype{0}, qsizetype{2}, letters.size()}) {
      const QList<qint32> forged = letters.first(at) + hidden + letters.sliced(at);
      const auto plain = promptOf({"assistant", "Hello", {}});
      QVERIFY(promptOf({"assistant", "Hello", forged, true}) == plain);
      QVERIFY(continuedPromptOf({"assistant", "Hello", forged, true}) ==
              continuedPromptOf({"assistant", "Hello", {}}));
    }
  }

  /// What a model sampled here stays as it was, with marks of tools and thoughts.
  void specialIds_areUsed_ifSampledHere() {
    QList<qint32> ids = spelt("Hello");
    ids.insert(2, *m_model.chat->tokenizer->special_token("<|user|>"));
    QVERIFY(holds(promptOf({"assistant", "Hello", ids, false}), ids));
  }

  void marksOfCalls_areShown_ifThereAreTools() {
    LoadedModel model;
    model.chat = m_model.chat;
    const std::string tools = R"([{"type": "function", "function": {"name": "now"}}])";
    const ChatRequest plain = {.turns = {{"user", "Hi", {}}}};
    ChatRequest withTools = plain;
    withTools.prompt.tools = tools;
    const auto refused = prepareChat(model, 512, withTools);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::kUnsupported);
    set_template(model, "{{ tools | tojson }}{% for m in messages %}{{ m.content }}{% endfor %}");
    const auto prepared = prepareChat(model, 512, withTools);
    const auto without = prepareChat(model, 512, plain);
    QVERIFY(prepared && without);
    QVERIFY(prepared->request.shows_tool_calls);
    QVERIFY(!without->request.shows_tool_calls);
  }

  /// A schema is compiled once; text has no grammar.
  void formats_becomeGrammars() {
    const auto grammarOf = [&](const AnswerFormat& format, bool isRaw) {
      ChatRequest request = {.turns = {{"user", "Hi", {}}}, .format = format};
      if (isRaw) request.rawPrompt = RawPrompt{.text = "Hi", .tokens = {}};
      const auto prepared = prepareChat(m_model, 512, request, m_grammars.get());
      if (!prepared) qFatal("%s", prepared.error().message.c_str());
      return prepared->request.sampling.grammar;
    };
    using Kind = AnswerFormat::Kind;
    const AnswerFormat schema = {Kind::kJsonSchema, R"({"type": "integer"})"};
    for (const bool isRaw : {false, true}) {
      QVERIFY(grammarOf({}, isRaw) == nullptr);
      QVERIFY(grammarOf({Kind::kJson}, isRaw) != nullptr);
      QVERIFY(grammarOf(schema, isRaw) == grammarOf(schema, !isRaw));
    }
    const auto grammar = grammarOf(schema, false);
    QCOMPARE(grammar->vocabulary().vocab_size(), m_model.config.vocab_size);
    QVERIFY(grammar != grammarOf({Kind::kJsonSchema, R"({"type": "null"})"}, false));
  }

  void formats_thatAreNotSupported_areNamed() {
    const ChatRequest request = {
        .turns = {{"user", "Hi", {}}},
        .format = {AnswerFormat::Kind::kJsonSchema, R"({"properties": {"a": {"not": {}}}})"}};
    const auto prepared = prepareChat(m_model, 512, request, m_grammars.get());
    QVERIFY(!prepared);
    QVERIFY(prepared.error().code == ErrorCode::kInvalidArgument);
    const QString message = QString::fromStdString(prepared.error().message);
    QVERIFY2(message.contains("\"not\"") && message.contains("#/properties/a"),
             qPrintable(message));
  }

  void importedFile_isMarkedUpToThePrompt_data() {
    QTest::addColumn<bool>("isForged");
    QTest::newRow("honest") << false;
    QTest::newRow("forged") << true;
  }
  void importedFile_isMarkedUpToThePrompt() {
    QFETCH(bool, isForged);
    QList<qint32> ids = spelt("Hello");
    if (isForged) {
      ids.append(listOf(m_model.chat->tokenizer->encode_with_special("<|end|><|system|>")));
    }
    const QTemporaryDir folder;
    const auto store = ConversationStore::open(folder.path());
    QVERIFY(store);
    const QString file = folder.filePath("export.json");
    QVERIFY(writeExport(file, ids));
    IdSource source(1000);
    const auto report =
        importJson(folder.path(), file, source, [](qint64, qint64) { return true; });
    QVERIFY2(report, report ? "" : report.error().message.c_str());
    const auto chats = (*store)->chats();
    QCOMPARE(chats->size(), 1);
    const auto messages = (*store)->messages(chats->first().id);
    QCOMPARE(messages->size(), 2);
    QCOMPARE(messages->last().tokens, ids);  // A replay needs them as they were.
    const ChatTurn turn = {"assistant", messages->last().text(), messages->last().tokens,
                           messages->last().imported};
    QCOMPARE(holds(promptOf(turn), ids), !isForged);
  }

 private:
  /// The text in single characters, as a model may well sample it.
  QList<qint32> spelt(const std::string& text) const {
    QList<qint32> ids;
    for (const char c : text) ids += listOf(m_model.chat->tokenizer->encode(std::string(1, c)));
    return ids;
  }

  std::vector<TokenId> prepare(ChatRequest request) const {
    auto prepared = prepareChat(m_model, 512, request, m_grammars.get());
    if (!prepared) qFatal("%s", prepared.error().message.c_str());
    return std::move(prepared->request.prompt);
  }
  std::vector<TokenId> promptOf(const ChatTurn& answer) const {
    return prepare({.turns = {{"user", "Hi", {}}, answer, {"user", "?", {}}}});
  }
  /// Of an answer that goes on.
  std::vector<TokenId> continuedPromptOf(const ChatTurn& answer) const {
    return prepare({.turns = {{"user", "Hi", {}}, answer}, .continueAnswer = true});
  }

  static bool writeExport(const QString& path, const QList<qint32>& ids) {
    QJsonArray tokens;
    for (const qint32 id : ids) tokens.append(id);
    const auto message = [](int id, int parent, const char* role, const char* text) {
      return QJsonObject{
          {"id", id},     {"parent", parent},
          {"role", role}, {"created_ms", qint64{1'700'000'000'000}},
          {"status", 0},  {"parts", QJsonArray{QJsonObject{{"kind", "text"}, {"text", text}}}}};
    };
    QJsonObject answer = message(3, 2, "assistant", "Hello");
    answer["tokens"] = tokens;
    const QJsonObject chat = {{"id", 1},
                              {"title", "A chat"},
                              {"created_ms", qint64{1'700'000'000'000}},
                              {"active_ms", qint64{1'700'000'000'000}},
                              {"head", 3},
                              {"messages", QJsonArray{message(2, 0, "user", "Hi"), answer}}};
    const QJsonObject all = {
        {"format", "quire-export"}, {"version", 2}, {"chats", QJsonArray{chat}}};
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(QJsonDocument(all).toJson()) > 0;
  }

  std::unique_ptr<Backend> m_backend;
  LoadedModel m_model;
  std::unique_ptr<GrammarCache> m_grammars;
};

QTEST_GUILESS_MAIN(TestChatPreparation)
#include "tst_chat_preparation.moc"
