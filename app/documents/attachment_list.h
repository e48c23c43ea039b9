#pragma once

#include <QtQml/qqmlregistration.h>
#include <QThreadPool>
#include <QUrl>

#include <algorithm>
#include <atomic>
#include <memory>

#include "app/documents/attachment_file.h"
#include "app/engine/chat_backend.h"
#include "app/engine/model_manager.h"
#include "app/role_list_model.h"

namespace quire {

/// The files of a draft, which are read, counted and removed, or those of a sent message.
///
/// Thread: the window's; files are read on a thread of its own, which the destructor waits for.
/// Invariants: records() has exactly the files whose text was read, in the order of the rows and
/// then the hidden ones;
/// isSendable() is true only if all files were read and are not known to exceed the context.
class AttachmentList : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by a chat.")
  Q_PROPERTY(int count READ count NOTIFY changed)
  /// Files after the kMaxFiles that have rows: those of an imported message may be thousands.
  Q_PROPERTY(int hiddenCount READ hiddenCount NOTIFY changed)
  Q_PROPERTY(QString note READ note NOTIFY changed)

 public:
  enum Role { kName = Qt::UserRole + 1, kDetail, kIsReading, kIsProblem };
  static constexpr int kMaxFiles = 20;

  AttachmentList(ChatBackend& backend, ModelManager& models, QObject* parent = nullptr);
  ~AttachmentList() override;

  int count() const { return static_cast<int>(m_items.size()); }
  int hiddenCount() const { return count() - numRows(); }
  int numRows() const override { return std::min(count(), kMaxFiles); }

  /// Whether all of these are local files and none is a model, by their names.
  Q_INVOKABLE static bool accepts(const QList<QUrl>& urls);
  /// Whether a file dialog can be opened; if not, note() says why.
  Q_INVOKABLE bool mayAsk();
  Q_INVOKABLE void add(const QList<QUrl>& urls);
  /// Adds the files in the clipboard; false: it has none, or others.
  bool addFromClipboard();
  Q_INVOKABLE void remove(int row);

  /// Sets the model that reads the message; empty: the primary one.
  void setModel(const QString& path) { setModels({path}); }
  /// Sets the models, one at least, that read the message each for itself. Tokens are counted by
  /// the first one that can.
  void setModels(const QStringList& paths);
  /// Keeps the counts when the model changes, because the files were sent.
  void keepCounts() { m_keepsCounts = true; }

  void setRecords(const QList<AttachmentRecord>& records);
  QList<AttachmentRecord> records() const;
  void prepend(const QList<AttachmentRecord>& records);  ///< Adds files before the others.
  const AttachmentRecord* find(int row) const;           ///< Null: its text was not read.
  void clear() { setRecords({}); }
  bool isEmpty() const { return m_items.isEmpty(); }
  qsizetype characters() const;

  bool isSendable() const { return problem().isEmpty() && !isReading(); }
  bool isReading() const;
  /// False: the files alone exceed the model's context, that of each of several models.
  bool fits() const { return isBelow(contextLength()); }
  bool fitsIn(const QString& modelPath) const { return isBelow(contextLengthOf(modelPath)); }
  QString note() const;  ///< Why the message cannot be sent or files were refused, or empty.

 signals:
  void changed();

 private:
  struct Item {
    quint64 number = 0;
    AttachmentRecord record;
    bool isReading = false;
    bool isCounted = false;
    QString error;
    /// Set when the file is no longer wanted; shared with the reading thread.
    std::shared_ptr<std::atomic<bool>> cancelled = std::make_shared<std::atomic<bool>>(false);

    bool isRead() const { return !isReading && error.isEmpty(); }
  };

  QList<Item> toItems(const QList<AttachmentRecord>& records);
  void show(const QList<Item>& items);
  void read(Item& item, const QString& path);
  void onRead(quint64 number, const Result<FileText>& file);
  QString counterOf(const QString& modelPath) const;
  QString findCountingModel() const;
  int contextLengthOf(const QString& modelPath) const;
  int contextLength() const;
  bool isBelow(int context) const { return context == 0 || totalTokens() < context; }
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
  PendingReply m_question;  ///< Asks for the number of tokens of m_countedItem.
  quint64 m_countedItem = 0;
  QStringList m_modelPaths = {QString()};  ///< As given to setModels.
  QString m_counter;                       ///< The model that was asked last; empty: none yet.
  int m_shownLength = 0;                   ///< Context length that the rows show.
  bool m_keepsCounts = false;
  QString m_refusal;  ///< Why the last files were not added.
  QThreadPool m_pool;
};

/// Whether both lists have the same files, by isSameFile.
bool isSameFiles(const QList<AttachmentRecord>& a, const QList<AttachmentRecord>& b);

}  // namespace quire
