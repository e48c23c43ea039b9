#include "app/get_models/download_list.h"

#include <algorithm>

#include "app/get_models/get_labels.h"
#include "app/size_text.h"
#include "app/store/visible_string.h"

namespace quire {
namespace {

using State = DownloadState;

bool isWorking(const HubDownload& download) {
  return isWorking(download.state);
}

/// For want of a token.
bool isRefused(const HubDownload& download) {
  return download.state == State::kFailed && download.problem.needsToken;
}

double shareOf(qint64 bytes, qint64 total) {
  return total > 0 ? static_cast<double>(bytes) / static_cast<double>(total) : 0.0;
}

}  // namespace

DownloadList::DownloadList(QObject* parent) : RoleListModel(parent) {
  const auto row = [this](int at) -> const HubDownload& { return m_rows[at]; };
  setRoles({{kId, "downloadId", [row](int at) { return static_cast<double>(row(at).id); }},
            {kTitle, "title", [row](int at) { return visibleString(row(at).title); }},
            {kText, "progressText", [row](int at) { return get_labels::progress(row(at)); }},
            {kProblem, "problem", [row](int at) { return row(at).problem.text; }},
            {kShare, "share", [row](int at) { return shareOf(row(at).bytes, row(at).totalBytes); }},
            {kCanPause, "canPause", [row](int at) { return isWorking(row(at)); }},
            {kCanResume, "canResume", [row](int at) { return row(at).state == State::kPaused; }},
            {kCanRetry, "canRetry", [row](int at) { return row(at).state == State::kFailed; }},
            {kCanMoveUp, "canMoveUp",
             [row](int at) { return at > 0 && row(at).state == State::kWaiting; }},
            {kNeedsToken, "needsToken", [row](int at) { return isRefused(row(at)); }},
            {kIsFailed, "isFailed", [row](int at) { return row(at).state == State::kFailed; }},
            {kIsDone, "isDone", [row](int at) { return row(at).state == State::kDone; }},
            {kIsNext, "isNext", [this](int at) { return at == firstFinished(); }}});
  connect(this, &DownloadList::changed, this, &DownloadList::progressed);
}

void DownloadList::setAccess(HubAccess* access) {
  m_access = access;
  connect(access, &HubAccess::downloadsChanged, this, &DownloadList::readAll);
  connect(access, &HubAccess::downloadChanged, this, &DownloadList::readOne);
  readAll();
}

void DownloadList::readAll() {
  beginResetModel();
  m_rows = m_access ? m_access->downloads() : QList<HubDownload>();
  endResetModel();
  if (m_asked != 0 && rowOf(m_asked) < 0) ask(0);
  emit changed();
}

void DownloadList::readOne(quint64 id) {
  const int row = rowOf(id);
  if (row < 0 || !m_access) return;
  const QList<HubDownload> now = m_access->downloads();
  const auto found = std::ranges::find(now, id, &HubDownload::id);
  if (found == now.end()) return;
  m_rows[row] = *found;
  emit dataChanged(index(row), index(row));
  announceRows({kIsNext});
  if (m_asked == id && found->state == State::kDone) ask(0);
  if (m_asked == id) emit askingChanged();
  emit progressed();
}

int DownloadList::rowOf(quint64 id) const {
  const auto found = std::ranges::find(m_rows, id, &HubDownload::id);
  return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

QString DownloadList::summaryText() const {
  qint64 speed = 0;
  qint64 left = 0;
  int working = 0;
  for (const HubDownload& download : m_rows) {
    if (!isWorking(download)) continue;
    ++working;
    speed += download.bytesPerSecond;
    left += download.totalBytes - download.bytes;
  }
  if (working == 0) return {};
  const QString dot = QStringLiteral(" · ");
  const QString text = tr("%n download(s)", nullptr, working);
  if (speed <= 0) return text;
  return text + dot + tr("%1/s").arg(sizeText(static_cast<quint64>(speed))) + dot +
         get_labels::timeLeft(left / speed);
}

double DownloadList::progress() const {
  qint64 bytes = 0;
  qint64 total = 0;
  for (const HubDownload& download : m_rows) {
    if (!isWorking(download)) continue;
    bytes += download.bytes;
    total += download.totalBytes;
  }
  return shareOf(bytes, total);
}

bool DownloadList::isActive() const {
  return std::ranges::any_of(m_rows, [](const HubDownload& row) { return isWorking(row); });
}

int DownloadList::firstFinished() const {
  const auto found = std::ranges::find(m_rows, State::kDone, &HubDownload::state);
  return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

QString DownloadList::failureText(const QStringList& exceptTargets) const {
  const auto failed = std::find_if(m_rows.crbegin(), m_rows.crend(), [&](const HubDownload& row) {
    return row.state == State::kFailed && !exceptTargets.contains(row.target);
  });
  if (failed == m_rows.crend()) return {};
  return tr("%1 stopped. %2").arg(visibleString(failed->title), failed->problem.text);
}

void DownloadList::act(quint64 id, DownloadAction action) {
  if (m_access) m_access->act(id, action);
}

void DownloadList::pause(quint64 id) {
  act(id, DownloadAction::kPause);
}

void DownloadList::resume(quint64 id) {
  act(id, DownloadAction::kResume);
}

void DownloadList::moveUp(quint64 id) {
  act(id, DownloadAction::kMoveUp);
}

void DownloadList::cancel(quint64 id) {
  const int row = rowOf(id);
  if (row < 0 || !m_access) return;
  if (m_rows[row].bytes == 0) return act(id, DownloadAction::kCancel);
  ask(id);
}

void DownloadList::dismiss(quint64 id) {
  const int row = rowOf(id);
  if (row >= 0 && m_rows[row].state == State::kDone) act(id, DownloadAction::kForget);
}

void DownloadList::load(quint64 id) {
  const int row = rowOf(id);
  if (row < 0 || m_rows[row].state != State::kDone) return;
  const QString path = m_rows[row].path;
  dismiss(id);
  emit loadWanted(path);
}

void DownloadList::enterToken(quint64 id) {
  const int row = rowOf(id);
  if (row >= 0 && isRefused(m_rows[row])) emit tokenWanted(m_rows[row].problem.text);
}

void DownloadList::retryRefused() {
  const QList<HubDownload> rows = m_rows;
  for (const HubDownload& download : rows) {
    if (isRefused(download)) resume(download.id);
  }
}

QString DownloadList::askedTitle() const {
  const int row = rowOf(m_asked);
  return row < 0 ? QString() : visibleString(m_rows[row].title);
}

bool DownloadList::isAskedWorking() const {
  const int row = rowOf(m_asked);
  return row >= 0 && isWorking(m_rows[row]);
}

QString DownloadList::askedText() const {
  const int row = rowOf(m_asked);
  if (row < 0) return {};
  return tr("%1 of %2 are on the disk. If you keep them, you can continue at any time.")
      .arg(sizeText(static_cast<quint64>(m_rows[row].bytes)),
           sizeText(static_cast<quint64>(m_rows[row].totalBytes)));
}

void DownloadList::ask(quint64 id) {
  m_asked = id;
  emit askingChanged();
}

void DownloadList::answerDelete() {
  const quint64 id = m_asked;
  ask(0);
  if (id != 0) act(id, DownloadAction::kCancel);
}

void DownloadList::answerKeep() {
  const quint64 id = m_asked;
  ask(0);
  if (id != 0) act(id, DownloadAction::kPause);
}

void DownloadList::answerNothing() {
  if (m_asked != 0) ask(0);
}

}  // namespace quire
