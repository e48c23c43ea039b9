#include "app/store/damage_note.h"

#include <QFile>

#include "app/store/data_folder.h"

namespace quire {
namespace {

QString noteOf(const QString& storePath) {
  return storePath + QStringLiteral("-suspect");
}

}  // namespace

// Without a note the next start is as it would have been: there is nothing to say about that.
void noteDamage(const QString& storePath) {
  static_cast<void>(ensurePrivateFile(noteOf(storePath)));
}

bool isDamageNoted(const QString& storePath) {
  return QFile::exists(noteOf(storePath));
}

void forgetDamage(const QString& storePath) {
  QFile::remove(noteOf(storePath));
}

}  // namespace quire
