#include "app/store/persona_table.h"

namespace quire::persona_table {
namespace {

const QString kColumns = QStringLiteral(
    "id, name, system_prompt, color, preset_id, created_ms, icon, description, settings, pinned, "
    "position");

PersonaRecord fromRow(const QSqlQuery& row) {
  PersonaRecord persona;
  persona.id = row.value(0).toLongLong();
  persona.name = row.value(1).toString();
  persona.systemPrompt = row.value(2).toString();
  persona.color = row.value(3).toInt();
  persona.presetId = row.value(4).toString();
  persona.createdMs = row.value(5).toLongLong();
  persona.icon = row.value(6).toString();
  persona.description = row.value(7).toString();
  persona.settings = generationSettingsFromJson(row.value(8).toString());
  persona.pinned = row.value(9).toBool();
  persona.position = row.value(10).toInt();
  return persona;
}

}  // namespace

Result<QList<PersonaRecord>> readAll(const Database& database) {
  QList<PersonaRecord> personas;
  Statement select(database,
                   QStringLiteral("SELECT %1 FROM persona ORDER BY position, id").arg(kColumns));
  auto read = select.forEach([&](const QSqlQuery& row) { personas.append(fromRow(row)); });
  if (!read) return read.error();
  return personas;
}

Result<void> put(const Database& database, const PersonaRecord& persona) {
  return Statement(
             database,
             QStringLiteral("INSERT INTO persona (%1) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                            "ON CONFLICT (id) DO UPDATE SET name = excluded.name, "
                            "system_prompt = excluded.system_prompt, color = excluded.color, "
                            "preset_id = excluded.preset_id, created_ms = excluded.created_ms, "
                            "icon = excluded.icon, description = excluded.description, "
                            "settings = excluded.settings, pinned = excluded.pinned, "
                            "position = excluded.position")
                 .arg(kColumns))
      .bind(persona.id)
      .bind(persona.name)
      .bind(persona.systemPrompt)
      .bind(persona.color)
      .bind(persona.presetId)
      .bind(persona.createdMs)
      .bind(persona.icon)
      .bind(persona.description)
      .bind(toJson(persona.settings))
      .bind(persona.pinned)
      .bind(persona.position)
      .run();
}

Result<void> remove(const Database& database, RecordId id) {
  return Statement(database, QStringLiteral("DELETE FROM persona WHERE id = ?")).bind(id).run();
}

}  // namespace quire::persona_table
