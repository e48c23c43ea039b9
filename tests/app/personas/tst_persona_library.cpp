#include "app/personas/persona_library.h"
#include "app/session/interface_language.h"

#include <QAbstractItemModelTester>
#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/personas/persona_labels.h"
#include "tests/support/fake_backend.h"

using namespace quire;

namespace {

const QByteArray kPresets = R"([
  {"id": "a", "first": true, "icon": "persona-book", "color": 9, "settings": {"temperature": 0.4},
   "en": {"name": "Teacher", "description": "Teaches", "prompt": "You are a teacher. Be plain."},
   "ko": {"name": "선생님", "description": "가르칩니다", "prompt": "당신은 선생님입니다."}},
  {"id": "b", "first": true, "icon": "persona-pen", "color": 1,
   "en": {"name": "Editor", "description": "Edits", "prompt": "You are an editor."}},
  {"id": "c", "icon": "persona-code", "color": 2,
   "en": {"name": "Critic", "description": "Criticises", "prompt": "You are a critic."}}
])";

/// A store and a library that can be reopened.
struct Room {
  explicit Room(const QString& folder) : session(folder), defaults(backend, session) {
    if (!session.open()) qFatal("The store does not open.");
    library = std::make_unique<PersonaLibrary>(backend, backend, session, defaults, list,
                                               [this] { return numChats; });
  }
  ~Room() {
    library->close();
    session.flush(5000);
  }

  FakeBackend backend;
  DataSession session;
  GenerationDefaults defaults;
  PersonaListModel list;
  QHash<RecordId, int> numChats;
  std::unique_ptr<PersonaLibrary> library;
};

QStringList names(const PersonaListModel& list) {
  QStringList all;
  for (const PersonaRecord& persona : list.personas()) all.append(persona.name);
  return all;
}

}  // namespace

class PersonaLibraryTest : public QObject {
  Q_OBJECT

  const InterfaceLanguage m_language;

 private slots:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  void firstPresets_becomePersonas_once() {
    {
      Room room(m_folder->path());
      QVERIFY(room.library->load(kPresets, "en"));
      QCOMPARE(names(room.list), QStringList({"Teacher", "Editor"}));
      const PersonaRecord teacher = room.list.personas()[0];
      QCOMPARE(teacher.settings.temperature, std::optional(0.4));
      QCOMPARE(teacher.color, 3);
      QCOMPARE(teacher.icon, QString("persona-book"));
      room.library->remove(room.list.personas()[1].id);
    }
    Room room(m_folder->path());
    QVERIFY(room.library->load(kPresets, "ko"));
    QCOMPARE(names(room.list), QStringList({"Teacher"}));
  }

  void presets_areAddedInTheLanguageOfTheWindow() {
    Room room(m_folder->path());
    QVERIFY(room.library->load(kPresets, "en"));
    room.library->setLanguage("ko");
    room.library->addPreset("a");
    room.library->addPreset("c");  // Has no Korean texts.
    QCOMPARE(names(room.list), QStringList({"Teacher", "Editor", "선생님", "Critic"}));
  }

