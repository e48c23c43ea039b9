// Writes the fixture tests/data/store_version_6: a store of schema version 6 (commit 49d575e), its
// export, and what of them must survive. Not part of the build. It is compiled against that commit:
//   git worktree add ../base 49d575e && cd ../base && cmake --preset release && ninja quire_store
//   g++ -std=c++20 -fPIC -I. make_version_6.cpp $(pkg-config --cflags --libs Qt6Sql)
//   libquire_store.a
//     libquire_base.a -lsqlite3 && ./a.out FOLDER
// The version must stay readable for ever: do not generate the fixture again.
#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSqlDatabase>
#include <QSqlQuery>

#include "app/store/conversation_store.h"
#include "app/store/id_source.h"
#include "app/store/transfer/transfer.h"

using namespace quire;

namespace {

constexpr qint64 kStart = 1'750'000'000'000;

IdSource g_ids(0);
qint64 g_now = kStart;

qint64 tick() {
  return g_now += 1'237;
}

void must(const Result<void>& done) {
  if (!done) qFatal("%s", done.error().message.c_str());
}

template <typename T>
T must(Result<T> value) {
  if (!value) qFatal("%s", value.error().message.c_str());
  return std::move(*value);
}

QString words(int n) {
  static const QStringList kSentences = {
      "The pool is allocated once, in blocks of 16 tokens.",
      "키와 값은 고정된 크기의 블록에 저장됩니다.",
      "`std::vector<int>` keeps its elements in one piece:\n```cpp\nint x = 1;\n```",
      "Crème brûlée, naïve façade, Straße, ﬁn.",
      "$$\\int_0^1 x^2\\,dx = \\tfrac13$$",
      "질문에 대한 답은 \"예\"입니다. 中国人也知道。カタカナ 🎈👩‍🚀",
      "| a | b |\n|---|---|\n| 1 | 2 |"};
  QStringList out;
  for (int i = 0; i < 1 + n % 4; ++i) out.append(kSentences[(n + i) % kSentences.size()]);
  return out.join("\n\n");
}

QList<qint32> ids(int seed, int count) {
  QList<qint32> tokens;
  quint32 state = static_cast<quint32>(seed) * 2654435761u + 1;
  for (int i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    tokens.append(static_cast<qint32>(state >> 15));
  }
  return tokens;
}

AttachmentRecord file(const QString& name, const QString& type, const QString& text) {
  return {.name = name,
          .mediaType = type,
          .bytes = text.toUtf8().size() + 3,
          .text = text,
          .tokens = static_cast<int>(text.size() / 3)};
}

struct Writer {
  ConversationStore& store;
  QHash<RecordId, QList<qint32>> sequences;  ///< Prompt and answer, by answer.

  MessageRecord question(const ChatRecord& chat, RecordId parent, const QString& text) {
    MessageRecord message;
    message.id = g_ids.next();
    message.chatId = chat.id;
    message.parentId = parent;
    message.text = text;
    message.createdMs = tick();
    return message;
  }

  MessageRecord emptyAnswer(const ChatRecord& chat, RecordId parent) {
    MessageRecord message = question(chat, parent, {});
    message.role = MessageRole::Assistant;
    message.status = MessageStatus::Streaming;
    return message;
  }

