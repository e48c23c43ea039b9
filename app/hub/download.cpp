#include "app/hub/download.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTimer>

#include <filesystem>
#include <utility>

#include "app/hub/download_record.h"
#include "app/hub/hub_problem.h"
#include "platform/folder.h"

namespace quire {
namespace {

constexpr qint64 kSliceBytes = 4 << 20;  ///< Read between two turns of the event loop.
/// The journal names all files, so it is not written again for each of many small ones: a power
/// failure costs at most so many bytes of them.
constexpr qint64 kWorthSaving = 1 << 20;
constexpr int kMostRestarts = 3;

/// An ETag that promises equal bytes; empty: there is none.
QByteArray strongTag(const ResponseHead& head) {
  const QByteArray tag = head.header("etag");
  const bool isStrong =
      tag.size() >= 2 && tag.size() < 300 && tag.startsWith('"') && tag.endsWith('"');
  return isStrong ? tag : QByteArray();
}

/// Whether a response of 206 goes on at `first` in a file of this size.
bool goesOn(const QByteArray& contentRange, qint64 first, qint64 fileBytes) {
  static const QRegularExpression kRange(
      QStringLiteral("\\Abytes\\s+(\\d{1,18})-(\\d{1,18})/(\\d{1,18}|\\*)\\z"),
      QRegularExpression::CaseInsensitiveOption);
  const auto match = kRange.match(QString::fromLatin1(contentRange.trimmed()));
  if (!match.hasMatch() || match.captured(1).toLongLong() != first) return false;
  const QString total = match.captured(3);
  return total == QLatin1String("*") || total.toLongLong() == fileBytes;
}

}  // namespace

Download::Download(const DownloadPlan& plan, const DownloadOptions& options, DownloadTools tools,
                   QObject* parent)
    : QObject(parent),
      m_plan(plan),
      m_options(options),
      m_tools(std::move(tools)),
      m_retries(options.retries) {
  m_status.totalBytes = plan.bytes();
  m_clock.start();
}

Download::~Download() {
  stopFetch();
  saveJournal();
}

void Download::later(void (Download::*step)()) {
  QMetaObject::invokeMethod(
      this,
      [this, step, turn = m_turn] {
        if (turn == m_turn) (this->*step)();
      },
      Qt::QueuedConnection);
}

void Download::setState(DownloadState state) {
  m_status.state = state;
  if (state != DownloadState::kFailed) m_status.bytes = bytesOnDisk();
  if (state != DownloadState::kRetrying && state != DownloadState::kFailed) m_status.error.reset();
  if (state != DownloadState::kRunning) m_status.bytesPerSecond = 0;
  m_tools.changed();
}

qint64 Download::bytesOnDisk() const {
  if (m_status.state == DownloadState::kDone) return m_status.totalBytes;
  return m_finishedBytes + (m_part ? m_part->bytes() : 0);
}

void Download::start() {
  if (m_status.state == DownloadState::kDone || m_status.state == DownloadState::kCancelled) return;
  ++m_turn;
  m_retries = RetryClock(m_options.retries);
  if (m_part) {  // It was paused.
    setState(DownloadState::kRunning);
    return later(&Download::hashPart);
  }
  m_index = 0;
  m_finishedBytes = 0;
  m_savedBytes = 0;
  m_numRestarts = 0;
  setState(DownloadState::kChecking);
  m_existing.reset();
  if (ExistingTarget::isThere(m_plan)) m_existing = std::make_unique<ExistingTarget>(m_plan);
  later(m_existing ? &Download::checkTarget : &Download::checkSpace);
}

void Download::checkTarget() {
  switch (m_existing->step(kSliceBytes)) {
    case ExistingTarget::Verdict::kReading:
      return later(&Download::checkTarget);
    case ExistingTarget::Verdict::kDifferent:
      return fail(targetDiffers(m_plan.targetPath().toStdString()));
    case ExistingTarget::Verdict::kSame:
      m_status.wasThere = true;
      DownloadJournal(m_plan).remove();  // Of a run that was killed when it was all but done.
      return setState(DownloadState::kDone);
  }
}

void Download::checkSpace() {
  m_journal = std::make_unique<DownloadJournal>(m_plan);
  if (const auto opened = m_journal->open(); !opened) {
    m_journal.reset();
    return fail(opened.error());
  }
  qint64 needed = m_plan.bytes();
  for (const PlannedFile& one : m_plan.files) {
    const QString path = m_journal->filesPath() + u'/' + one.path;
    needed -= QFileInfo(path).size() + QFileInfo(path + QStringLiteral(".part")).size();
  }
  const auto free = platform::free_bytes(m_plan.folder.toStdU16String());
  const qint64 available =
      static_cast<qint64>(free.value_or(0)) - m_options.spareBytes - m_tools.promisedBytes();
  if (free && needed > available) {
    return fail(noSpace(m_plan.title.toStdString(), needed, m_plan.folder.toStdString(),
                        std::max<qint64>(available, 0), m_options.spareBytes));
  }
  nextFile();
}

void Download::nextFile() {
  m_part.reset();
  if (m_index == m_plan.files.size()) {
    setState(DownloadState::kChecking);
    return later(&Download::check);
  }
  m_numRestarts = 0;
  m_mostBytes = 0;
  m_part = std::make_unique<PartFile>(m_journal->filesPath(), file());
  const qint64 trusted = m_journal->trustedBytes(file());
  // A file under its final name was verified by an earlier run. Without a trusted part in the
  // journal it was verified against another hash, and is downloaded again.
  if (trusted > 0 && m_part->isFinished()) {
    m_part.reset();
    m_finishedBytes += file().bytes;
    ++m_index;
    return later(&Download::nextFile);
  }
  if (const auto opened = m_part->open(trusted); !opened) return fail(opened.error());
  DownloadJournal::Part part = m_journal->part(file().path);
  part.hash = file().hash.hex;  // As open() has written it.
  m_journal->setPart(file().path, part);
  setState(DownloadState::kChecking);
  later(&Download::hashPart);
}

void Download::hashPart() {
  const Result<bool> hashed = m_part->hashSome(kSliceBytes);
  if (!hashed) return fail(hashed.error());
  if (*hashed) return later(&Download::hashPart);
  if (m_part->isComplete()) return finishFile();
  fetch();
}

void Download::fetch() {
  FetchRequest request = {.url = file().url,
                          .token = m_plan.token,
                          .hub = file().url,
                          .asked = {file().path, m_plan.page}};
  if (m_part->bytes() > 0) {
    request.headers.append({"Range", "bytes=" + QByteArray::number(m_part->bytes()) + '-'});
    const QByteArray tag = m_journal->part(file().path).etag;
    if (!tag.isEmpty()) request.headers.append({"If-Range", tag});
  }
  stopFetch();
  setState(DownloadState::kRunning);
  m_fetch = new HttpFetch(
      request, m_options.timeouts,
      {.head = [this](const ResponseHead& head) { return onHead(head); },
       .body = [this](const QByteArray& bytes) { onBody(bytes); },
       .ended = [this](const std::optional<HubFailure>& failure) { onEnded(failure); }},
      this);
}

std::optional<HubFailure> Download::onHead(const ResponseHead& head) {
  DownloadJournal::Part part = m_journal->part(file().path);
  const QByteArray tag = strongTag(head);
  if (head.status == 206) {
    const bool isSame = part.etag.isEmpty() || tag.isEmpty() || tag == part.etag;
    if (!isSame || !goesOn(head.header("content-range"), m_part->bytes(), file().bytes)) {
      return beginAnew();
    }
  } else {
    // The hub ignores ranges, or has another version. The hash will tell.
    if (const auto begun = m_part->restart(); !begun) return HubFailure{begun.error()};
    const QByteArray length = head.header("content-length");
    if (!length.isEmpty() && length.toLongLong() != file().bytes) return beginAnew();
  }
  // After 200, the journal must not say that more is written through than there is.
  const bool isNew = tag != part.etag || head.status != 206;
  part.etag = tag;
  m_journal->setPart(file().path, part);
  if (isNew && file().bytes >= kWorthSaving) saveJournal();
  return std::nullopt;
}

/// Discards what was downloaded, which is of another file. Returns the failure that leads to the
/// next try or, after too many of them, ends the download.
std::optional<HubFailure> Download::beginAnew() {
  DownloadJournal::Part part = m_journal->part(file().path);
  part.etag.clear();
  m_journal->setPart(file().path, part);
  if (const auto begun = m_part->restart(); !begun) return HubFailure{begun.error()};
  const bool isLast = ++m_numRestarts >= kMostRestarts;
  return HubFailure{make_error(ErrorCode::kIo,
                               "%1 is not what the hub promised, or has changed meanwhile. Try "
                               "again later",
                               {file().path.toStdString()}),
                    !isLast};
}

void Download::onBody(const QByteArray& bytes) {
  const qint64 before = m_part->bytes();
  const qint64 syncedBefore = m_part->syncedBytes();
  if (const auto appended = m_part->append(bytes); !appended) return fail(appended.error());
  const qint64 now = m_clock.elapsed();
  // Bytes that an earlier try had already are no progress.
  if (m_part->bytes() > m_mostBytes) m_retries.progressed(now);
  m_mostBytes = std::max(m_mostBytes, m_part->bytes());
  m_meter.add(m_part->bytes() - before, now);
  m_status.bytesPerSecond = m_meter.bytesPerSecond();
  m_status.bytes = bytesOnDisk();
  m_tools.changed();
  if (m_part->syncedBytes() != syncedBefore) saveJournal();
  if (m_part->isComplete()) {
    stopFetch();
    return finishFile();
  }
  const qint64 waitMs = m_tools.limit.use(bytes.size(), now);
  if (waitMs <= 0) return;
  m_fetch->setPaused(true);
  QTimer::singleShot(static_cast<int>(std::min<qint64>(waitMs, 60'000)), m_fetch,
                     [fetch = m_fetch] { fetch->setPaused(false); });
}

void Download::onEnded(const std::optional<HubFailure>& failure) {
  stopFetch();
  if (failure && failure->isOfRange) {
    const auto again = beginAnew();
    return again->isTransient ? retry(*again) : fail(again->error);
  }
  if (failure) return failure->isTransient ? retry(*failure) : fail(failure->error);
  // The response was shorter than the file.
  retry(failureOf(file().url, {.kind = CallEnd::Kind::kBroken}));
}

void Download::finishFile() {
  const Result<bool> finished = m_part->finish();
  if (!finished) return fail(finished.error());
  if (!*finished) {
    const auto again = beginAnew();
    return again->isTransient ? retry(*again) : fail(again->error);
  }
  notePart();  // All of it is written through.
  m_part.reset();
  m_finishedBytes += file().bytes;
  if (m_finishedBytes - m_savedBytes >= kWorthSaving) saveJournal();
  ++m_index;
  later(&Download::nextFile);
}

/// A file that is not a model stays in the staging folder: its hash is right, the user may need it.
void Download::check() {
  const auto checked =
      checkModel(m_journal->filesPath(), m_plan, m_options.inspector, m_options.stop);
  if (m_options.stop.stop_requested()) return;  // It was not checked to its end.
  if (!checked) return fail(checked.error());
  install();
}

void Download::install() {
  namespace fs = std::filesystem;
  const QString target = m_plan.targetPath();
  const QString from = m_plan.isFolder ? m_journal->filesPath()
                                       : m_journal->filesPath() + u'/' + m_plan.files.first().path;
  std::error_code error;
  const fs::path parent = fs::path(target.toStdU16String()).parent_path();
  fs::create_directories(parent, error);
  if (!error && ExistingTarget::isThere(m_plan))
    error = std::make_error_code(std::errc::file_exists);
  if (!error) fs::rename(from.toStdU16String(), target.toStdU16String(), error);
  if (error) {
    return fail(notMoved(target.toStdString(), error.message()));
  }
  // A folder that cannot be synced may lose the name in a power failure, never the verified bytes.
  static_cast<void>(syncToDisk(QFileInfo(target).path()));
  keepHashes(m_plan);
  m_journal->remove();
  m_journal.reset();
  setState(DownloadState::kDone);
}

void Download::retry(const HubFailure& failure) {
  const auto pause = m_retries.next(m_clock.elapsed(), failure.retryAfterMs);
  if (!pause) return fail(failure.error);
  m_meter.reset();
  m_status.error = failure.error;
  m_status.retryInMs = *pause;
  setState(DownloadState::kRetrying);
  QTimer::singleShot(static_cast<int>(*pause), this, [this, turn = m_turn] {
    if (turn == m_turn) fetch();
  });
}

void Download::pause() {
  if (m_status.hasEnded() || m_status.state == DownloadState::kPaused) return;
  ++m_turn;
  stopFetch();
  saveJournal();
  m_meter.reset();
  setState(DownloadState::kPaused);
}

void Download::enqueue() {
  m_status.state = DownloadState::kWaiting;
  m_status.error.reset();
  m_tools.changed();
}

void Download::cancel() {
  if (m_status.state == DownloadState::kDone) return;
  ++m_turn;
  stopFetch();
  m_part.reset();
  if (!m_journal) {
    // It waited or failed; what is left is removed unless another program writes it.
    m_journal = std::make_unique<DownloadJournal>(m_plan);
    if (!m_journal->open()) m_journal.reset();
  }
  if (m_journal) m_journal->remove();
  m_journal.reset();
  m_finishedBytes = 0;
  setState(DownloadState::kCancelled);
}

void Download::fail(const Error& error) {
  ++m_turn;
  stopFetch();
  m_status.bytes = bytesOnDisk();
  saveJournal();
  m_part.reset();
  if (m_journal && m_journal->isEmpty()) m_journal->remove();
  m_journal.reset();
  m_status.error = error;
  setState(DownloadState::kFailed);
}

void Download::stopFetch() {
  if (m_fetch == nullptr) return;
  m_fetch->stop();
  std::exchange(m_fetch, nullptr)->deleteLater();  // It may be what calls this.
}

/// Tells the journal how much of the open part is written through.
void Download::notePart() {
  if (!m_journal || !m_part) return;
  DownloadJournal::Part part = m_journal->part(file().path);
  part.syncedBytes = m_part->syncedBytes();
  m_journal->setPart(file().path, part);
}

/// A journal that cannot be written costs bytes after a power failure, so it is no failure.
void Download::saveJournal() {
  if (!m_journal) return;
  notePart();
  m_savedBytes = m_finishedBytes;
  static_cast<void>(m_journal->save());
}

}  // namespace quire
