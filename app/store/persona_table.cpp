#include "app/store/persona_table.h"

namespace quire::persona_table {
namespace {

PersonaRecord fromRow(const QSqlQuery& row) {
  PersonaRecord persona;
  persona.id = row.value(0).toLongLong();
  persona.name = row.value(1).toString();
  persona.systemPrompt = row.value(2).toString();
  persona.color = row.value(3).toInt();
  if (!row.isNull(4)) persona.temperature = row.value(4).toDouble();
  persona.presetId = row.value(5).toString();
  persona.createdMs = row.value(6).toLongLong();
  return persona;
}

}  // namespace

Result<QList<PersonaRecord>> readAll(const Database& database) {
  QList<PersonaRecord> personas;
  Statement select(database, QStringLiteral("SELECT id, name, system_prompt, color, temperature, "
                                            "preset_id, created_ms FROM persona ORDER BY id"));
  auto read = select.forEach([&](const QSqlQuery& row) { personas.append(fromRow(row)); });
  if (!read) return read.error();
  return personas;
}

Result<void> put(const Database& database, const PersonaRecord& persona) {
  return Statement(
             database,
             QStringLiteral("INSERT INTO persona (id, name, system_prompt, color, temperature, "
                            "preset_id, created_ms) VALUES (?, ?, ?, ?, ?, ?, ?) "
                            "ON CONFLICT (id) DO UPDATE SET name = excluded.name, "
                            "system_prompt = excluded.system_prompt, color = excluded.color, "
                            "temperature = excluded.temperature, preset_id = excluded.preset_id, "
                            "created_ms = excluded.created_ms"))
      .bind(persona.id)
      .bind(persona.name)
      .bind(persona.systemPrompt)
      .bind(persona.color)
      .bind(persona.temperature)
      .bind(persona.presetId)
      .bind(persona.createdMs)
      .run();
}

Result<void> remove(const Database& database, RecordId id) {
  return Statement(database, QStringLiteral("DELETE FROM persona WHERE id = ?")).bind(id).run();
}

}  // namespace quire::persona_table
