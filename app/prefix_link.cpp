#include "app/prefix_link.h"

#include <QDir>
#include <QFileInfo>

#include <utility>

#include "app/store/setting_keys.h"

namespace quire {
namespace {

constexpr quint64 kMaxMebibytes = 1 << 30;
constexpr QLatin1String kPersonaKey = setting_keys::kPersonaCacheMiB;
constexpr QLatin1String kChatKey = setting_keys::kChatCacheMiB;

uint64_t budget(AppModel& app, const QString& key, std::optional<int> mebibytes,
                uint64_t fallback) {
  bool isNumber = false;
  const quint64 set = app.session().setting(key).toULongLong(&isNumber);
  if (mebibytes) return static_cast<uint64_t>(*mebibytes) << 20;
  return isNumber && set <= kMaxMebibytes ? set << 20 : fallback;
}

PrefixBudgets budgetsOf(AppModel& app, std::optional<int> mebibytes) {
  const PrefixBudgets standard;
  return {budget(app, kPersonaKey, mebibytes, standard.personaBytes),
          budget(app, kChatKey, mebibytes, standard.chatBytes)};
}

std::vector<PrefixOwner> ownersIn(AppModel& app) {
  std::vector<PrefixOwner> owners;
  for (const RecordId id : app.chats()->ids()) {
    owners.push_back({PrefixOwner::Kind::kChat, id});
  }
  const PersonaListModel& personas = *app.personas();
  for (int row = 0; row < personas.count(); ++row) {
    const QVariant id = personas.data(personas.index(row), PersonaListModel::kPersonaId);
    owners.push_back({PrefixOwner::Kind::kPersona, id.toLongLong()});
  }
  return owners;
}

}  // namespace

std::shared_ptr<PrefixDatabase> openPrefixDatabase(const QString& dataFolder) {
  const QString path = QDir(dataFolder).absoluteFilePath(QStringLiteral("prefix.db"));
  // Where the folder itself cannot be used, the window says what is wrong and what to do.
  const auto log = [dataFolder](const std::string& line) {
    if (QFileInfo(dataFolder).isDir()) qWarning("%s", line.c_str());
  };
  return std::make_shared<PrefixDatabase>(PrefixDatabaseOptions{
      .path = std::filesystem::path(path.toStdU16String()), .mayReplaceAny = true, .log = log});
}

void linkPrefixDatabase(AppModel& app, std::shared_ptr<PrefixDatabase> database,
                        std::optional<int> mebibytes) {
  QObject::connect(app.store(), &StoreStatus::opened, &app, [&app, database, mebibytes] {
    database->setBudgets(budgetsOf(app, mebibytes));
    database->keepOnly(ownersIn(app));
  });
  QObject::connect(&app.session(), &DataSession::settingChanged, &app,
                   [&app, database, mebibytes](const QString& key) {
                     if (key != kPersonaKey && key != kChatKey) return;
                     database->setBudgets(budgetsOf(app, mebibytes));
                   });
  QObject::connect(app.personaLibrary(), &PersonaLibrary::personaRemoved, &app,
                   [database](qint64 id) {
                     database->forget({PrefixOwner::Kind::kPersona, id});
                   });
  QObject::connect(app.library(), &ChatLibrary::chatRemoved, &app,
                   [database = std::move(database)](qint64 id) {
                     database->forget({PrefixOwner::Kind::kChat, id});
                   });
}

}  // namespace quire
