#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>

#include "app/engine_page/engine_labels.h"
#include "app/role_list_model.h"

namespace quire {

/// The last prompts, the newest first, each with an explanation of its time.
/// Thread: the window's.
class PromptLog : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by EngineMonitor.")
  Q_PROPERTY(int count READ count NOTIFY countChanged)

 public:
  static constexpr int kMaxPrompts = 8;
  enum Role { kTitle = Qt::UserRole + 1, kColor, kFirstToken, kStory };

  explicit PromptLog(ChatLabels labels, QObject* parent = nullptr);

  int numRows() const override { return count(); }

  int count() const { return static_cast<int>(m_reports.size()); }
  void add(const PromptReport& report);
  /// The newest; a default-constructed report if there is none.
  PromptReport last() const { return m_reports.value(0); }

 signals:
  void countChanged();

 private:
  const ChatLabels m_labels;
  QList<PromptReport> m_reports;
};

}  // namespace quire
