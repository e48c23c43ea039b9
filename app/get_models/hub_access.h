#pragma once

#include <QList>
#include <QObject>
#include <QString>
#include <QUrl>

#include "app/engine/reply.h"
#include "app/hub/hub_states.h"

namespace quire {

/// Why a hub or a download did not do what was asked.
struct HubError {
  QString text = {};        ///< One sentence for the user; empty: there is no problem.
  bool needsToken = false;  ///< The hub gives the model only to some accounts.
};

/// A model that a search found.
struct HubResult {
  QString name;  ///< What HubAccess::list() takes.
  qint64 downloads = 0;
  QString license;
  bool isGated = false;
};

struct HubSearchReport {
  QList<HubResult> found = {};
  HubError problem = {};
};

/// What can be downloaded of a model: a file, a set of files or a folder.
struct HubChoice {
  QString label;  ///< "Q4_K_M", a file's name, or "safetensors".
  qint64 bytes = 0;
  qint64 numFiles = 1;
  MachineFit fit = MachineFit::kUnknown;
  double tokensPerSecond = 0.0;  ///< To expect of the CPU; 0: the machine was not measured.
  QString target = {};           ///< The path that it will have; empty: it cannot be stored.
  bool isThere = false;          ///< Something lies at that path already.
  QString path = {};             ///< What is loaded of it: `target`, or a file in it.
  QString problem = {};          ///< Why it cannot be downloaded; empty: it can.
};

/// A model on a hub, with all that can be downloaded of it.
struct HubListing {
  QString id = {};  ///< What HubAccess::get() takes; empty: there is no listing.
  QString hub = {};
  QString name = {};
  QString license = {};   ///< Empty: the hub names none.
  QUrl page = {};         ///< For people.
  bool isGated = false;   ///< Its files need a consent on the page, and a token.
  bool hasToken = false;  ///< A token is sent to this hub.
  QList<HubChoice> choices = {};
  int usual = -1;  ///< The choice that was named, or the usual one; below 0: there is none.
  HubError problem = {};
};

/// A model that Quire recommends for this machine. It is shown once a hub has confirmed it.
struct ModelSuggestion {
  QString name;  ///< What HubAccess::list() takes.
  QString title;
  QString summary;
};

/// A download and how far it is.
struct HubDownload {
  quint64 id = 0;
  QString title = {};
  QString target = {};  ///< As HubChoice::target.
  QString path = {};    ///< Of the model, when it is done: `target`, or a file in it.
  DownloadState state = DownloadState::kWaiting;  ///< Never kCancelled.
  qint64 bytes = 0;
  qint64 totalBytes = 0;
  qint64 bytesPerSecond = 0;
  qint64 retryInMs = 0;   ///< kRetrying.
  HubError problem = {};  ///< kRetrying, kFailed.
  bool wasThere = false;  ///< kDone: the files were there before.
};

/// Whether models can be stored in a folder.
enum class FolderUse { kUsable, kMissing, kNotWritable };

/// Reads the disk, which may be one that does not answer. Thread: any but the window's.
FolderUse folderUse(const QString& path);

/// What the user does with a download.
enum class DownloadAction {
  kPause,
  kResume,  ///< Also after a failure.
  kCancel,  ///< Removes what was downloaded.
  kForget,  ///< Removes one that has ended from the list.
  kMoveUp,  ///< Before the one above it.
};

/// Whether a text names one model ("org/repo", an address, "qwen3:8b"); otherwise it is something
/// to search for.
bool namesModel(const QString& text);

/// Hubs and downloads, as the window uses them. Nothing is sent before search(), list(), get() or
/// DownloadAction::kResume.
///
/// Thread: the window's. No call waits for the network or a disk.
class HubAccess : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  virtual PendingReply search(const QString& text, Reply<HubSearchReport> reply) = 0;
  virtual PendingReply list(const QString& name, Reply<HubListing> reply) = 0;
  /// At most three that fit this machine, the smallest first. Asks no hub.
  virtual PendingReply suggest(Reply<QList<ModelSuggestion>> reply) = 0;
  /// Uses the token for gated models from now on and stores it in the keychain. The reply is a
  /// sentence where that could not be done; otherwise empty.
  virtual void keepToken(const QString& token, Reply<QString> reply) = 0;

  /// Appends a download of a listed model's choice.
  virtual HubError get(const QString& listingId, int choice) = 0;
  virtual QList<HubDownload> downloads() const = 0;  ///< In the order in which they start.
  virtual void act(quint64 id, DownloadAction action) = 0;

  /// The address of a mirror of Hugging Face; empty: the usual address. The reply is the problem of
  /// an address that cannot be used, which changes nothing.
  virtual QString setMirror(const QString& address) = 0;
  virtual QString hubHost() const = 0;               ///< "huggingface.co", or the mirror's.
  virtual void setBytesPerSecond(qint64 bytes) = 0;  ///< Of all downloads; 0: no limit.
  virtual QString defaultFolder() const = 0;
  /// Replies folderUse(), which the hub's own thread asks for.
  virtual PendingReply examineFolder(const QString& path, Reply<FolderUse> reply) = 0;
  /// Where models will be stored. Also reads again what this machine can do and what lies there,
  /// and says so by relisted().
  virtual void setFolder(const QString& folder) = 0;
  /// Lists the downloads that earlier starts of the program left in the folder, paused.
  virtual void restore() = 0;

 signals:
  void relisted(const quire::HubListing& listing);  ///< One of list(), as its choices are now.
  void downloadsChanged();                          ///< Downloads were added, removed or moved.
  void downloadChanged(quint64 id);                 ///< Its state or its figures.
  void downloaded(const QString& path);             ///< The model at this path is complete.
};

}  // namespace quire
