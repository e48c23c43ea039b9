// Draws the window in its states, for the eye: quire_screenshots FOLDER [light|dark] [state...].
// QT_SCALE_FACTOR chooses the scale, LC_ALL=ko_KR.UTF-8 LANGUAGE=ko the language. Not run by ctest.
#include <QDir>
#include <QGuiApplication>
#include <QQuickWindow>
#include <QTemporaryDir>
#include <QTest>

#include <cstdio>
#include <functional>
#include <map>

#include "app/viewmodels/app_model.h"
#include "app/window.h"
#include "tests/support/fake_backend.h"
#include "tests/support/sample_engine.h"

namespace {

using namespace quire;

const char* const kPagingAnswer =
    R"(Because the length of an answer is not known when it begins. A contiguous cache must **reserve the worst case**; a table of small blocks takes the next block only when the last one is full.

```cpp
if (num_tokens % kBlockSize == 0)  // the block is full
    table.push_back(pool.take());
```

So at most one block per chat is partly empty, whatever its length, and two chats that begin alike can point at the **same** blocks.

## What it costs

1. An indirection for each block, through `block_table[i]`.
2. A kernel that reads keys in pages:
   - 16 tokens a page
   - any page, anywhere
3. Nothing else of note.

| layout | waste | sharing |
|---|---:|---|
| contiguous | up to 80 % | none |
| paged | under 4 % | whole blocks |

> Paging is an old idea; see [the paper](https://arxiv.org/abs/2309.06180).

- [x] explained
- [ ] measured
)";

const char* const kKoreanAnswer = R"(네, 정중하고 짧게 다듬어 보았습니다.

**제목:** 회의 일정 변경 부탁드립니다

안녕하세요, 김 팀장님. 내일 오후 3시 회의를 *금요일 오전*으로 옮길 수 있을지 여쭙고자 연락드립니다. 자료는 `보고서_v2.pdf`로 미리 보내 드리겠습니다.

1. 금요일 오전 10시
2. 금요일 오전 11시

편하신 시간을 알려 주시면 감사하겠습니다.)";

struct Stage {
  QTemporaryDir folder;
  FakeBackend backend;
  std::unique_ptr<AppModel> app;
  std::unique_ptr<QQmlApplicationEngine> engine;

  QQuickWindow* window() const {
    return qobject_cast<QQuickWindow*>(engine->rootObjects().constFirst());
  }
  ChatModel& chat() const { return *app->currentChat(); }
  void open(const QString& theme, const QString& dataFolder);
  /// Sends a message in the current chat and lets the answer come as far as `ticks` bring it.
  void ask(const QString& message, const QString& answer, int ticks = 1000);
};