  void finish(MessageRecord answer, RecordId before, MessageStatus status, bool withOrigin) {
    const int n = static_cast<int>(answer.id);
    answer.status = status;
    answer.text = n % 3 == 0 ? "<think>\nLet me see: " + words(n + 1) + "\n</think>\n\n" + words(n)
                             : words(n);
    answer.tokens = status == MessageStatus::Failed ? QList<qint32>() : ids(n, 20 + n % 50);
    if (status == MessageStatus::Failed) answer.text.clear();
    if (status == MessageStatus::Failed) answer.error = "The model ran out of memory (2,048 MB).";
    answer.modelName = n % 2 ? "quire-mini" : "Qwen3-8B (모델)";
    answer.modelFingerprint = n % 2 ? "f00d" : "cafe";
    answer.seed = 0xfedcba9876543210u + static_cast<quint64>(n);
    answer.temperature = 0.7;
    answer.outputTokens = static_cast<int>(answer.tokens.size());
    answer.firstTokenMs = 12.5;
    answer.totalMs = 250.25 + n;
    answer.thinkingMs = n % 3 == 0 ? 99.5 : 0.0;
    answer.diskTokens = 16;
    answer.reusedTokens = 8;
    answer.forkedTokens = 4;
    std::optional<OriginRecord> origin;
    QList<qint32> prompt = sequences.value(before, ids(7, 40)) + ids(n + 1000, 12);
    answer.promptTokens = static_cast<int>(prompt.size());
    answer.cachedTokens = answer.promptTokens - 12;
    if (withOrigin) {
      OriginRecord made;
      made.templateHash = "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c";
      made.sampling.temperature = 0.7F;
      made.sampling.top_p = 0.95F;
      made.sampling.seed = answer.seed;
      made.sampling.stop = {"###", "끝"};
      made.promptTokens = prompt;
      made.end = static_cast<AnswerEnd>(n % 5);
      made.deviceName = "CPU · AVX-512 · 2 threads";
      origin = made;
      sequences.insert(answer.id, prompt + answer.tokens);
    }
    must(store.finishAnswer(answer, origin));
  }

