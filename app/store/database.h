#pragma once

#include <QByteArray>
#include <QString>

#include "app/store/sqlite/database.h"

namespace quire {

// Connections to Quire's SQLite file: WAL, synchronous FULL, foreign keys, deleted data
// overwritten. Only its owner can read the file.

/// Opens or creates `folder`/quire.db, and the folder (0700) if it is missing. With `recover`,
/// which the first connection sets, the structure is checked after an unclean stop, which takes
/// time in proportion to its size. Errors: kIo (the folder or file cannot be made or written, or
/// other users may write to it), kCorruptFile (not a database, or a damaged one, or a journal
/// beside it names another file or is that of another state), kUnsupported (another program's
/// database, or a newer Quire's). An empty file is damaged if it has a log, or
/// backups that are newer than the store that was moved aside last.
Result<std::unique_ptr<Database>> openStore(const QString& folder, bool recover = false);
/// Opens `folder`/quire.db for reading, also while another connection writes. Creates and migrates
/// nothing. Errors: kNotFound if there is no such file or nothing in it, and those of openStore().
Result<std::unique_ptr<Database>> openStoreForReading(const QString& folder);
/// The same for a file of any name: a backup.
Result<std::unique_ptr<Database>> openFileForReading(const QString& path);

/// Opens an existing file of any name, such as a copy of a backup, to change its rows. Its version
/// and its journal stay as they are. Errors as above.
Result<std::unique_ptr<Database>> openFileForWriting(const QString& path);

/// The first fault that SQLite's own check of the structure finds in the file, all of which it
/// reads; empty if there is none but in the search index, which is rebuilt.
Result<QString> structureFault(const Database& database);
/// The same. Errors: kCorruptFile with the first fault.
Result<void> checkStructure(const Database& database);
/// Whether a fault is one of the search index alone, which SQLite checks too from version 3.44 on.
bool concernsIndexAlone(const QString& fault);

/// Whether the file that the connection has open is still the one at its path. SQLite goes on
/// writing to a file that was deleted, and what it writes is lost. Errors: kIo with the path.
Result<void> checkPlace(const Database& database);

/// When the last connection closes, SQLite writes the log into the file and deletes it; not by a
/// connection that does not trust the log, because it may belong to another file.
void setLogIsTrusted(const Database& database, bool isTrusted);

/// The number of rows of a table that has ids. Not by count(*), which nothing limits or interrupts.
Result<int64_t> countRows(const Database& database, const std::string& table);

/// The path of the database in this folder; the file may be missing.
QString storePath(const QString& folder);
QString pathOf(const Database& database);

template <>
struct Column<QString> {
  static void bind(Statement& to, const QString& text) {
    const QByteArray utf8 = text.toUtf8();
    to.bindText({utf8.constData(), static_cast<size_t>(utf8.size())});
  }
  static QString read(const Statement& row, int column) {
    const std::string_view text = row.text(column);
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
  }
};

template <>
struct Column<QByteArray> {
  static void bind(Statement& to, const QByteArray& blob) {
    to.bindBlob(std::as_bytes(std::span(blob.constData(), static_cast<size_t>(blob.size()))), true);
  }
  static QByteArray read(const Statement& row, int column) {
    const auto blob = row.blob(column);
    return {reinterpret_cast<const char*>(blob.data()), static_cast<qsizetype>(blob.size())};
  }
};

/// The id of a record; 0, for none, is NULL in a column.
struct Reference {
  qint64 id = 0;
};

template <>
struct Column<Reference> {
  static void bind(Statement& to, Reference reference) {
    reference.id == 0 ? to.bindNull() : to.bindNumber(reference.id);
  }
};

}  // namespace quire