QByteArray presets() {
  QFile file(QStringLiteral(QUIRE_SOURCE_DIR "/resources/personas/presets.json"));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void Stage::open(const QString& theme, const QString& dataFolder) {
  app = std::make_unique<AppModel>(backend, dataFolder, presets());
  app->open();
  app->setThemeChoice(theme);
  engine = openWindow(*app);
  window()->resize(1440, 900);
}

void Stage::ask(const QString& message, const QString& answer, int ticks) {
  backend.queueAnswer(answer);
  const qsizetype before = backend.requests.size();
  chat().sendText(message);
  if (!QTest::qWaitFor([&] { return backend.requests.size() > before; }))
    qFatal("Nothing was asked.");
  backend.advance(ticks);
  QTest::qWait(30);
}

void chats(Stage& stage) {
  stage.ask("Haiku about page faults",
            "A page is missing.\nThe kernel looks, then finds it.\nThe program sleeps on.");
  stage.app->newChat();
  stage.ask("Trip to Busan, three days",
            "Day one: **Haeundae**.\n\nDay two: *Gamcheon*.\n\nDay three: the market.");
  stage.app->newChat();
  stage.ask("이메일 초안 다듬기", kKoreanAnswer);
}

void streaming(Stage& stage) {
  chats(stage);
  stage.app->newChat();
  stage.ask("Explain paging to a child",
            "Imagine you are writing a story but nobody knows how long it will be. " +
                QString("If you ask for one very big notebook, most of it stays **empty**. ")
                    .repeated(12),
            3);
  stage.app->newChat();
  stage.chat().setPersona(stage.app->personas()
                              ->data(stage.app->personas()->index(0), PersonaListModel::kPersonaId)
                              .toLongLong());
  stage.ask("Why does a page table beat one big contiguous cache?", kPagingAnswer, 37);
}

void longAnswer(Stage& stage) {
  chats(stage);
  stage.app->newChat();
  stage.ask("Why does a page table beat one big contiguous cache?", kPagingAnswer);
  stage.backend.queueAnswer(kPagingAnswer);
  stage.chat().regenerate(stage.chat().conversation().head());
  QTest::qWait(60);
  stage.backend.advance(500);
}

void errors(Stage& stage) {
  chats(stage);
  stage.app->newChat();
  stage.ask("A first question", "A first answer, **short** and whole.");
  stage.backend.failNext(
      "This conversation has 9,412 tokens and the model reads 8,192 at most. "
      "Begin a new chat, or edit an earlier message to make it shorter.");
  stage.ask("A question that is far too long", "");
  stage.ask("And one that is stopped",
            "This answer is stopped before its end because the reader has seen enough", 2);
  stage.chat().stop();
}

/// A chat that no longer fits: what the last answer left out, and what the next message would.
void overflow(Stage& stage) {
  chats(stage);
  stage.app->newChat();
  stage.backend.contextTokens = 4096;
  stage.ask("Why does a page table beat one big contiguous cache?", kPagingAnswer);
  stage.backend.promptDetails = {.diskTokens = 64, .droppedMessages = 6};
  stage.backend.promptDetails.miss = {.reason = PrefixMiss::Reason::kChanged, .message = 6};
  stage.backend.foretold = {
      .promptTokens = 2412, .contextTokens = 4096, .droppedMessages = 10, .error = {}};
  stage.ask("And what does it cost to share the blocks?",
            "One reference count a block, and a copy when the first of two writers differs.");
  stage.chat().setDraft("What if both write at once?");
  QTest::qWait(500);
}

void tooLong(Stage& stage) {
  chats(stage);
  stage.backend.contextTokens = 4096;
  stage.backend.foretold = {.promptTokens = 9412,
                            .contextTokens = 4096,
                            .droppedMessages = 2,
                            .error = "The prompt has 9412 tokens."};
  stage.backend.setState(ChatBackend::State::Ready);
  stage.chat().setDraft(QString("A very long paste, line after line of it. ").repeated(600));
  QTest::qWait(500);
}

/// So many panes, each with a question and an answer that is still being written.
void panes(Stage& stage, int count) {
  chats(stage);
  const QStringList questions = {"Why does a page table beat one big contiguous cache?",
                                 "Explain paging to a child", "What does sharing a block cost?",
                                 "Write a haiku about paging"};
  stage.app->newChat();
  stage.app->panes()->setCount(count);
  for (int pane = 0; pane < count; ++pane) {
    stage.app->panes()->setFocusedPane(pane);
    stage.chat().setPersona(
        stage.app->personas()
            ->data(stage.app->personas()->index(pane % 3), PersonaListModel::kPersonaId)
            .toLongLong());
    stage.ask(questions[pane % 4], kPagingAnswer, 12 + 5 * pane);
  }
  stage.app->panes()->setFocusedPane(0);
}

const char* const kReasonedAnswer =
    R"(<think>
The user asks for the roots. I use the **quadratic formula**, and check the sign of the discriminant.

- it is positive here
</think>

The roots of $ax^2 + bx + c = 0$, with $a \neq 0$, are

$$x_{1,2} = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}$$

so a rotation by $\theta$, which costs \$5 to nobody, is

\[ R = \begin{bmatrix} \cos\theta & -\sin\theta \\ \sin\theta & \cos\theta \end{bmatrix} \]

and for all $x \in \mathbb{R}^n$, $\sum_{i=1}^{n} x_i^2 \geq 0$.

```python
def roots(a, b, c):  # real ones only
    """Both roots."""
    d = b**2 - 4*a*c
    if d < 0:
        raise ValueError(f"no real root: {d}")
    return [(-b + s * math.sqrt(d)) / (2 * a) for s in (1, -1)]
```
)";

void reasoned(Stage& stage) {
  chats(stage);
  stage.app->newChat();
  stage.ask("Roots of a quadratic?", kReasonedAnswer);
}

void reasonedOpen(Stage& stage) {
  reasoned(stage);
  stage.chat().timeline()->toggleFold(1);
}

void thinking(Stage& stage) {
  chats(stage);
  stage.app->newChat();
  stage.ask("Roots of a quadratic?", kReasonedAnswer, 7);
}

/// Long code and a long question, as they are when a chat is opened.
void folded(Stage& stage) {
  chats(stage);
  stage.app->newChat();
  QString code = "Here it is:\n\n```cpp\n";
  for (int i = 0; i < 812; ++i) code += QString("int value%1 = compute(%1);  // line\n").arg(i);
  stage.ask(QString("A long question, line after line.\n").repeated(200), code + "```\n\nDone.",
            5000);
  const RecordId id = stage.chat().chatId();
  QTest::qWait(300);
  stage.engine.reset();
  stage.app.reset();
  stage.open("light", stage.folder.path());
  stage.app->openChat(id);
}