  /// A question and its answer below `parent`; the answer's id.
  RecordId turn(ChatRecord& chat, RecordId parent, RecordId before, const QString& text,
                const QList<AttachmentRecord>& files = {},
                MessageStatus status = MessageStatus::Complete, bool withOrigin = true) {
    const MessageRecord user = question(chat, parent, text);
    const MessageRecord answer = emptyAnswer(chat, user.id);
    QList<AttachmentRecord> attached = files;
    for (AttachmentRecord& one : attached) {
      one.id = g_ids.next();
      one.messageId = user.id;
    }
    chat.headMessageId = answer.id;
    chat.activeMs = g_now;
    must(store.beginTurn(chat, user, answer, attached));
    finish(answer, before, status, withOrigin);
    return answer.id;
  }
};

NewChat forkAt(const ConversationStore& store, const ChatRecord& chat, RecordId last) {
  QHash<RecordId, MessageRecord> byId;
  for (const MessageRecord& message : must(store.messages(chat.id)))
    byId.insert(message.id, message);
  QList<MessageRecord> branch;
  for (RecordId id = last; id != 0; id = byId[id].parentId) branch.prepend(byId[id]);
  NewChat fork;
  fork.chat = chat;
  fork.chat.id = g_ids.next();
  fork.chat.title += " (fork)";
  fork.chat.forkedFrom = last;
  fork.chat.pinned = fork.chat.archived = false;
  fork.chat.draft.clear();
  fork.chat.createdMs = fork.chat.activeMs = tick();
  QHash<RecordId, RecordId> copies;
  for (MessageRecord copy : branch) {
    const RecordId from = copy.id;
    copy.id = g_ids.next();
    copy.chatId = fork.chat.id;
    copy.parentId = copies.value(copy.parentId);
    copies.insert(from, copy.id);
    if (copy.role == MessageRole::Assistant) fork.copiedFrom.insert(copy.id, from);
    fork.chat.headMessageId = copy.id;
    fork.messages.append(copy);
    for (AttachmentRecord one : must(store.attachments(chat.id))) {
      if (one.messageId != from) continue;
      one.id = g_ids.next();
      one.messageId = copy.id;
      fork.attachments.append(one);
    }
  }
  return fork;
}

void fill(ConversationStore& store) {
  const RecordId work = g_ids.next();
  const RecordId home = g_ids.next();
  must(store.putFolder({.id = work, .name = "Work", .position = 1, .createdMs = tick()}));
  must(store.putFolder(
      {.id = home, .name = "집", .position = 0, .isOpen = false, .createdMs = tick()}));
  PersonaRecord editor{.id = g_ids.next(),
                       .name = "Lektorin",
                       .systemPrompt = "You edit: \"precise\"; 精确.",
                       .description = "Reads along.",
                       .icon = "pen",
                       .color = 2};
  editor.settings.temperature = 0.25;
  editor.settings.stop = {QStringList{"###", "끝"}};
  editor.settings.unknown = R"({"mirostat":2})";
  editor.pinned = true;
  editor.createdMs = tick();
  must(store.putPersona(editor));
  PersonaRecord preset{.id = g_ids.next(),
                       .name = "Translator",
                       .systemPrompt = "Translate.",
                       .position = 3,
                       .presetId = "translator",
                       .createdMs = tick()};
  must(store.putPersona(preset));

  Writer writer{store, {}};
  QList<ChatRecord> chats;
  for (int i = 0; i < 12; ++i) {
    ChatRecord chat;
    chat.id = g_ids.next();
    chat.title =
        i % 4 == 1 ? QString("한국어 대화 %1").arg(i) : QString("Chat %1: it's \"quoted\"").arg(i);
    chat.titleIsAutomatic = i % 2 == 0;
    chat.personaId = i % 3 == 0 ? editor.id : i % 3 == 1 ? preset.id : 0;
    chat.folderId = i % 4 == 0 ? work : i % 4 == 1 ? home : 0;
    chat.color = i % 4;
    chat.createdMs = chat.activeMs = tick();
    chat.pinned = i == 2;
    chat.archived = i == 3 || i == 9;
    chat.unread = i == 5;
    chat.modelPath = i % 2 ? "/models/모델.gguf" : "";
    if (i == 4) chat.settings.seed = 0xfedcba9876543210u;
    if (i == 4) chat.settings.maxTokens = 512;
    if (i == 4) chat.settings.showReasoning = false;
    if (i == 6) chat.draft = "half a thought: 반쯤";
    must(store.putChat(chat));
    RecordId last = 0;
    for (int t = 0; t < 2 + i % 4; ++t) {
      QList<AttachmentRecord> files;
      if (i % 5 == 0 && t == 0) files = {file("표 1.csv", "text/csv", "a,b\n1,2\nzebrafish,3\n")};
      if (i == 5 && t == 0)
        files.append(file("notes.md", "text/markdown", "# Notes\n\n" + words(5)));
      last =
          writer.turn(chat, last, last,
                      QString("Question %1 of chat %2? %3").arg(t).arg(i).arg(words(i + t)), files);
    }
    chats.append(chat);
  }

  // Versions: an answer made again, a question edited, three answers side by side.
  ChatRecord& versions = chats[1];
  const RecordId first =
      writer.turn(versions, versions.headMessageId, versions.headMessageId, "What is a quire?");
  const auto messages = must(store.messages(versions.id));
  RecordId asked = 0;
  RecordId above = 0;
  for (const MessageRecord& message : messages) {
    if (message.id == first) asked = message.parentId;
  }
  for (const MessageRecord& message : messages) {
    if (message.id == asked) above = message.parentId;
  }
  MessageRecord again = writer.emptyAnswer(versions, asked);
  versions.headMessageId = again.id;
  must(store.beginTurn(versions, {}, again));
  writer.finish(again, above, MessageStatus::Stopped, true);
  writer.turn(versions, above, above, "What is a quire, in one sentence?");

  ChatRecord& side = chats[2];
  const MessageRecord user = writer.question(side, side.headMessageId, "Three ways to say it");
  QList<MessageRecord> answers;
  for (int i = 0; i < 3; ++i) answers.append(writer.emptyAnswer(side, user.id));
  const RecordId before = side.headMessageId;
  side.headMessageId = answers[2].id;
  must(store.beginAnswers(side, user, answers));
  for (const MessageRecord& answer : answers)
    writer.finish(answer, before, MessageStatus::Complete, true);
  must(store.putComparison(side.id, {{answers[0].id, "Temperature 0.4"},
                                     {answers[1].id, "Temperature 0.8"},
                                     {answers[2].id, "온도 1.2"}}));

  // Answers that failed, were cut off by a kill, were made before origins were kept.
  writer.turn(chats[7], chats[7].headMessageId, 0, "Too long?", {}, MessageStatus::Failed, false);
  writer.turn(chats[8], chats[8].headMessageId, 0, "Old?", {}, MessageStatus::Complete, false);
  writer.turn(chats[8], chats[8].headMessageId, 0, "Cut off?", {}, MessageStatus::Interrupted,
              false);

  // Forks: at an answer, and of the fork.
  NewChat fork = forkAt(store, chats[5], chats[5].headMessageId);
  must(store.createChat(fork));
  for (auto it = fork.copiedFrom.begin(); it != fork.copiedFrom.end(); ++it)
    writer.sequences.insert(it.key(), writer.sequences.value(it.value()));
  writer.turn(fork.chat, fork.chat.headMessageId, fork.chat.headMessageId, "And in the fork?");
  NewChat second = forkAt(store, fork.chat, fork.chat.headMessageId);
  must(store.createChat(second));

  // Drafts with files, also of the draft to all panes.
  must(store.putDraft(chats[6], {file("draft.txt", "text/plain", "초안 draft")}));
  must(store.putDraftToAll({file("all.py", "text/x-python", "print('all')\n")}));

  ModelSettings model{.path = "/models/모델.gguf"};
  model.contextLength = 8192;
  model.device = "cuda:0";
  model.threads = 6;
  model.kvMiB = 512;
  model.kvType = "q8_0";
  model.keepLoaded = true;
  model.unloadAfterMinutes = 15;
  model.generation.topK = 40;
  model.generation.minP = 0.05;
  model.unknown = R"({"rope":{"scale":2}})";
  model.lastUsedMs = tick();
  must(store.putModelSettings(model));
  must(store.putModelSettings({.path = "/models/other", .lastUsedMs = tick()}));
  must(store.putSetting("theme", "dark"));
  must(store.putSetting("language", "ko"));

  // The last: being written when the program was killed.
  ChatRecord& open = chats[10];
  const MessageRecord last = writer.question(open, open.headMessageId, "Still there?");
  const MessageRecord cut = writer.emptyAnswer(open, last.id);
  open.headMessageId = cut.id;
  open.activeMs = g_now;
  must(store.beginTurn(open, last, cut));
  must(store.checkpointAnswer(cut.id, "The beginning of an ans", {}));
}

QJsonArray toJson(const QList<qint32>& tokens) {
  QJsonArray array;
  for (const qint32 token : tokens) array.append(token);
  return array;
}

QJsonObject toJson(const AttachmentRecord& one) {
  return {{"name", one.name},
          {"media_type", one.mediaType},
          {"bytes", one.bytes},
          {"text", one.text},
          {"tokens", one.tokens}};
}

QJsonObject toJson(const ConversationStore& store, const MessageRecord& message,
                   const QHash<RecordId, int>& indexOf) {
  QJsonObject object{
      {"parent", indexOf.value(message.parentId, -1)},
      {"role", static_cast<int>(message.role)},
      // Opening marks what a kill cut off.
      {"status", message.status == MessageStatus::Streaming ? 2 : static_cast<int>(message.status)},
      {"text", message.text},
      {"tokens", toJson(message.tokens)},
      {"error", message.error},
      {"model", message.modelName},
      {"fingerprint", message.modelFingerprint},
      {"seed", QString::number(message.seed)},
      {"temperature", message.temperature},
      {"counts", QJsonArray{message.promptTokens, message.cachedTokens, message.diskTokens,
                            message.reusedTokens, message.forkedTokens, message.outputTokens}},
      {"times", QJsonArray{message.firstTokenMs, message.totalMs, message.thinkingMs}},
      {"created_ms", message.createdMs}};
  QJsonArray files;
  for (const AttachmentRecord& one : must(store.attachments(message.chatId))) {
    if (one.messageId == message.id) files.append(toJson(one));
  }
  object["attachments"] = files;
  if (const auto origin = must(store.origin(message.id))) {
    object["origin"] = QJsonObject{{"template_hash", origin->templateHash},
                                   {"prompt", toJson(origin->promptTokens)},
                                   {"end", static_cast<int>(origin->end)},
                                   {"device", origin->deviceName},
                                   {"seed", QString::number(origin->sampling.seed)},
                                   {"top_p", static_cast<double>(origin->sampling.top_p)},
                                   {"stop", QString::fromStdString(origin->sampling.stop[1])}};
  }
  return object;
}

QJsonObject toJson(const ConversationStore& store, const ChatRecord& chat) {
  const auto messages = must(store.messages(chat.id));
  QHash<RecordId, int> indexOf;
  for (const MessageRecord& message : messages)
    indexOf.insert(message.id, static_cast<int>(indexOf.size()));
  QJsonArray list;
  for (const MessageRecord& message : messages) list.append(toJson(store, message, indexOf));
  QJsonArray files;
  for (const AttachmentRecord& one : must(store.draftFiles(chat.id))) files.append(toJson(one));
  QJsonArray compared;
  for (const ComparedAnswer& one : must(store.comparedAnswers(chat.id)))
    compared.append(QJsonArray{indexOf[one.messageId], one.label});
  QString persona;
  for (const PersonaRecord& one : must(store.personas()))
    if (one.id == chat.personaId) persona = one.name;
  QString folder;
  for (const FolderRecord& one : must(store.folders()))
    if (one.id == chat.folderId) folder = one.name;
  return {{"title", chat.title},
          {"automatic", chat.titleIsAutomatic},
          {"persona", persona},
          {"folder", folder},
          {"head", indexOf.value(chat.headMessageId, -1)},
          {"color", chat.color},
          {"draft", chat.draft},
          {"created_ms", chat.createdMs},
          {"active_ms", chat.activeMs},
          {"pinned", chat.pinned},
          {"archived", chat.archived},
          {"unread", chat.unread},
          {"is_fork", chat.forkedFrom != 0},
          {"model_path", chat.modelPath},
          {"settings", toJson(chat.settings)},
          {"draft_files", files},
          {"compared", compared},
          {"messages", list}};
}

QJsonObject expected(const ConversationStore& store) {
  QJsonArray chats;
  for (const ChatRecord& chat : must(store.chats())) chats.append(toJson(store, chat));
  QJsonArray personas;
  for (const PersonaRecord& one : must(store.personas())) {
    personas.append(QJsonObject{{"name", one.name},
                                {"system_prompt", one.systemPrompt},
                                {"description", one.description},
                                {"icon", one.icon},
                                {"color", one.color},
                                {"settings", toJson(one.settings)},
                                {"pinned", one.pinned},
                                {"position", one.position},
                                {"preset", one.presetId},
                                {"created_ms", one.createdMs}});
  }
  QJsonArray folders;
  for (const FolderRecord& one : must(store.folders())) {
    folders.append(QJsonObject{{"name", one.name},
                               {"position", one.position},
                               {"is_open", one.isOpen},
                               {"created_ms", one.createdMs}});
  }
  QJsonArray models;
  for (const ModelSettings& one : must(store.allModelSettings())) {
    models.append(QJsonObject{{"path", one.path},
                              {"context_length", one.contextLength.value_or(-1)},
                              {"device", one.device},
                              {"threads", one.threads.value_or(-1)},
                              {"kv_mib", one.kvMiB.value_or(-1)},
                              {"kv_type", one.kvType},
                              {"keep_loaded", one.keepLoaded.value_or(false)},
                              {"unload", one.unloadAfterMinutes.value_or(-1)},
                              {"generation", toJson(one.generation)},
                              {"unknown", QString::fromUtf8(one.unknown)},
                              {"last_used_ms", one.lastUsedMs}});
  }
  QJsonArray toAll;
  for (const AttachmentRecord& one : must(store.draftFiles(0))) toAll.append(toJson(one));
  return {{"chats", chats},
          {"personas", personas},
          {"folders", folders},
          {"models", models},
          {"draft_to_all", toAll},
          {"theme", *must(store.setting("theme"))},
          {"language", *must(store.setting("language"))}};
}

void keep(const QString& path, const QByteArray& bytes) {
  QFile file(path + ".z");
  if (!file.open(QIODevice::WriteOnly) || file.write(qCompress(bytes, 9)) < 0) qFatal("write");
}

QByteArray contentOf(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) qFatal("read");
  return file.readAll();
}

}  // namespace

int main(int argc, char** argv) {
  QCoreApplication application(argc, argv);
  const QString folder = argv[1];
  {
    auto store = must(ConversationStore::open(folder));
    fill(*store);
    while (must(store->tendSearch())) {
    }
    keep(folder + "/expected.json", QJsonDocument(expected(*store)).toJson(QJsonDocument::Compact));
  }
  must(exportJson(folder, {}, folder + "/export.json", [](qint64, qint64) { return true; }));
  keep(folder + "/export.json", contentOf(folder + "/export.json"));
  keep(folder + "/quire.db", contentOf(folder + "/quire.db"));
}
