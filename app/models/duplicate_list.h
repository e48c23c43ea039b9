#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "app/models/files/find_duplicates.h"
#include "app/models/model_card.h"
#include "app/role_list_model.h"
#include "app/task_runner.h"

namespace quire {

/// Models that lie on the disk more than once, by the hashes of their files. They are searched when
/// the user asks, because files of equal size are read as a whole. A row for each copy; the copies
/// of a model are adjacent.
///
/// Thread: the window's; files are read on a thread of its own.
class DuplicateList : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the library.")
  Q_PROPERTY(int count READ count NOTIFY changed)
  Q_PROPERTY(bool isOpen READ isOpen NOTIFY changed)
  Q_PROPERTY(bool isRunning READ isRunning NOTIFY changed)
  Q_PROPERTY(double progress READ progress NOTIFY progressed)
  Q_PROPERTY(QString summaryText READ summaryText NOTIFY progressed)

 public:
  enum Role { kPath = Qt::UserRole + 1, kName, kPlace, kIsFirst, kSizeText };

  explicit DuplicateList(QObject* parent = nullptr);

  void setCachePath(const QString& path) { m_cachePath = path; }
  int numRows() const override { return count(); }
  int count() const { return static_cast<int>(m_rows.size()); }
  bool isOpen() const { return m_isOpen; }
  bool isRunning() const { return m_isRunning; }
  double progress() const { return m_total > 0 ? double(m_done) / double(m_total) : 0.0; }
  QString summaryText() const;  ///< How far it is, or what could be freed.

  /// Shows the sheet and searches among the cards.
  void search(const QList<ModelCard*>& cards);
  Q_INVOKABLE void cancel();
  Q_INVOKABLE void close();
  /// A copy is gone.
  void remove(const QString& path);

 signals:
  void changed();
  void progressed();

 private:
  struct Row {
    QString path;
    QString name;
    QString place;
    qsizetype group = 0;
    qint64 bytes = 0;
  };

  void onFound(const QList<Row>& models, const DuplicateSearchResult& result);
  void setRows(const QList<Row>& rows);
  bool isFirst(int row) const;

  QString m_cachePath;
  QList<Row> m_rows;
  bool m_isOpen = false;
  bool m_isRunning = false;
  int m_numUnreadable = 0;
  qint64 m_done = 0;
  qint64 m_total = 0;
  TaskRunner m_tasks;
};

}  // namespace quire