/// Three chats that are being answered, a minute of work behind them, and a block that is read.
void engineAtWork(Stage& stage) {
  chats(stage);
  streaming(stage);
  QList<qint64> ids;
  for (int row = 0; row < 3; ++row) ids.append(stage.app->chats()->idAt(row));
  static qint64 now = 0;
  now = 0;
  stage.app->monitor()->setClock([] { return now; });
  for (int second = 0; second < 120; ++second) {
    now += 500;
    emit stage.backend.engineMeasured(sampleReport(second < 30 ? 1 : second < 50 ? 2 : 3, second));
  }
  emit stage.backend.blockMapChanged(sampleMap(ids));
}

void enginePage(Stage& stage) {
  engineAtWork(stage);
  stage.app->setPage(AppModel::Page::Engine);
  BlockMapModel& map = *stage.app->monitor()->blocks();
  stage.backend.readings[70] = {
      .isHeld = true,
      .text = " contiguous cache must reserve the worst case; a table of small blocks takes",
      .tokens = 16,
      .chatIds = {stage.app->chats()->idAt(0)},
      .firstToken = 1040,
      .message = 1};
  map.read(70);
}

void wholeEnginePage(Stage& stage) {
  stage.window()->resize(1440, 1760);
  enginePage(stage);
}

void enginePanel(Stage& stage) {
  engineAtWork(stage);
  stage.app->setEnginePanel(true);
}

