#include "app/settings/settings_catalog.h"

#include <QCoreApplication>

#include "app/models/engine_settings.h"
#include "app/settings/generation_field.h"

namespace quire {
namespace {

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

/// The rows that are written out in QML: the texts are those of their files.
QList<CatalogEntry> writtenEntries() {
  using enum SettingsSection;
  return {
      {"theme",
       kAppearance,
       false,
       "AppearanceSection",
       {"Theme", "Light, dark, or the same as the system."}},
      {"textSize", kAppearance, false, "AppearanceSection", {"Text size", "Scales all text."}},
      {"language",
       kAppearance,
       false,
       "AppearanceSection",
       {"Language", "Interface language; models reply in yours."}},
      {"notifyAnswers",
       kNotifications,
       false,
       "NotificationSection",
       {"When an answer is ready",
        "Shows a notification while you are in another window. It names the chat, not what was "
        "written."}},
      {"notifySound",
       kNotifications,
       false,
       "NotificationSection",
       {"Sound", "The desktop plays its sound for messages."}},
      {"device", kEngine, false, "EngineSection", {"Device"}},
      {"engineModel",
       kEngine,
       false,
       "EngineSection",
       {"Model", "Defaults for models without their own settings."}},
      {"loadedModels",
       kEngine,
       false,
       "EngineSection",
       {"Loaded models", "Apply now", "Reloads them with these settings"}},
      {"idle",
       kEngine,
       false,
       "EngineSection",
       {"Unload idle models",
        "Frees their memory. They load again automatically when a chat needs them."}},
      {"server",
       kServer,
       false,
       "ServerSection",
       {"API server",
        "Lets other programs use your models, as they would use OpenAI's. Your chats come first."}},
      {"serverUse", kServer, false, "ServerSection", {"In use"}},
      {"serverAddress",
       kServer,
       false,
       "ServerSection",
       {"Address", "What programs ask for as the base URL."}},
      {"serverKey",
       kServer,
       false,
       "ServerSection",
       {"API key", "Programs must send it with each request.", "New key"}},
      {"serverPort", kServer, false, "ServerSection", {"Port"}},
      {"serverReach",
       kServer,
       false,
       "ServerSection",
       {"Reachable from", "This computer", "Other computers, too"}},
      {"dataFolder", kData, false, "StorageSection", {"Your chats", "Open folder"}},
      {"personaSpace",
       kData,
       true,
       "StorageSection",
       {"Disk space for personas",
        "Keeps prepared instructions on disk, so that personas are ready right after a restart."}},
      {"chatSpace",
       kData,
       true,
       "StorageSection",
       {"Disk space for chats",
        "Keeps processed chats on disk, so that they continue at once after a restart."}},
      {"backups",
       kData,
       false,
       "DataSection",
       {"Back up now", "Export all chats…", "Import…",
        "Restoring a backup adds what is missing; nothing newer is overwritten."}},
      {"privacy", kPrivacy, false, "SettingsContent", {"Privacy"}},
      {"version", kAbout, false, "SettingsContent", {"About"}},
      {"licence", kAbout, false, "SettingsContent", {"Licence"}},
  };
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

QString sectionName(SettingsSection section) {
  return QCoreApplication::translate(sectionOf(section).context, sectionOf(section).name);
}

QString sectionIcon(SettingsSection section) {
  return QString::fromLatin1(sectionOf(section).icon);
}

}  // namespace quire
