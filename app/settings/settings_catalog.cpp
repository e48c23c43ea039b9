#include "app/settings/settings_catalog.h"

#include <QCoreApplication>

#include <array>

#include "app/models/engine_settings.h"
#include "app/settings/generation_field.h"

namespace quire {
namespace {

constexpr size_t kMostTexts = 4;

struct Section {
  const char* id;
  const char* context;  ///< Of its heading on the page.
  const char* name;
  const char* icon;
};

constexpr Section kSections[] = {
    {"appearance", "AppearanceSection", "Appearance", "theme-light"},
    {"answers", "SettingsContent", "Answers", "persona-speech"},
    {"notifications", "NotificationSection", "Notifications", "unread"},
    {"engine", "EngineSection", "Engine", "engine"},
    {"server", "ServerSection", "Server", "server"},
    {"data", "StorageSection", "Data", "folder"},
    {"privacy", "SettingsContent", "Privacy", "persona-shield"},
    {"about", "SettingsContent", "About", "file"},
};
static_assert(std::size(kSections) == kNumSettingsSections);

const Section& sectionOf(SettingsSection section) {
  return kSections[static_cast<size_t>(section)];
}

/// A row that is written out in QML.
struct WrittenEntry {
  const char* id;
  SettingsSection section;
  const char* context;                        ///< The QML file.
  std::array<const char*, kMostTexts> texts;  ///< As in that file; unused ones are null.
  bool isAdvanced = false;
};

constexpr WrittenEntry kWritten[] = {
    {"theme",
     SettingsSection::kAppearance,
     "AppearanceSection",
     {"Theme", "Light, dark, or the same as the system."}},
    {"textSize",
     SettingsSection::kAppearance,
     "AppearanceSection",
     {"Text size", "Scales all text."}},
    {"language",
     SettingsSection::kAppearance,
     "AppearanceSection",
     {"Language", "For the window. Models answer in the language you write."}},
    {"notifyAnswers",
     SettingsSection::kNotifications,
     "NotificationSection",
     {"When an answer is ready",
      "Shows a notification while you are in another window. It names the chat, not what was "
      "written."}},
    {"notifySound",
     SettingsSection::kNotifications,
     "NotificationSection",
     {"Sound", "The desktop plays its sound for messages."}},
    {"device", SettingsSection::kEngine, "EngineSection", {"Device"}},
    {"engineModel",
     SettingsSection::kEngine,
     "EngineSection",
     {"Model", "Defaults for models without their own settings."}},
    {"loadedModels",
     SettingsSection::kEngine,
     "EngineSection",
     {"Loaded models", "Apply now", "Reloads them with these settings"}},
    {"idle",
     SettingsSection::kEngine,
     "EngineSection",
     {"Unload idle models",
      "Frees their memory. They load again automatically when a chat needs them."}},
    {"server",
     SettingsSection::kServer,
     "ServerSection",
     {"API server",
      "Lets other programs use your models, as they would use OpenAI's. Your chats come first."}},
    {"serverUse", SettingsSection::kServer, "ServerSection", {"In use"}},
    {"serverAddress",
     SettingsSection::kServer,
     "ServerSection",
     {"Address", "What programs ask for as the base URL."}},
    {"serverKey",
     SettingsSection::kServer,
     "ServerSection",
     {"API key", "Programs must send it with each request.", "New key"}},
    {"serverPort", SettingsSection::kServer, "ServerSection", {"Port"}},
    {"serverReach",
     SettingsSection::kServer,
     "ServerSection",
     {"Reachable from", "This computer", "Other computers, too"}},
    {"dataFolder", SettingsSection::kData, "StorageSection", {"Your chats", "Open folder"}},
    {"personaSpace",
     SettingsSection::kData,
     "StorageSection",
     {"Disk space for personas",
      "Keeps prepared instructions on disk, so that personas are ready right after a restart."},
     true},
    {"chatSpace",
     SettingsSection::kData,
     "StorageSection",
     {"Disk space for chats",
      "Keeps processed chats on disk, so that they continue at once after a restart."},
     true},
    {"backups",
     SettingsSection::kData,
     "DataSection",
     {"Back up now", "Export all chats…", "Import…",
      "Restoring a backup adds what is missing; nothing newer is overwritten."}},
    {"privacy", SettingsSection::kPrivacy, "SettingsContent", {"Privacy"}},
    {"shortcuts",
     SettingsSection::kAbout,
     "SettingsContent",
     {"Keyboard shortcuts", "All keys of Quire, by group."}},
    {"version", SettingsSection::kAbout, "SettingsContent", {"About"}},
    {"licence", SettingsSection::kAbout, "SettingsContent", {"Licence"}},
};

QList<CatalogEntry> writtenEntries() {
  QList<CatalogEntry> entries;
  for (const WrittenEntry& written : kWritten) {
    CatalogEntry entry{.id = QString::fromLatin1(written.id),
                       .section = written.section,
                       .isAdvanced = written.isAdvanced,
                       .context = written.context};
    for (const char* text : written.texts) {
      if (text) entry.texts.append(QString::fromUtf8(text));
    }
    entries.append(entry);
  }
  return entries;
}

/// The sampling settings.
QList<CatalogEntry> samplingEntries() {
  QList<CatalogEntry> entries;
  for (const GenerationField& field : generationFields()) {
    entries.append({QStringLiteral("sampling%1").arg(entries.size()),
                    SettingsSection::kAnswers,
                    field.isAdvanced(),
                    "quire::GenerationFieldTexts",
                    {QString::fromUtf8(field.name), QString::fromUtf8(field.help)}});
  }
  return entries;
}

/// The defaults for loading models.
QList<CatalogEntry> engineEntries() {
  QList<CatalogEntry> entries;
  for (int row = 0; row < EngineSettings::kNumRows; ++row) {
    entries.append({QStringLiteral("engine%1").arg(row), SettingsSection::kEngine,
                    EngineSettings::isAdvanced(row), "quire::EngineSettings",
                    EngineSettings::sourceTexts(row)});
  }
  return entries;
}

}  // namespace

const QList<CatalogEntry>& catalogEntries() {
  static const QList<CatalogEntry> kEntries =
      writtenEntries() + samplingEntries() + engineEntries();
  return kEntries;
}

QString sectionId(SettingsSection section) {
  return QString::fromLatin1(sectionOf(section).id);
}

SectionText sectionText(SettingsSection section) {
  return {sectionOf(section).context, sectionOf(section).name};
}

QString sectionName(SettingsSection section) {
  return QCoreApplication::translate(sectionOf(section).context, sectionOf(section).name);
}

QString sectionIcon(SettingsSection section) {
  return QString::fromLatin1(sectionOf(section).icon);
}

}  // namespace quire