void largePool(Stage& stage) {
  engineAtWork(stage);
  stage.app->setPage(AppModel::Page::Engine);
  emit stage.backend.blockMapChanged(sampleMap({stage.app->chats()->idAt(0)}, 20'000));
}

/// Pinned chats, folders, several days, an archive, and an answer that nobody has read.
void sidebar(Stage& stage) {
  chats(stage);
  ChatLibrary& library = *stage.app->library();
  StoreWriter& writer = stage.app->session().writer();
  const QStringList titles = {"Thesis: chapter 3 outline",
                              "Paging, explained to a sysadmin",
                              "Paging, explained to a child",
                              "Review: block_pool.cpp",
                              "논문 초록 다듬기",
                              "What to cook for eight",
                              "Tax form, line by line",
                              "Names for a small boat",
                              "Old notes",
                              "A poem for Mina"};
  const qint64 now = QDateTime::currentMSecsSinceEpoch();
  for (int i = 0; i < titles.size(); ++i) {
    ChatRecord chat;
    chat.id = stage.app->session().ids().next();
    chat.title = titles[i];
    chat.color = i % 4;
    chat.activeMs = now - i * i * 20LL * 3'600'000;
    chat.createdMs = chat.activeMs;
    chat.pinned = i == 0;
    chat.archived = i >= 8;
    chat.unread = i == 3;
    writer.putChat(chat);
    library.list()->put(chat);
    if (i == 1) library.createFolder("Paging", chat.id);
    if (i == 2)
      library.moveToFolder(chat.id,
                           library.folders()
                               ->data(library.folders()->index(0), FolderListModel::kFolderId)
                               .toLongLong());
    if (i == 6) library.createFolder("Household", chat.id);
  }
  library.toggleFolder(library.folders()
                           ->data(library.folders()->index(1), FolderListModel::kFolderId)
                           .toLongLong());
}

void type(Stage& stage, const QString& query) {
  stage.app->quickOpen()->showSearch();
  stage.app->quickOpen()->setQuery(query);
  QTest::qWait(300);
}

const std::map<QString, std::function<void(Stage&)>>& states() {
  static const std::map<QString, std::function<void(Stage&)>> kStates = {
      {"empty", [](Stage&) {}},
      {"broken", [](Stage&) {}},
      {"engine", enginePage},
      {"enginewhole", wholeEnginePage},
      {"enginepanel", enginePanel},
      {"engineidle", [](Stage& s) { s.app->setPage(AppModel::Page::Engine); }},
      {"enginelarge", largePool},
      {"sidebar", sidebar},
      {"sidebar-selected",
       [](Stage& s) {
         sidebar(s);
         s.app->library()->toggleArchive();
         s.app->chats()->setCurrent(s.chat().chatId());
         s.app->chats()->extendSelection(1);
       }},
      {"sidebar-hidden",
       [](Stage& s) {
         sidebar(s);
         s.app->sidebar()->toggle();
       }},
      {"search-recent",
       [](Stage& s) {
         sidebar(s);
         type(s, {});
       }},
      {"search",
       [](Stage& s) {
         sidebar(s);
         type(s, "page");
       }},
      {"search-korean",
       [](Stage& s) {
         sidebar(s);
         type(s, "회의");
       }},
      {"search-nothing",
       [](Stage& s) {
         sidebar(s);
         type(s, "zeppelin");
       }},
      {"commands",
       [](Stage& s) {
         sidebar(s);
         s.app->quickOpen()->showCommands();
       }},
      {"commands-found",
       [](Stage& s) {
         sidebar(s);
         type(s, ">thda");
       }},
      {"shortcuts",
       [](Stage& s) {
         sidebar(s);
         s.app->setPage(AppModel::Page::Shortcuts);
       }},
      {"welcome",
       [](Stage& s) {
         chats(s);
         s.app->newChat();
         s.chat().setPersona(2);
       }},
      {"streaming", streaming},
      {"answer", longAnswer},
      {"reasoned", reasoned},
      {"reasonedopen", reasonedOpen},
      {"thinking", thinking},
      {"folded", folded},
      {"korean", [](Stage& s) { chats(s); }},
      {"errors", errors},
      {"overflow", overflow},
      {"toolong", tooLong},
      {"reading",
       [](Stage& s) {
         chats(s);
         s.backend.charactersPerTick = 1;
         s.ask("What next?", "x", 0);
       }},
      {"panes2",
       [](Stage& s) {
         panes(s, 2);
         s.app->composer()->setToAll(true);
       }},
      {"panes3", [](Stage& s) { panes(s, 3); }},
      {"panes4", [](Stage& s) { panes(s, 4); }},
      {"panesnarrow",
       [](Stage& s) {
         s.window()->resize(680, 560);
         panes(s, 3);
       }},
      {"askn",
       [](Stage& s) {
         chats(s);
         s.app->newChat();
         s.app->composer()->plan()->setCount(3);
         s.app->composer()->plan()->setKind(AskPlan::Kind::Temperatures);
         for (int i = 0; i < 3; ++i) s.backend.queueAnswer(kPagingAnswer);
         s.chat().ask("Why does a page table beat one big contiguous cache?",
                      s.app->composer()->plan()->plans());
         QTest::qWait(200);
         s.backend.advance(30);
       }},
      {"paused",
       [](Stage& s) {
         panes(s, 2);
         s.app->pause()->toggle();
       }},
      {"deleting",
       [](Stage& s) {
         chats(s);
         s.chat().askRemoval(s.chat().conversation().path().first());
       }},
      {"cutoff",
       [](Stage& s) {
         chats(s);
         s.app->newChat();
         s.ask("Why does a page table beat one big contiguous cache?", kPagingAnswer, 20);
         s.chat().stop();
         QTest::qWait(50);
       }},
      {"editing",
       [](Stage& s) {
         chats(s);
         s.chat().edit(s.chat().conversation().path().first());
       }},
      {"loading",
       [](Stage& s) {
         chats(s);
         s.backend.setState(ChatBackend::State::Loading, "Loading Qwen3-8B-Q4_K_M.gguf…", 0.42);
       }},
      {"failed",
       [](Stage& s) {
         chats(s);
         s.backend.setState(ChatBackend::State::Failed,
                            "“/models/Qwen3-8B.gguf” ends after 3.1 of 4.7 GB. Download it again, "
                            "or start Quire with --model and another file.");
       }},
      {"deleted",
       [](Stage& s) {
         chats(s);
         s.app->library()->remove(s.chat().chatId());
       }},
  };
  return kStates;
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  qputenv("QT_QUICK_BACKEND", "software");
  QGuiApplication application(argc, argv);
  setUpLook();
  const QStringList arguments = QGuiApplication::arguments();
  const QString folder = arguments.value(1, QStringLiteral("."));
  const QString theme = arguments.value(2, QStringLiteral("light"));
  QDir().mkpath(folder);
  for (const auto& [name, drive] : states()) {
    if (arguments.size() > 3 && !arguments.mid(3).contains(name)) continue;
    Stage stage;
    // A folder below a file cannot be made: the state in which nothing can be opened.
    const bool broken = name == QLatin1String("broken");
    stage.open(theme,
               broken ? QGuiApplication::applicationFilePath() + "/quire" : stage.folder.path());
    drive(stage);
    QTest::qWait(500);
    const QString path = QStringLiteral("%1/%2-%3.png").arg(folder, name, theme);
    std::printf("%s %s\n", qPrintable(path),
                stage.window()->grabWindow().save(path) ? "" : "NOT WRITTEN");
  }
  return 0;
}