  void bundledPresets_areComplete_inBothLanguages() {
    QFile file(QStringLiteral(QUIRE_SOURCE_DIR "/resources/personas/presets.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray json = file.readAll();
    const auto english = parsePersonaPresets(json, "en");
    const auto korean = parsePersonaPresets(json, "ko");
    QVERIFY(english && korean);
    QVERIFY(english->size() >= 8);
    FakeBackend backend;
    const QStringList icons = PersonaEditor(backend, backend).iconNames();
    for (qsizetype i = 0; i < english->size(); ++i) {
      const PersonaRecord& en = (*english)[i].persona;
      const PersonaRecord& ko = (*korean)[i].persona;
      QVERIFY2(en.name != ko.name && en.systemPrompt != ko.systemPrompt, qPrintable(en.name));
      QVERIFY2(!en.description.isEmpty() && !ko.description.isEmpty(), qPrintable(en.name));
      QVERIFY2(icons.contains(en.icon), qPrintable(en.icon));
      QVERIFY2(en.settings.unknown.isEmpty(), qPrintable(en.name));
      QVERIFY2(QFile::exists(QString(QUIRE_SOURCE_DIR "/resources/icons/%1.svg").arg(en.icon)),
               qPrintable(en.icon));
    }
  }

  void everyIcon_existsAndHasALabelOfItsOwn() {
    FakeBackend backend;
    const PersonaEditor editor(backend, backend);
    const QStringList icons = editor.iconNames();
    QVERIFY(icons.size() >= 24);
    QSet<QString> labels;
    for (const QString& icon : icons) {
      QVERIFY2(!editor.iconLabel(icon).isEmpty(), qPrintable(icon));
      labels.insert(editor.iconLabel(icon));
      QVERIFY2(QFile::exists(QString(QUIRE_SOURCE_DIR "/resources/icons/%1.svg").arg(icon)),
               qPrintable(icon));
    }
    QCOMPARE(labels.size(), icons.size());
    QCOMPARE(editor.iconLabel("persona-of-nobody"), QString());
  }

  void damagedPresets_giveAnError() {
    QVERIFY(!parsePersonaPresets("{", "en"));
    QVERIFY(!parsePersonaPresets(R"([{"id": "a"}])", "en"));
    QVERIFY(!parsePersonaPresets(R"([7])", "en"));
  }

  void edit_isStoredOnSave_andDiscardedOnCancel() {
    RecordId id = 0;
    {
      Room room(m_folder->path());
      QVERIFY(room.library->load(kPresets, "en"));
      id = room.list.personas()[0].id;
      PersonaEditor& editor = *room.library->editor();
      room.library->edit(id);
      QVERIFY(editor.isOpen());
      QVERIFY(!editor.canSave());
      editor.setName("Nobody");
      editor.cancel();
      QCOMPARE(room.list.find(id)->name, QString("Teacher"));
      room.library->edit(id);
      QCOMPARE(editor.name(), QString("Teacher"));
      editor.setName("  Plain   teacher ");
      editor.setIconName("persona-sun");
      editor.generation()->set(0, "0.9");
      QVERIFY(editor.canSave());
      editor.save();
      QVERIFY(!editor.isOpen());
    }
    Room room(m_folder->path());
    QVERIFY(room.library->load(kPresets, "en"));
    QCOMPARE(room.list.find(id)->name, QString("Plain teacher"));
    QCOMPARE(room.list.find(id)->icon, QString("persona-sun"));
    QCOMPARE(room.list.find(id)->settings.temperature, std::optional(0.9));
  }

  void adapter_isChosenStoredAndRemoved() {
    QDir(m_folder->path()).mkpath("tone");
    QFile config(m_folder->path() + "/tone/adapter_config.json");
    QVERIFY(config.open(QIODevice::WriteOnly));
    RecordId id = 0;
    {
      Room room(m_folder->path());
      QVERIFY(room.library->load(kPresets, "en"));
      id = room.list.personas()[0].id;
      PersonaEditor& editor = *room.library->editor();
      room.library->edit(id);
      QCOMPARE(editor.adapterName(), QString());
      QVERIFY(!editor.canSave());
      editor.setAdapterFile(QUrl::fromLocalFile(config.fileName()));
      QCOMPARE(editor.adapterName(), QString("tone"));
      QCOMPARE(editor.adapterProblem(), QString());
      QVERIFY(editor.canSave());
      editor.save();
    }
    {
      Room room(m_folder->path());
      QVERIFY(room.library->load(kPresets, "en"));
      QCOMPARE(room.list.find(id)->adapterPath, m_folder->path() + "/tone");
      PersonaEditor& editor = *room.library->editor();
      room.library->edit(id);
      editor.setAdapterFile(QUrl::fromLocalFile("/models/formal.gguf"));
      QCOMPARE(editor.adapterName(), QString("formal.gguf"));
      QVERIFY(editor.adapterProblem().startsWith("The file is not there any more"));
      editor.removeAdapter();
      QCOMPARE(editor.adapterName(), QString());
      QCOMPARE(editor.adapterProblem(), QString());
      editor.save();
      QCOMPARE(room.list.find(id)->adapterPath, QString());
    }
  }

  void pinnedPersonas_withAnAdapterAreNotKeptWarm() {
    Room room(m_folder->path());
    QVERIFY(room.library->load(kPresets, "en"));
    PersonaRecord teacher = room.list.personas()[0];
    room.library->setPinned(teacher.id, true);
    QVERIFY(!room.backend.inspector().warmPrompts.isEmpty());
    room.library->edit(teacher.id);
    room.library->editor()->setAdapterFile(QUrl::fromLocalFile("/models/formal.gguf"));
    room.library->editor()->save();
    const QList<PersonaPrompt> adapted = {{teacher.systemPrompt, "/models/formal.gguf"}};
    QVERIFY(room.backend.inspector().warmPrompts == adapted);
  }

  void personaWithoutAName_isNotSaved() {
    Room room(m_folder->path());
    QVERIFY(room.library->load({}, "en"));
    room.library->create();
    room.library->editor()->setPrompt("You are nobody.");
    QVERIFY(!room.library->editor()->canSave());
    room.library->editor()->save();
    QCOMPARE(room.list.count(), 0);
    room.library->editor()->setName("Nobody");
    room.library->editor()->save();
    QCOMPARE(names(room.list), QStringList({"Nobody"}));
  }

  void changedPrompt_warnsOfRecomputation() {
    Room room(m_folder->path());
    QVERIFY(room.library->load(kPresets, "en"));
    const PersonaRecord teacher = room.list.personas()[0];
    room.numChats[teacher.id] = 3;
    room.backend.inspector().personaReports["You are a teacher."] = {
        .tokens = 1061, .residentTokens = 960, .diskTokens = 64};
    PersonaEditor& editor = *room.library->editor();
    room.library->edit(teacher.id);
    editor.setName("Other");
    QCOMPARE(editor.warning(), QString());
    editor.setPrompt("You are a teacher.");
    QTRY_COMPARE(editor.warning(),
                 QString("Used by 3 chats. 37 tokens of this prompt will be computed once for all "
                         "of them, and each chat's messages when it continues."));
    QVERIFY(editor.costText().startsWith("1,061 tokens. "));
    editor.setPrompt(teacher.systemPrompt);
    QCOMPARE(editor.warning(), QString());
  }

  void remove_canBeUndone_untilItIsFinal() {
    Room room(m_folder->path());
    QVERIFY(room.library->load(kPresets, "en"));
    QSignalSpy removed(room.library.get(), &PersonaLibrary::personaRemoved);
    const RecordId id = room.list.personas()[0].id;
    room.library->remove(id);
    QCOMPARE(names(room.list), QStringList({"Editor"}));
    QVERIFY(room.library->undoText().contains("Teacher"));
    room.library->undoRemove();
    QCOMPARE(names(room.list), QStringList({"Teacher", "Editor"}));
    QVERIFY(removed.isEmpty());
    room.library->remove(id);
    room.library->close();
    QCOMPARE(removed.size(), 1);
    QCOMPARE(removed[0][0].toLongLong(), id);
  }

  void order_isStored() {
    {
      Room room(m_folder->path());
      QVERIFY(room.library->load(kPresets, "en"));
      QAbstractItemModelTester tester(&room.list);
      room.library->addPreset("c");
      room.library->move(room.list.personas()[2].id, -1);
      room.library->move(room.list.personas()[0].id, -1);  // Has no effect on the first.
      QCOMPARE(names(room.list), QStringList({"Teacher", "Critic", "Editor"}));
      room.library->duplicate(room.list.personas()[1].id);
    }
    Room room(m_folder->path());
    QVERIFY(room.library->load(kPresets, "en"));
    QCOMPARE(names(room.list), QStringList({"Teacher", "Critic", "Editor", "Critic (copy)"}));
  }

  void search_matchesAllFields_andShowsWhenNothingMatches() {
    Room room(m_folder->path());
    QVERIFY(room.library->load(kPresets, "en"));
    PersonaFilter& shown = *room.library->shown();
    shown.setSearchText("plain TEACH");
    QCOMPARE(shown.rowCount(), 1);
    QCOMPARE(shown.emptyText(), QString());
    shown.setSearchText("accountant");
    QCOMPARE(shown.rowCount(), 0);
    QVERIFY(shown.emptyText().contains("accountant"));
    shown.setSearchText("");
    QCOMPARE(shown.rowCount(), 2);
  }

  void remove_staysRemovedWhenTheStoreIsReadAgain() {
    Room room(m_folder->path());
    QVERIFY(room.library->load(kPresets, "en"));
    room.library->remove(room.list.personas()[0].id);
    room.session.flush(5000);
    QVERIFY(room.library->load(kPresets, "en"));  // As after an import.
    QCOMPARE(names(room.list), QStringList({"Editor"}));
    room.library->undoRemove();
    QCOMPARE(names(room.list), QStringList({"Teacher", "Editor"}));
  }

  void unknownIcon_isTheDefault() {
    Room room(m_folder->path());
    QVERIFY(room.library->load(kPresets, "en"));
    PersonaRecord persona = room.list.personas()[0];
    persona.icon = "../../another-file";
    room.list.put(persona);
    const auto icon = room.list.data(room.list.index(0), PersonaListModel::kIconName);
    QCOMPARE(icon.toString(), QString("persona"));
    room.library->edit(persona.id);
    QCOMPARE(room.library->editor()->iconName(), QString("persona"));
  }

  void pinnedPersona_isKeptWarm() {
    Room room(m_folder->path());
    QVERIFY(room.library->load(kPresets, "en"));
    const PersonaRecord teacher = room.list.personas()[0];
    room.library->setPinned(teacher.id, true);
    const QList<PersonaPrompt> pinned = {{teacher.systemPrompt, QString()}};
    QVERIFY(room.backend.inspector().warmPrompts == pinned);
    room.library->remove(teacher.id);
    QVERIFY(room.backend.inspector().warmPrompts.isEmpty());
  }

  void cards_showTheCacheState_whileWatched() {
    Room room(m_folder->path());
    QVERIFY(room.library->load(kPresets, "en"));
    const PersonaRecord teacher = room.list.personas()[0];
    room.numChats[teacher.id] = 5;
    room.backend.inspector().personaReports[teacher.systemPrompt] = {
        .tokens = 1030, .residentTokens = 1024, .sharingChats = 3, .bytesSaved = 256'000'000};
    const auto role = [&](int what) { return room.list.data(room.list.index(0), what); };
    QCOMPARE(role(PersonaListModel::kWarmthText).toString(), QString());
    room.library->setWatched(true);
    QTRY_COMPARE(role(PersonaListModel::kWarmthText).toString(), QString("Ready · 1,030 tokens"));
    QCOMPARE(role(PersonaListModel::kUsageText).toString(),
             QString("shared by 3 chats · saves 256 MB"));
    QVERIFY(role(PersonaListModel::kIsWarm).toBool());
  }

  void cards_nameTheAdapter() {
    Room room(m_folder->path());
    QVERIFY(room.library->load(kPresets, "en"));
    const auto text = [&] {
      return room.list.data(room.list.index(0), PersonaListModel::kAdapterText).toString();
    };
    QCOMPARE(text(), QString());
    PersonaRecord persona = room.list.personas()[0];
    persona.adapterPath = "/adapters/formal.gguf";
    room.list.put(persona);
    QCOMPARE(text(), QString("Adapter formal.gguf"));
  }

  void warmthText_describesTheCacheState_data() {
    QTest::addColumn<int>("resident");
    QTest::addColumn<int>("disk");
    QTest::addColumn<QString>("text");
    QTest::newRow("warm") << 1024 << 0 << "Ready · 1,030 tokens";
    QTest::newRow("a block short") << 1008 << 0 << "Partly cached · 1,008 of 1,030 tokens";
    QTest::newRow("disk") << 0 << 1024 << "On disk · 1,030 tokens";
    QTest::newRow("cold") << 0 << 0 << "Not cached · 1,030 tokens";
  }
  void warmthText_describesTheCacheState() {
    QFETCH(int, resident);
    QFETCH(int, disk);
    QFETCH(QString, text);
    QCOMPARE(warmthText({.tokens = 1030, .residentTokens = resident, .diskTokens = disk}), text);
  }

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
};

int main(int argc, char** argv) {
  QLocale::setDefault(QLocale(QLocale::English));
  QCoreApplication application(argc, argv);
  PersonaLibraryTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "tst_persona_library.moc"
