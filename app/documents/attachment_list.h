#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QThreadPool>
#include <QUrl>

#include <atomic>
#include <memory>

#include "app/documents/attachment_file.h"
#include "app/engine/chat_backend.h"
#include "app/engine/model_manager.h"
#include "app/store/records.h"

namespace quire {

/// The files of a message: of a draft, where files are read, counted and removed, or of a sent one.
///
/// Thread: the window's; files are read on threads of its own, which its destructor waits for.
/// Invariants: records() holds exactly the files whose text is there, in the order of the rows;
/// isSendable() only if that is all of them and they are not known to be more than fits.
class AttachmentList : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by a chat.")
  Q_PROPERTY(int count READ count NOTIFY changed)
  Q_PROPERTY(QString note READ note NOTIFY changed)

 public:
  enum Role { kName = Qt::UserRole + 1, kDetail, kIsReading, kIsProblem };
  static constexpr int kMaxFiles = 20;

  AttachmentList(ChatBackend& backend, ModelManager& models, QObject* parent = nullptr);
  ~AttachmentList() override;

  int count() const { return static_cast<int>(m_items.size()); }
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  /// Whether these can be files of a message, by their names: no model, no address of the network.
  Q_INVOKABLE static bool accepts(const QList<QUrl>& urls);
  /// Before files are asked for; false: that cannot be, and note() says why.
  Q_INVOKABLE bool mayAsk();
  Q_INVOKABLE void add(const QList<QUrl>& urls);
  Q_INVOKABLE void remove(int row);

  /// The model that reads the message; empty: the primary one.
  void setModel(const QString& path);
  /// They were sent: what was counted then stays, whichever model comes next.
  void keepCounts() { m_keepsCounts = true; }

  void setRecords(const QList<AttachmentRecord>& records);
  QList<AttachmentRecord> records() const;
  void prepend(const QList<AttachmentRecord>& records);  ///< Before its own files.
  const AttachmentRecord* find(int row) const;           ///< Null: it has no text (yet).
  void clear() { setRecords({}); }
  bool isEmpty() const { return m_items.isEmpty(); }
  qsizetype characters() const;

  bool isSendable() const { return problem().isEmpty() && !isReading(); }
  bool isReading() const;
  bool fits() const;     ///< False: the files alone are more than the model reads.
  QString note() const;  ///< What stands in the way of sending, in a sentence; else empty.

 signals:
  void changed();

 private:
  struct Item {
    quint64 number = 0;
    AttachmentRecord record;
    bool isReading = false;
    bool isCounted = false;
    QString error;
    std::shared_ptr<std::atomic<bool>> cancelled;
  };

  QList<Item> toItems(const QList<AttachmentRecord>& records);
  void show(const QList<Item>& items);
  void setText(Item& item, const Result<FileText>& file);
  void read(Item& item, const QString& path);
  void onRead(quint64 number, const Result<FileText>& file);
  QString findCounter() const;
  int contextLength() const;
  void onModelChanged();
  void countNext();
  void onForecast(const ContextForecast& forecast);
  void refresh(qsizetype row);
  qsizetype rowOf(quint64 number) const;
  bool isTooLarge(const Item& item) const;
  int totalTokens() const;
  QString problem() const;
  QString detailOf(const Item& item) const;

  ChatBackend& m_backend;
  ModelManager& m_models;
  QList<Item> m_items;
  quint64 m_lastNumber = 0;
  PendingReply m_question;  ///< How many tokens m_countedItem has.
  quint64 m_countedItem = 0;
  QString m_modelPath;    ///< Of setModel.
  QString m_counter;      ///< The model that was asked last; empty: none yet.
  int m_shownLength = 0;  ///< Of the context, as the rows were last told.
  bool m_keepsCounts = false;
  QString m_refusal;  ///< Why the last files were not taken.
  QThreadPool m_pool;
};

/// Compares names and texts.
bool isSameFiles(const QList<AttachmentRecord>& a, const QList<AttachmentRecord>& b);

}  // namespace quire
